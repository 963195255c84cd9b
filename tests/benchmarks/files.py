"""Times and weighs the files that an explanation is saved to, beside matplotlib drawing the same lines.

Every suffix and every `what` that `save` knows has its row, so that a new format appears automatically.
Each is written once, which computes and keeps the lines, and then timed; matplotlib is timed in turns with it.

Run it as `python tests/benchmarks/files.py --write`, which writes FILES.md.
"""

import argparse
import os
import tempfile
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from measuring import interleaved, machine, taken

import ice_explorer as ice
from ice_explorer.export.save import SUFFIXES

WRITTEN = Path(__file__).parent / "FILES.md"
ROUNDS = 3
N_LINES, N_POINTS = 1000, 100
N_FEATURES = (10, 30)
WORDS = ("view", "panel", "all")
OF_PEER = (".svg", ".png", ".pdf")
INCHES = 120 / 25.4
DPI = 300
CAPTION = (
    "Written by `files.py --write`. Processor time of `explanation.save(path, what)` with its usual options, the lines "
    f"computed already; {N_LINES} × {N_POINTS} lines of each feature. matplotlib draws the lines of one feature as a "
    "LineCollection, translucent, on axes as wide as a panel, and nothing else."
)


def explanation(n_features):
    """Lines that bend and cross, of a model that costs nothing."""
    X = np.random.default_rng(0).normal(size=(N_LINES, n_features))
    weights = np.linspace(1, 2, n_features)

    def model(rows):
        return np.tanh(rows * weights).sum(axis=1) + rows[:, 0] * rows[:, 1] + np.sin(rows[:, -1])

    return ice.explain(model, X, grid="uniform", grid_size=N_POINTS, progress=False)


def ours(e, folder, suffix, what):
    """Write one file; return its bytes."""
    return e.save(folder / f"{what}{suffix}", what, overwrite=True).stat().st_size


def with_matplotlib(curves, grid, folder, suffix):
    """Draw the same lines as anybody would who has matplotlib; return the bytes."""
    figure = Figure(figsize=(INCHES, 0.6 * INCHES))
    ax = figure.add_subplot()
    paths = np.stack([np.broadcast_to(grid, curves.shape), curves], axis=2)
    ax.add_collection(LineCollection(paths, colors="#3f6d9b", linewidths=0.5, alpha=0.1))
    ax.autoscale()
    file = folder / f"peer{suffix}"
    figure.savefig(file, dpi=DPI)
    return file.stat().st_size


def rows(n_features):
    """What is written, its size, its seconds and those of matplotlib."""
    e = explanation(n_features)
    first = next(iter(e.values()))
    # 30 features are for what carries all of them.
    suffixes = SUFFIXES if n_features == N_FEATURES[0] else [suffix for suffix in SUFFIXES if suffix == ".html"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for suffix in suffixes:
            for what in WORDS:
                try:
                    _, size = taken(partial(ours, e, folder, suffix, what))
                except ValueError as error:
                    yield f"{suffix} {what}", f"not written: {str(error).partition('.')[0]}", "", "", ""
                    continue
                calls = {"ours": partial(ours, e, folder, suffix, what)}
                peer = what == "panel" and suffix in OF_PEER
                if peer:
                    calls["peer"] = partial(with_matplotlib, first.curves, first.axis, folder, suffix)
                found = interleaved(calls, ROUNDS)
                beside = ("", "")
                if peer:
                    beside = f"{weight(calls['peer']())}", f"{found['peer']:.2f} s"
                yield f"{suffix} {what}, {n_features} features", weight(size), f"{found['ours']:.2f} s", *beside


def weight(size):
    """Bytes as a reader has them."""
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write FILES.md")
    arguments = parser.parse_args()
    lines = [
        "# Files",
        "",
        CAPTION,
        "",
        f"{datetime.now(UTC).date()}, medians of {ROUNDS}; {machine().partition(';')[0]}.",
        "",
        "| file | size | time | matplotlib: size | time |",
        "| --- | --- | --- | --- | --- |",
    ]
    print("\n".join(lines))
    for n_features in N_FEATURES:
        for row in rows(n_features):
            lines.append(f"| {' | '.join(row)} |")
            print(lines[-1], flush=True)
    lines += ["", f"Load of the machine meanwhile: {os.getloadavg()[1]:.1f}; above its cores, caches are shared."]
    print(lines[-1])
    if arguments.write:
        WRITTEN.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
