"""How quick the explorer is in a real Chromium: what a reader waits for, and what keeps the page busy.

`python tests/benchmarks/explorer_in_chromium.py --write` runs all and writes EXPLORER.md. Names of measurements as
arguments run those alone.
Work is the processor time of the page's main thread on script, style and layout, less that of an idle page
for as many frames: other work on the machine does not count. Waits are wall time.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import comm
import numpy as np
import pandas as pd
from browser.conftest import launch_options
from browser.host import Host
from browser.jupyter import JupyterServer
from kernel_end import Wire
from measuring import machine
from playwright.sync_api import expect, sync_playwright
from sklearn.linear_model import LinearRegression

import ice_explorer as ice

ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "src" / "ice_explorer" / "static"
WRITTEN = Path(__file__).with_name("EXPLORER.md")
CAPTION = (
    "Written by `explorer_in_chromium.py --write`. Medians after a first turn that is not counted. Work is processor "
    "time that the page's main thread spends on script, style and layout, less that of an idle page; wall time counts "
    "other work on the machine."
)
ROUNDS = 7
STEPS = 20

# Turns of two frames each, of which `act` does something in every one; the loop itself is the idle page.
_TURNS = """async ([act, turns]) => {
    const root = document.querySelector("[data-test=ice-explorer]");
    const part = (name) => root.querySelector(`[data-test=${name}]`);
    const frame = () => new Promise(requestAnimationFrame);
    const slider = part("decay-slider");
    const plot = part("plot");
    const acts = {
        idle: () => undefined,
        slide: (turn) => {
            slider.value = String(0.9 - 0.04 * (turn % 20));
            slider.dispatchEvent(new Event("input", { bubbles: true }));
        },
        hover: (turn) => {
            const { left, top, width, height } = plot.getBoundingClientRect();
            const clientX = left + width * (0.3 + 0.4 * ((turn * 7) % 20) / 20);
            const clientY = top + height * (0.3 + 0.4 * ((turn * 3) % 20) / 20);
            const at = { clientX, clientY, bubbles: true, pointerType: "mouse" };
            plot.dispatchEvent(new PointerEvent("pointermove", at));
        },
    };
    for (let turn = 0; turn < turns; turn++) {
        acts[act](turn);
        await frame();
        await frame();
    }
    slider.dispatchEvent(new Event("change", { bubbles: true }));
}"""

# Until a decay that Python sets is drawn, at rest and so with every line.
_REDRAWN = """async (value) => {
    const root = document.querySelector("[data-test=ice-explorer]");
    globalThis.host.model.set("decay", value);
    await new Promise((resolve) => setTimeout(resolve, 900));
    return Number(root.dataset.drawnLines);
}"""


def observations(n, p):
    """Normal columns; every feature moves the prediction, some by way of others."""
    generator = np.random.default_rng(0)
    return pd.DataFrame(generator.normal(size=(n, p)), columns=[f"feature {z}" for z in range(p)])


def curved(X):
    values = X.to_numpy()
    return np.sin(values).sum(axis=1) + values[:, 0] * values[:, 1]


class Page:
    """An explorer on the page without Jupyter, and the clock of its main thread."""

    def __init__(self, browser, explorer, **traits):
        for name, value in traits.items():
            setattr(explorer, name, value)
        self._host = Host(explorer, BUNDLE)
        self._explorer = explorer
        self.page = browser.new_page(viewport={"width": 1100, "height": 900})
        self.page.goto(self._host.url)
        self.page.locator("body[data-host=ready]").wait_for(state="attached")
        self.page.evaluate("host.show()")
        self.page.locator("[data-test=curves][data-state=ready]").wait_for()
        self.page.wait_for_timeout(500)
        self._session = self.page.context.new_cdp_session(self.page)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy(self):
        """Milliseconds for which the main thread has worked: on script, style and layout, and on all it does."""
        metrics = {one["name"]: 1000 * one["value"] for one in self._session.send("Performance.getMetrics")["metrics"]}
        ours = metrics["ScriptDuration"] + metrics["RecalcStyleDuration"] + metrics["LayoutDuration"]
        return np.array([ours, metrics["TaskDuration"]])

    def work(self, act, turns=STEPS):
        """Milliseconds of work for one turn."""
        spent = {}
        for doing in (act, "idle"):
            before = self.busy()
            self.page.evaluate(_TURNS, [doing, turns])
            spent[doing] = self.busy() - before
        return (spent[act] - spent["idle"]) / turns

    def close(self):
        self.page.close()
        self._host.close()
        self._explorer.close()


@contextmanager
def opened(browser, *args, **traits):
    page = Page(browser, ice.ICEExplorer(*args), **traits)
    try:
        yield page
    finally:
        page.close()


def median_of(call):
    call()  # compiled by then
    return np.median([call() for _ in range(ROUNDS)], axis=0)


# --- what is measured -----------------------------------------------------------------------------


def slider(browser):
    """A step of the slider, 1000 × 100 lines and 30 features, work"""
    with opened(browser, explained(1000, 30), max_lines=1000) as page:
        return median_of(lambda: page.work("slide"))


def hover(browser):
    """A move of the pointer over 1000 × 100 lines, work"""
    with opened(browser, explained(1000, 30), max_lines=1000) as page:
        return median_of(lambda: page.work("hover"))


def every_line(browser):
    """5000 × 100 lines drawn anew, work"""
    n = 5000
    with opened(browser, explained(n, 3), max_lines=n) as page:
        values = iter(np.linspace(0.3, 0.9, ROUNDS + 1).round(2).tolist())

        def draw():
            before = page.busy()
            assert page.page.evaluate(_REDRAWN, next(values)) == n
            return page.busy() - before

        return median_of(draw)


def ranking(browser):
    """A step of the slider with 2000 features, work"""
    X = observations(60, 2000)
    model = LinearRegression().fit(X, curved(X))
    explanation = ice.explain(model, X, grid="quantile", grid_size=10, progress=False)
    with opened(browser, explanation) as page:
        return median_of(lambda: page.work("slide"))


def explained(n, p):
    return ice.explain(curved, observations(n, p), grid="quantile", grid_size=100, progress=False)


def bundle(_browser):
    """The bundle, script alone"""
    return (BUNDLE / "explorer.js").stat().st_size / 1000


MAKE = """\
import time
import numpy as np, pandas as pd
import ice_explorer as ice
X = pd.DataFrame(np.random.default_rng(0).normal(size=(1000, 30)), columns=[f"feature {z}" for z in range(30)])
def model(X):
    return np.sin(X.to_numpy()).sum(axis=1)
# When features are drafted, as the thread that computes has it.
from ice_explorer.widget.background import Background
heard, draft_all = [], Background._draft_all
def told(self, draft):
    def drafted():
        result = draft()
        heard.append((self, time.time()))
        return result
    draft_all(self, drafted)
Background._draft_all = told
e = ice.explain(model, X, grid="quantile", grid_size=100, progress=False)
ice.ICEExplorer(e)"""

SHOW = """\
at = time.time()
x = ice.ICEExplorer(e)
display(x)
print(1000 * at)"""

SLOW = """\
x.close()
def slow(X):
    time.sleep(0.4)
    return model(X)
at = time.time()
x = ice.ICEExplorer(slow, X.iloc[:50, :6], grid="quantile", grid_size=20, method="brute")
display(x)
print(1000 * at)"""

# When something of a new explorer first shows in any output of the notebook, as the system's clock has it.
_WATCH = """(selector) => {
    globalThis.appeared = new Promise((resolve) => {
        const explorer = "[data-test=ice-explorer]";
        const before = new Set(document.querySelectorAll(explorer));
        const look = () => {
            const all = [...document.querySelectorAll(selector)];
            const found = all.filter((node) => !before.has(node.closest(explorer)));
            if (found.some((node) => node.checkVisibility())) resolve(Date.now());
            else requestAnimationFrame(look);
        };
        look();
    });
}"""

_OPENED = """async (feature) => {
    const root = document.querySelector("[data-test=ice-explorer]");
    const start = performance.now();
    root.querySelector(`[data-test=bar][data-feature="${feature}"]`).click();
    while (root.dataset.feature !== feature) await new Promise(requestAnimationFrame);
    return performance.now() - start;
}"""

_BAR = "[data-test=bar]:not([data-pending])"


@contextmanager
def lab(browser):
    """A notebook in JupyterLab with a kernel that has explained, and has shown an explorer once."""
    with tempfile.TemporaryDirectory() as folder, JupyterServer(Path(folder)) as server:
        server.write("bench.ipynb", [MAKE, SHOW, "", ""])
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        notebook = server.open(page, "bench.ipynb")
        notebook.run(0)
        page.locator(_BAR).first.wait_for()
        yield notebook, page
        notebook.shut_down()
        page.close()


def shows(notebook, page, selector, code):
    """Milliseconds from what a cell prints until something appears."""
    notebook.rewrite(1, code)
    page.evaluate(_WATCH, selector)
    notebook.run(1)
    appeared = page.evaluate("appeared")
    return appeared - float(re.findall(r"[\d.]+", notebook.output(1).inner_text())[0])


def in_lab(browser):
    """All that is measured in JupyterLab: one server for it."""
    found = {}
    with lab(browser) as (notebook, page):
        found["first bars"] = median_of(lambda: shows(notebook, page, _BAR, SHOW))
        expect(page.locator("[data-test=curves]").first).to_have_attribute("data-state", "ready")
        features = iter([f"feature {z}" for z in range(29, 29 - ROUNDS - 1, -1)])
        found["open a feature"] = median_of(lambda: page.evaluate(_OPENED, next(features)))
        found["first paint"] = median_of(lambda: shows(notebook, page, "[data-test=ice-explorer]", SLOW))

        def until_bar():
            notebook.rewrite(1, SLOW)
            page.evaluate(_WATCH, _BAR.replace("[data-test", ".jp-Cell:nth-child(2) [data-test"))
            notebook.run(1)
            page.evaluate("appeared")
            return page.evaluate("appeared") - 1000 * float(
                notebook.value(2, "next(at for by, at in heard if by is x._background)")
            )

        found["first bar"] = median_of(until_bar)
    return found


IN_LAB = {
    "first bars": ("In JupyterLab: from `ICEExplorer(e)` to its bars, 1000 × 30, wall time", "300 ms"),
    "open a feature": ("In JupyterLab: from the click on a bar to its 1000 × 100 lines, wall time", "100 ms"),
    "first paint": ("In JupyterLab: from `ICEExplorer(model, X)` of a slow model to the explorer, wall time", ""),
    "first bar": ("In JupyterLab: from the first draft of a slow model to its bar, wall time", ""),
}
ON_A_PAGE = {
    "slider": (slider, "16 ms"),
    "hover": (hover, "2 ms"),
    "every_line": (every_line, "50 ms"),
    "ranking": (ranking, "16 ms"),
    "bundle": (bundle, "150 kB"),
}


def rows(wanted):
    """Title, figure and target of each measurement."""
    comm.create_comm = Wire
    with sync_playwright() as playwright:
        playwright.selectors.set_test_id_attribute("data-test")
        expect.set_options(timeout=60_000)
        browser = playwright.chromium.launch(**launch_options())
        for name, (measure, target) in ON_A_PAGE.items():
            if name in wanted:
                unit = target.split()[1]
                figure, *whole = np.atleast_1d(measure(browser))
                painted = "".join(f" ({one:.3g} {unit} with painting)" for one in whole)
                yield measure.__doc__, f"{figure:.3g} {unit}{painted}", target
        if "lab" in wanted:
            for name, figure in in_lab(browser).items():
                title, target = IN_LAB[name]
                yield title, f"{figure:.3g} ms", target
        browser.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help=f"of {', '.join(ON_A_PAGE)}, lab; all if none is named")
    parser.add_argument("--write", action="store_true", help="write EXPLORER.md")
    arguments = parser.parse_args()
    lines = [
        "# The explorer in Chromium",
        "",
        CAPTION,
        "",
        f"{datetime.now(UTC).date()}, medians of {ROUNDS}; {machine().partition(';')[0]}; no GPU.",
        "",
        "| what | median | target, at most |",
        "| --- | --- | --- |",
    ]
    print("\n".join(lines))
    for row in rows(arguments.names or [*ON_A_PAGE, "lab"]):
        lines.append(f"| {' | '.join(row)} |")
        print(lines[-1], flush=True)
    lines += ["", f"Load of the machine meanwhile: {os.getloadavg()[1]:.1f}; above its cores, wall time is too long."]
    print(lines[-1])
    if arguments.write:
        WRITTEN.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
