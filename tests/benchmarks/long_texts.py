"""What long texts cost: extra processor seconds of each way to show or save an explanation, over those of short texts.

Each case has its long texts in one place: levels of a column, the name of a column, the names of all columns, classes,
row labels. The same is done with texts of 8 letters, and the difference is shown.

Run it as `python tests/benchmarks/long_texts.py`.
"""

import argparse
import os
import tempfile
from functools import partial
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from measuring import interleaved

import ice_explorer as ice
from ice_explorer.wire.colors import colors_of
from ice_explorer.wire.lines import curves_of
from ice_explorer.wire.messages import parse_request
from ice_explorer.wire.rows import drivers_of, rows_of

SHORT = 8
N_ROWS, N_LEVELS, N_WIDE = 100, 12, 1_000
BUDGET = 0.2
ROUNDS = 3


def text(number, length):
    """A text like a review, which differs from the others at its beginning."""
    words = f"{number} " + "the room was clean and the staff friendly but the street is loud at night " * (
        length // 75 + 1
    )
    return words[:length].strip().ljust(length, ".")


def alike(number, length):
    """A text that differs from the others at its end only."""
    return text(0, length - 5) + f"{number:05d}"


def frame(length, *, place):
    """Numbers and levels, with the long texts in one place."""
    rng = np.random.default_rng(0)
    n_columns = N_WIDE if place.endswith("names of all columns") else 5
    X = pd.DataFrame(rng.normal(size=(N_ROWS, n_columns)), columns=[f"x{at}" for at in range(n_columns)])
    write = alike if place.startswith("alike") else text
    if place.endswith("levels"):
        X["x1"] = np.array([write(at, length) for at in range(N_LEVELS)])[rng.integers(N_LEVELS, size=N_ROWS)]
        X["x1"] = X["x1"].astype("str" if place == "levels" else "category")
    elif place == "name of a column":
        X = X.rename(columns={"x1": write(1, length)})
    elif place.endswith("names of all columns"):
        X.columns = [write(at, length) for at in range(n_columns)]
    elif place == "row labels":
        X.index = pd.Index([write(at, length) for at in range(N_ROWS)])
    return X


def model(rows):
    """Any model: the levels count by what their first letters hash to."""
    total = rows.iloc[:, 0].to_numpy() * rows.iloc[:, 2].to_numpy() + rows.iloc[:, 3].to_numpy()
    codes = rows.iloc[:, 1]
    if codes.dtype.kind != "f":
        codes = codes.astype(object).map(
            lambda level: len(level) + int(level[-1]) if level[-1].isdigit() else ord(level[0])
        )
    return total + codes.to_numpy(dtype=float) * rows.iloc[:, 4].to_numpy()


class Classifier:
    """Three classes of long names."""

    def __init__(self, length):
        self.classes_ = np.array([text(at, length) for at in range(3)], dtype=object)

    def predict_proba(self, rows):
        scores = np.exp(np.column_stack([rows.iloc[:, 0], rows.iloc[:, 1], rows.iloc[:, 2]]))
        return scores / scores.sum(axis=1, keepdims=True)

    def predict(self, rows):
        return self.classes_[self.predict_proba(rows).argmax(axis=1)]


def opened(X, length, place):
    """An explorer, ready; the long text is open, or what curves are coloured by."""
    fitted, y = model, None
    if place == "classes":
        fitted = Classifier(length)
        y = fitted.predict(X)
    options = {"features": [0, 1, 2, 3, 4]} if place.endswith("names of all columns") else {}
    x = ice.ICEExplorer(fitted, X, y, grid_size=20, **options)
    x.explanation  # noqa: B018 - waits
    x.feature, x.color_by = 1, 1
    return x


def requested(x):
    """Have every question of the browser answered; return the letters sent."""
    work = x._work
    feature = x.explanation[1]
    column = work.known._column(1)
    positions = list(range(N_ROWS))
    bodies = [
        curves_of(work.known, feature, 1000, [], work.target)[0],
        colors_of(column, positions)[0],
        rows_of(work.known, positions[:1]),
        drivers_of(feature, feature._search_drivers()),
        x._header,
    ]
    parse_request({"id": "1", "type": "colors", "column": x.color_by, "positions": []})
    return sum(len(repr(body)) for body in bodies)


def plotted(e):
    """Draw everything that matplotlib does."""
    e.plot(1, color_by=1).figure.canvas.draw()
    e.plot_impact().figure.canvas.draw()
    e.plot_all(max_lines=50).canvas.draw()
    plt.close("all")


def summarized(x):
    """Everything that is text: tables, rules, notes, lines of code."""
    e = x.explanation
    found = [repr(x), repr(e), repr(e[1]), str(e.notes), e.table().to_string(), repr(x.state())]
    rules = e.drivers(0)
    found += [str(rules), repr(rules)]
    for misspelt in ("x0x", e[1].label[:-1]):
        try:
            e[misspelt]
        except KeyError as error:
            found.append(str(error))
    return sum(map(len, found))


def ways(folder, length, place):
    """Everything that is done with texts, by name."""
    X = frame(length, place=place)
    x = opened(X, length, place)
    e = x.explanation

    def save(suffix, what):
        return x.save(folder / f"{what}{suffix}", what, overwrite=True).stat().st_size

    yield "open", partial(opened, X, length, place)
    yield "messages", partial(requested, x)
    yield "display", lambda: x._repr_mimebundle_() and None
    for suffix in (".svg", ".png", ".pdf", ".html", ".csv", ".json", ".parquet"):
        yield f"save {suffix}", partial(save, suffix, "view")
    yield "save all.csv", partial(save, ".csv", "all")
    yield "freeze", lambda: len(x.freeze()._repr_html_())
    yield "plots", partial(plotted, e)
    yield "text", partial(summarized, x)
    x.close()


def measured(length, place, rounds=ROUNDS):
    """Each way with its seconds and sizes for short texts and for long ones, which take turns."""
    with tempfile.TemporaryDirectory() as name:
        short, long = ways(Path(name), SHORT, place), ways(Path(name), length, place)
        for (way, few), (_, many) in zip(short, long, strict=True):
            found = interleaved({"few": few, "many": many}, rounds)
            sizes = few(), many()
            for size in sizes:
                if isinstance(size, ice.ICEExplorer):
                    size.close()
            yield way, found, [size if isinstance(size, int) else "" for size in sizes]


CASES = {
    "levels": (600, 2_000, 100_000),
    "alike levels": (600, 2_000, 100_000),
    "name of a column": (600, 10_000, 100_000),
    "names of all columns": (600, 10_000),
    "alike names of all columns": (600, 10_000),
    "classes": (2_000, 100_000),
    "row labels": (2_000, 100_000),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--case", choices=CASES, action="append", help="one of the places, instead of all")
    parser.add_argument("--length", type=int, action="append", help="letters, instead of the usual ones")
    arguments = parser.parse_args()
    mpl.use("agg")
    print(f"| where | letters | way | seconds with {SHORT} letters | more | size with {SHORT} letters | size |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for place in arguments.case or CASES:
        for length in arguments.length or CASES[place]:
            for way, found, (small, size) in measured(length, place):
                more = found["many"] - found["few"]
                mark = " (!)" if more > BUDGET else ""
                print(
                    f"| {place} | {length:,} | {way} | {found['few']:.3f} | {more:+.3f}{mark} | {small} | {size} |",
                    flush=True,
                )
    print(f"\nLoad of the machine: {os.getloadavg()[0]:.1f}.")


if __name__ == "__main__":
    main()
