"""What a long session in JupyterLab leaves behind: `python tests/benchmarks/soak.py --write` writes SOAK.md.

For SOAK_MINUTES (30 by default) a notebook is driven as a person does, in an order that chance chooses: its cell runs
again, also before the explorer is ready; it is displayed twice, closed, cancelled and resumed; the slider is dragged;
feature, kind, colour and output change; files are saved; halfway through, the kernel restarts. Ten times both sides
are measured in the same state: the cell has run again and its explorer is ready.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from browser.conftest import launch_options
from browser.jupyter import JupyterServer
from browser.test_lifetime_in_lab import MODELS
from measuring import machine
from playwright.sync_api import expect, sync_playwright

WRITTEN = Path(__file__).with_name("SOAK.md")
MINUTES = float(os.environ.get("SOAK_MINUTES", "30"))
MEASUREMENTS = 10
MIB = 2**20
# JupyterLab's own: each change of the active cell leaves a toolbar of 810 listeners behind.
LEAKING = ("@jupyterlab/apputils-extension:announcements", "@jupyterlab/cell-toolbar-extension")

SETTING = """\
import gc, json, os, resource, threading, time
from pathlib import Path
import ipywidgets, psutil
import ice_explorer as ice
from comm import get_comm_manager
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier

class Slow(RandomForestClassifier):
    def predict_proba(self, X):
        time.sleep(0.03)
        if threading.current_thread().name == "ice-explorer":
            gate.wait()  # so that there is something to cancel
        return super().predict_proba(X)

gate = threading.Event()
gate.set()
X, y = load_wine(return_X_y=True, as_frame=True)
model = Slow(n_estimators=10, random_state=0).fit(X, y)

def measure():
    gc.collect()
    widgets = list(ipywidgets.widgets.widget._instances.values())
    return json.dumps({
        "memory": psutil.Process().memory_info().rss,
        "threads": threading.active_count(),
        "computing": sum(thread.name == "ice-explorer" for thread in threading.enumerate()),
        "explorers": sum(isinstance(one, ice.ICEExplorer) for one in widgets),
        "widgets": len(widgets),
        "comms": len(get_comm_manager().comms),
        "objects": len(gc.get_objects()),
    })
"""
MAKE = "x = ice.ICEExplorer(model, X, y, method='brute')\nx"


class Session:
    """The notebook, and what is done in it."""

    def __init__(self, server, page):
        server.write("soak.ipynb", [SETTING, MAKE, "", ""])
        self._cdp = page.context.new_cdp_session(page)
        self._page = page
        self._notebook = server.open(page, "soak.ipynb")
        self._notebook.run(0)
        self._make()

    @property
    def _view(self):
        return self._notebook.explorer(1)

    def _make(self):
        self._notebook.run(1)
        expect(self._view).to_have_attribute("data-status", "ready")

    def _say(self, code):
        self._notebook.rewrite(2, code)
        self._notebook.run(2)

    def run_again(self):
        self._make()

    def run_again_at_once(self):
        for _ in range(3):
            self._notebook.run(1)
        expect(self._view).to_have_attribute("data-status", "ready")

    def display_twice(self):
        self._say("x")
        expect(self._notebook.explorer(2)).to_have_attribute("data-status", "ready")
        self._say("None")

    def close(self):
        self._say("x.close()")
        expect(self._view).to_have_count(0)
        self._make()

    def drag(self):
        slider = self._view.get_by_test_id("decay-slider")
        slider.scroll_into_view_if_needed()
        box = slider.bounding_box()
        y = box["y"] + box["height"] / 2
        self._page.mouse.move(box["x"] + box["width"] * 0.9, y)
        self._page.mouse.down()
        for step in range(40):
            self._page.mouse.move(box["x"] + box["width"] * (0.9 - 0.02 * step), y)
            self._page.evaluate("new Promise(requestAnimationFrame)")
        self._page.mouse.up()

    def cancel_and_resume(self):
        self._say("gate.clear()")
        self._notebook.run(1)
        expect(self._view).to_have_attribute("data-status", "computing")
        self._say("x._background.cancel(); gate.set()")
        expect(self._view).to_have_attribute("data-status", "cancelled")
        self._view.get_by_test_id("resume").click()
        expect(self._view).to_have_attribute("data-status", "ready")

    def choose(self):
        for feature in ("proline", "hue", "ash"):
            self._say(f"x.feature = {feature!r}")
            expect(self._view).to_have_attribute("data-feature", feature)
        for kind in ("c-ice", "d-ice", "ice"):
            self._view.get_by_test_id(f"kind-{kind}").click()
            expect(self._view).to_have_attribute("data-kind", kind)
        self._view.get_by_test_id("color-by").select_option("alcohol")
        expect(self._view.get_by_test_id("legend")).to_contain_text("alcohol")

    def choose_output(self):
        for output in ("2", "0"):
            self._say(f"x.output = {output!r}; len(x.explanation)")
            expect(self._view).to_have_attribute("data-status", "ready")

    def save(self):
        self._say("x.save('soak.svg', overwrite=True), x.save('soak.csv', overwrite=True)")

    def restart(self):
        self._notebook.restart_kernel()
        self._notebook.run(0, wait=False)  # its number is 1 again
        self._make()

    def measure(self):
        """Measure kernel and page when only one explorer is shown and ready."""
        self._say("None")
        self._make()
        kernel = json.loads(self._notebook.value(3, "measure()"))
        for _ in range(2):
            self._cdp.send("HeapProfiler.collectGarbage")
        counters = self._cdp.send("Memory.getDOMCounters")
        heap = self._cdp.send("Runtime.getHeapUsage")["usedSize"]
        models = self._page.evaluate(MODELS)
        return kernel | {
            "heap": heap, "nodes": counters["nodes"], "listeners": counters["jsEventListeners"], "models": models,
        }  # fmt: skip


def soak(minutes):
    """Drive a notebook for so long; what was measured when, and how often each thing was done."""
    chance = random.Random(0)  # noqa: S311 - an order, no secret
    done, measured, complaints = Counter(), [], Counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        JupyterServer(Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        server.disable(*LEAKING)
        playwright.selectors.set_test_id_attribute("data-test")
        expect.set_options(timeout=60_000)
        browser = playwright.chromium.launch(**launch_options())
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: complaints.update([str(error)[:100]]))
        session = Session(server, page)
        session.choose()  # so that what is made once is there
        begun = time.monotonic()
        measured.append(("at the start", session.measure()))
        is_restarted = False
        while (spent := (time.monotonic() - begun) / 60) < minutes:
            if not is_restarted and spent > minutes / 2:
                measured.append((f"{spent:.0f} min, before the restart", session.measure()))
                session.restart()
                is_restarted = True
                measured.append((f"{spent:.0f} min, after the restart", session.measure()))
            elif spent > len(measured) * minutes / MEASUREMENTS:
                measured.append((f"{spent:.0f} min", session.measure()))
            turn = chance.choice(TURNS)
            getattr(session, turn)()
            done[turn] += 1
        measured.append((f"{spent:.0f} min, at the end", session.measure()))
        browser.close()
    return measured, done, complaints


TURNS = [
    "run_again", "run_again_at_once", "display_twice", "close", "drag", "cancel_and_resume", "choose",
    "choose_output", "save",
]  # fmt: skip
COLUMNS = {
    "kernel, MiB": lambda one: f"{one['memory'] / MIB:.0f}",
    "threads": lambda one: str(one["threads"]),
    "explorers": lambda one: str(one["explorers"]),
    "widgets": lambda one: str(one["widgets"]),
    "comms": lambda one: str(one["comms"]),
    "Python objects": lambda one: str(one["objects"]),
    "page heap, MiB": lambda one: f"{one['heap'] / MIB:.1f}",
    "DOM nodes": lambda one: str(one["nodes"]),
    "listeners": lambda one: str(one["listeners"]),
    "models": lambda one: str(one["models"]),
}


def report(measured, done, complaints):
    yield "# A long session in JupyterLab"
    yield ""
    yield (
        f"Written by `soak.py --write`: {MINUTES:g} minutes, {done.total()} actions. Measured after the cell has run "
        "again and its explorer is ready, both sides after a garbage collection. JupyterLab runs without its cell "
        "toolbar, which leaves 810 listeners behind for each change of the active cell. Models of a kernel that "
        "restarted stay in the page until it is loaded again."
    )
    yield ""
    yield f"{datetime.now(UTC):%Y-%m-%d}; {machine()}."
    yield ""
    yield f"| when | {' | '.join(COLUMNS)} |"
    yield f"| --- |{' ---: |' * len(COLUMNS)}"
    for when, one in measured:
        yield f"| {when} | {' | '.join(column(one) for column in COLUMNS.values())} |"
    yield ""
    yield "Actions: " + ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in done.most_common()) + "."
    yield ""
    yield f"Errors in the page: {dict(complaints) or 'none'}."


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write SOAK.md")
    arguments = parser.parse_args()
    text = "\n".join(report(*soak(MINUTES))) + "\n"
    print(text)
    if arguments.write:
        WRITTEN.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
