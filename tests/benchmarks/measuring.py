"""Clocks, turns and processes of their own: how everything here is measured."""

import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from inspect import signature
from pathlib import Path

import numpy as np

import ice_explorer as ice

DECAYS = np.linspace(0.01, 1.0, 101)
LONG = 10.0
THREADS = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "LOKY_MAX_CPU_COUNT"]
PACKAGES = [
    "numpy", "pandas", "scikit-learn", "numba", "xgboost-cpu", "lightgbm", "treelite", "pdpilot", "effector",
    "woodelf-explainer",
]  # fmt: skip

_VECTORS = ["avx2", "fma", "bmi2", "avx512f", "avx512vl", "avx512vbmi2", "neon", "sve", "sve2"]


def ours(X, model, options, n_jobs=1):
    """Everything, from the model to 101 decays."""
    explanation = ice.explain(model, X, progress=False, n_jobs=n_jobs, **as_of_then(options))
    explanation.table()
    getattr(explanation, "decay_profile", explanation.table)(DECAYS)  # the version before may have the old name
    return explanation


def as_of_then(options):
    """Options under the names of the version that is timed: `method` was called `engine`."""
    is_new = "method" in signature(ice.explain).parameters
    return options if is_new else {"engine" if name == "method" else name: of for name, of in options.items()}


def grids_of(explanation):
    """Values at which each feature is evaluated."""
    return {one.feature: one.grid for one in explanation.values()}


def named(choices, options):
    """Return those of some choices that `--names` picks; all where it picks none."""
    return [choice for choice in choices if not options.names or str(choice) in options.names]


def n_values(grids):
    """Values of all features together."""
    return sum(map(len, grids.values()))


def taken(function, clock=time.process_time):
    """Seconds of one call, and what it returned; processor seconds do not count other work on the machine."""
    start = clock()
    result = function()
    return clock() - start, result


def interleaved(calls, rounds, clock=time.process_time, long=LONG):
    """Median seconds of each call; they take turns, so that a change of the machine's speed falls on all.

    What takes `long` seconds is not repeated.
    """
    seconds = {name: [] for name in calls}
    for round_ in range(rounds):
        for name in calls if round_ % 2 else reversed(calls):
            if max(seconds[name], default=0.0) < long:
                seconds[name].append(taken(calls[name], clock)[0])
    return {name: statistics.median(of_name) for name, of_name in seconds.items()}


def pinned(threads):
    """Environment in which the libraries have so many threads."""
    return os.environ | dict.fromkeys(THREADS, str(threads))


def in_new_process(script, *arguments, threads=1):
    """What a script prints as JSON."""
    command = [sys.executable, script, *map(str, arguments)]
    return json.loads(subprocess.run(command, env=pinned(threads), check=True, stdout=subprocess.PIPE).stdout)


def machine():
    """Processor and versions, in one line."""
    cpuinfo = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", cpuinfo.read_text(encoding="utf-8")) if cpuinfo.exists() else None
    processor = found[1] if found else platform.processor() or platform.machine()
    return f"{processor}, {os.cpu_count()} cores, Python {platform.python_version()}; {', '.join(_versions())}"


def features():
    """Features of the processor that compiled code uses, in two sentences."""
    import llvmlite.binding as llvm
    from numba.core import config

    has = llvm.get_host_cpu_features()
    name, chosen = config.CPU_NAME or llvm.get_host_cpu_name(), config.CPU_FEATURES
    vectors = chosen or ", ".join(one for one in _VECTORS if has.get(one)) or "no vectors that are named here"
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    of_numpy = ", ".join([*simd.get("baseline", []), *simd.get("found", [])])
    return f"numba compiles for {name} ({vectors}); NumPy uses {of_numpy}."


def _versions():
    for package in PACKAGES:
        try:
            yield f"{package} {version(package)}"
        except PackageNotFoundError:
            yield f"{package} not installed"
