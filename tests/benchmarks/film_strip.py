"""Takes five pictures of an explorer in JupyterLab, from its first bars until it is exact, and puts them side by side.

`python tests/benchmarks/film_strip.py` does so for a wide table, 1500 × 2000, and a tall one, 1,000,000 × 50. Each
strip goes into `build/film-strip`, with the seconds since the cell was run above each picture. The times are printed:
until the constructor returned, and until there were first bars, bars of all features in view, curves, and the exact
result.
`--rows N --columns N` and one of `wide` and `tall` try it out on a smaller table. The package, the model and the table
are in the kernel before.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import matplotlib as mpl
from browser.conftest import launch_options
from browser.jupyter import JupyterServer
from measuring import features, machine
from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import expect, sync_playwright
from workloads import load

HERE = Path(__file__).parent
STRIPS = HERE.parents[1] / "build" / "film-strip"
N_PICTURES = 5
_AT_MOST = 600.0  # seconds until it is exact
_GAP, _HEAD, _LETTERS = 16, 48, 26  # pixels
_BETWEEN = 1.05  # each picture is taken so many times later than the one before, or as soon as can be

CASES = {"wide": {"rows": 1500, "columns": 2000}, "tall": {"rows": 1_000_000, "columns": 50}}
SHARES = {
    "wide": ("wide_extremely_random_trees", lambda size: size["columns"] / 2000),
    "tall": ("wide_lightgbm", lambda size: min(1.0, size["rows"] / 100_000)),
}

READ = """\
import sys, time
sys.path.insert(0, {folder!r})
import ice_explorer as ice
from workloads import load, wide
work = load({name!r}, {share!r})
X = work.X[:{rows}] if {is_wide!r} else wide({rows})[0]
import runpy
runpy.run_path({folder!r} + "/../tools/compile_kernels.py")"""

SHOW = """\
start = time.time()
x = ice.ICEExplorer(work.model, X, **work.options)
constructed = time.time() - start
x"""

# Notes, by the system's clock, when the explorer and its parts are first there.
_WATCH = """() => {
    const seen = {};
    globalThis.film = seen;
    const note = (what, is) => { if (is && !(what in seen)) seen[what] = Date.now(); };
    const look = () => {
        const root = document.querySelector("[data-test=ice-explorer]");
        const bars = [...document.querySelectorAll("[data-test=bar]")].filter((bar) => bar.checkVisibility());
        const n_known = bars.filter((bar) => !("pending" in bar.dataset)).length;
        note("explorer", root);
        note("first bars", n_known > 0);
        note("all bars in view", n_known > 0 && n_known === bars.length);
        note("first curves", root?.querySelector("[data-test=curves][data-state=ready]"));
        note("exact", root?.dataset.status === "ready");
        if (!("exact" in seen)) requestAnimationFrame(look);
    };
    look();
}"""


def filmed(page, notebook):
    """Run the cell of the explorer; return pictures by their seconds since then, and the times of what was seen."""
    page.evaluate(_WATCH)
    start = page.evaluate("Date.now()")
    notebook.run(1, wait=False)
    page.wait_for_function("film['first bars']", timeout=1000 * _AT_MOST)
    shown, pictures, due = notebook.explorer(1), {}, 0.0
    while True:
        is_exact = page.evaluate("'exact' in film")
        if is_exact:
            shown.locator("[data-test=curves][data-state=ready]").wait_for()
        seconds = (page.evaluate("Date.now()") - start) / 1000
        if is_exact or seconds >= due:
            pictures[seconds] = page.screenshot(clip=shown.bounding_box())
            due = _BETWEEN * seconds
        if is_exact:
            break
        page.wait_for_timeout(20)
    seen = {what: (at - start) / 1000 for what, at in page.evaluate("film").items()}
    return pictures, {"constructor": float(notebook.value(2, "constructed")), **seen}


def chosen(pictures):
    """Choose the first picture, the last one, and those between that lie evenly on a scale of ratios."""
    times = sorted(pictures)
    first, last = times[0], times[-1]
    wanted = [first * (last / first) ** (at / (N_PICTURES - 1)) for at in range(N_PICTURES)]
    found = [first]
    for time in wanted[1:-1]:
        later = [each for each in times[:-1] if each > found[-1]]
        found += [min(later, key=lambda each: abs(each - time))] if later else []
    return [*found, last]


def strip(pictures, exact, title):
    """Put pictures side by side, with their seconds above; the last one is exact since some time."""
    frames = {seconds: Image.open(io.BytesIO(content)).convert("RGB") for seconds, content in pictures.items()}
    width = sum(frame.width + _GAP for frame in frames.values()) + _GAP
    height = max(frame.height for frame in frames.values()) + 2 * _HEAD + _GAP
    whole = Image.new("RGB", (width, height), "white")
    letters = ImageFont.truetype(str(Path(mpl.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"), _LETTERS)
    draw = ImageDraw.Draw(whole)
    draw.text((_GAP, 10), title, fill="black", font=letters)
    left = _GAP
    for seconds, frame in frames.items():
        label = f"{seconds:.1f} s" + (f", exact since {exact:.1f} s" if seconds == max(frames) else "")
        draw.text((left, _HEAD + 10), label, fill="black", font=letters)
        whole.paste(frame, (left, 2 * _HEAD))
        left += frame.width + _GAP
    return whole


def film(browser, case, size):
    """Open a notebook, film its explorer, save the strip and print the times."""
    name, share = SHARES[case][0], SHARES[case][1](size)
    model = load(name, share).model  # fitted outside of the kernel
    read = READ.format(folder=str(HERE), name=name, share=share, rows=size["rows"], is_wide=case == "wide")
    title = f"{size['rows']:,} × {size['columns']:,}, {type(model).__name__} of {model.n_estimators} trees"
    with tempfile.TemporaryDirectory() as folder, JupyterServer(Path(folder)) as server:
        server.write("film.ipynb", [read, SHOW, ""])
        page = browser.new_page(viewport={"width": 1000, "height": 1500})
        notebook = server.open(page, "film.ipynb")
        page.keyboard.press("Control+b")  # the file browser
        notebook.run(0)
        pictures, seen = filmed(page, notebook)
        notebook.shut_down()
        page.close()
    STRIPS.mkdir(parents=True, exist_ok=True)
    file = STRIPS / f"{case}.png"
    strip({seconds: pictures[seconds] for seconds in chosen(pictures)}, seen["exact"], title).save(file)
    print(f"{title}: " + ", ".join(f"{what} {seconds:.2f} s" for what, seconds in seen.items()))
    print(f"{file}, {len(pictures)} pictures, load of the machine {os.getloadavg()[0]:.1f}", flush=True)


def main():
    """Film the cases."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cases", nargs="*", help=" or ".join(CASES))
    parser.add_argument("--rows", type=int)
    parser.add_argument("--columns", type=int, help="of the wide table")
    options = parser.parse_args()
    print(f"{machine()}. {features()}")
    with sync_playwright() as playwright:
        playwright.selectors.set_test_id_attribute("data-test")
        expect.set_options(timeout=60_000)
        browser = playwright.chromium.launch(**launch_options())
        for case in options.cases or CASES:
            size = CASES[case] | ({"rows": options.rows} if options.rows else {})
            film(browser, case, size | ({"columns": options.columns} if options.columns else {}))
        browser.close()


if __name__ == "__main__":
    main()
