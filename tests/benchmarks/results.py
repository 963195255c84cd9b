"""Measures every method, part by part, and writes the tables down.

`python tests/benchmarks/results.py short|long|PART … [--write]` runs the parts of `make bench`, those of
`make bench BENCH=long`, or those named. Each part runs in a process of its own in which the libraries have one thread.
`--names` picks workloads, `--before CHECKOUT` times another checkout in turn with this one, `--quick` tries
everything out on little data, in one process. `--write` replaces the sections of RESULTS.md that were run.
"""

import argparse
import importlib
import re
import subprocess
import sys
import time
import warnings
from pathlib import Path

from measuring import features, machine, pinned
from turns import versions

RESULTS = Path(__file__).with_name("RESULTS.md")
SETS = {
    "short": ["engines", "shapes", "never_slower"],
    "long": ["libraries", "two_threads", "growth", "every_value", "tall", "memory"],
}
PARTS = [part for parts in SETS.values() for part in parts]
INTRODUCTION = (
    "# Engines against their peers\n\nThe first sections are written by `make bench`, those from Other libraries on by "
    "`make bench BENCH=long`; one alone by `python tests/benchmarks/results.py PART --write`.\n"
)


def arguments():
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("parts", nargs="+", metavar="part", help=", ".join([*SETS, *PARTS]))
    parser.add_argument("--names", nargs="*", default=[], help="workloads, or factors of growth")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--before", type=Path, help="another checkout, to be timed in turn with this one")
    parser.add_argument("--quick", action="store_true", help="little data and one round, to try it out")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--here", help=argparse.SUPPRESS)  # the part whose process this is
    options = parser.parse_args()
    options.parts = [part for name in options.parts for part in SETS.get(name, [name])]
    options.share = 1.0
    if options.quick:
        options.share, options.rounds = 0.01, 1
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"parts are {', '.join(PARTS)}; got {', '.join(sorted(unknown))}")
    if options.write and (options.names or options.quick):
        parser.error("only whole parts at full size are written down")
    return options


def run_here(part, options):
    """Print the section of a part, line by line."""
    module = importlib.import_module(part)
    print(f"## {module.TITLE}\n\n{module.CAPTION}\n", flush=True)
    if options.quick:
        print(f"Rows, trees and columns of the wide table are {100 * options.share:g} % of those that are named.\n")
    print(f"{time.strftime('%Y-%m-%d')}, medians of {options.rounds}; {machine()}. {features()}\n", flush=True)
    print(_line(module.HEAD))
    print(_line(["---"] * len(module.HEAD)), flush=True)
    for row in module.rows(options):
        print(_line(row), flush=True)


def _line(cells):
    return f"| {' | '.join(map(str, cells))} |"


def section(part):
    """Run a part in a process of its own; return what it printed."""
    command = [sys.executable, *sys.orig_argv[1:], "--here", part]
    printed = []
    with subprocess.Popen(command, env=pinned(1), stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            printed.append(line)
    if process.returncode:
        raise SystemExit(process.returncode)
    return "".join(printed)


def write(section_):
    """Put a section in the place of the one of the same title, in the order of the parts."""
    old = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    found = dict(re.findall(r"^(## .*?)\n(.*?)(?=^## |\Z)", old, re.DOTALL | re.MULTILINE))
    title, text = section_.split("\n", 1)
    found[title] = text
    titles = [f"## {importlib.import_module(part).TITLE}" for part in PARTS]
    body = "\n".join(f"{title}\n\n{found[title].strip()}\n" for title in titles if title in found)
    RESULTS.write_text(f"{INTRODUCTION}\n{body}", encoding="utf-8")


def main():
    """Run the parts."""
    options = arguments()
    if options.here or options.quick:
        warnings.simplefilter("ignore")
        with versions(options) as options.processes:
            for part in [options.here] if options.here else options.parts:
                run_here(part, options)
        return
    for part in options.parts:
        start = time.perf_counter()
        printed = section(part)
        print(f"\n{part}: {time.perf_counter() - start:.0f} s\n", flush=True)
        if options.write:
            write(printed)


if __name__ == "__main__":
    main()
