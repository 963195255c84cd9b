"""A process that measures one thing each time it is asked, so that two versions of the package can take turns.

Run as a script it reads lines of JSON, [what, workload, share, arguments], and answers each with a line of JSON.
The package that it measures is that of its PYTHONPATH.
"""

import ctypes
import json
import os
import re
import statistics
import subprocess
import sys
import threading
import time
import warnings
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest import mock

import numpy as np

ROOT = Path(__file__).parents[2]


class Turns:
    """A process that measures a version of the package.

    Parameters
    ----------
    checkout : Path
        Its `src` is measured; the workloads are those beside this file.
    threads : int
        Threads of the libraries.
    """

    def __init__(self, checkout=ROOT, threads=1):
        self._checkout, self._threads = checkout, threads
        self._process = None  # until something is measured

    def _start(self):
        from measuring import pinned

        environment = pinned(self._threads) | {"PYTHONPATH": str(Path(self._checkout).resolve() / "src")}
        return subprocess.Popen(
            [sys.executable, __file__], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def take(self, what, name, share=1.0, **arguments):
        """Measure a workload: the function `what` of this module, called with the workload and the arguments."""
        self._process = self._process or self._start()
        self._process.stdin.write(json.dumps([what, name, share, arguments]) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{what} of {name} failed.")
        return json.loads(line)

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        if self._process is not None:
            self._process.stdin.close()
            self._process.stdout.close()
            self._process.wait()


def in_turn(calls, rounds):
    """Medians of what calls return, by name: of numbers, or of dicts of numbers.

    The calls take turns, so that a change of the machine's speed falls on all; what takes long is not repeated.
    """
    from measuring import LONG, taken

    found, seconds = {name: [] for name in calls}, dict.fromkeys(calls, 0.0)
    for round_ in range(rounds):
        for name in calls if round_ % 2 else reversed(calls):
            if seconds[name] < LONG:
                seconds[name], measured = taken(calls[name], time.perf_counter)
                found[name].append(measured)
    return {name: _median(of_name) for name, of_name in found.items()}


def _median(found):
    if isinstance(found[0], dict):
        return {key: statistics.median(one[key] for one in found) for key in found[0]}
    return statistics.median(found)


def checkouts(options):
    """The checkouts that are compared, by name: the version before, where one is named, and this one."""
    return {"before": options.before, "ours": ROOT} if options.before else {"ours": ROOT}


@contextmanager
def versions(options):
    """Yield a process for each checkout that is compared, by name."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(Turns(checkout)) for name, checkout in checkouts(options).items()}


# --- what is measured -----------------------------------------------------------------------------


def warm(work):
    """Compile and import what the others need."""
    from measuring import ours

    few = work.X[:300] if not hasattr(work.X, "iloc") else work.X.iloc[:300]
    ours(few, work.model, {name: value for name, value in work.options.items() if name != "sample"})
    return 0.0


def everything(work, n_jobs=1, *, every_value=False):
    """Processor and wall seconds of everything: reading the model, grids, every metric, 101 decays; and grid values."""
    from measuring import grids_of, n_values, ours

    processor, wall = time.process_time(), time.perf_counter()
    explanation = ours(work.X, work.model, _options(work, every_value), n_jobs)
    took = {"processor": time.process_time() - processor, "wall": time.perf_counter() - wall}
    return {**took, "values": n_values(grids_of(explanation))}


def _options(work, every_value):
    """How a workload is explained: by default, or at every observed value without a cap."""
    return {"grid": "observed", "grid_size": len(work.X)} if every_value else work.options


def table(work):
    """Processor seconds of `explain` and its table."""
    from measuring import as_of_then

    import ice_explorer as ice

    start = time.process_time()
    ice.explain(work.model, work.X, progress=False, **as_of_then(work.options)).table()
    return time.process_time() - start


def explorer(work):
    """Wall seconds of the constructor of an explorer, and until its first bar, all bars and the exact result."""
    import comm
    from kernel_end import Wire

    from ice_explorer.widget.explorer import ICEExplorer

    options = {name: value for name, value in work.options.items() if name != "method"}
    with mock.patch.object(comm, "create_comm", Wire):
        start = time.perf_counter()
        shown = ICEExplorer(work.model, work.X, **options)
    found = {"constructor": time.perf_counter() - start}
    exact = threading.Thread(target=lambda: shown.explanation and found.update(exact=time.perf_counter() - start))
    exact.start()
    while exact.is_alive() and "all bars" not in found:
        impact = np.frombuffer(shown._impact, "<f4")
        bars = np.isfinite(impact.reshape(work.X.shape[1], -1)[:, 0]) if len(impact) else np.zeros(1, bool)
        if bars.any():
            found.setdefault("first bar", time.perf_counter() - start)
        if bars.all():
            found["all bars"] = time.perf_counter() - start
        time.sleep(0.005)
    exact.join()
    shown.close()
    return {"first bar": found["exact"], "all bars": found["exact"], **found}


def sklearn(work):
    """Processor seconds of scikit-learn on a few features and values, and scaled to all values; values of ours."""
    from measuring import n_values
    from peers import ScikitLearn, few_of

    grids = _loaded.grids()
    few = few_of(grids)
    start = time.process_time()
    ScikitLearn().run(work, few)
    seconds = time.process_time() - start
    return {"timed": seconds, "scaled": seconds / n_values(few) * n_values(grids), "values": n_values(grids)}


def peak(work, n_rows=None, n_jobs=1, *, every_value=False):
    """Seconds of everything, and megabytes: of X, beyond all that was held before at the peak, and kept.

    - `n_rows`: of a table like the one that `wide_lightgbm` was fitted on; by default the workload's own.
    """
    from measuring import ours
    from workloads import wide

    warm(work)
    X = work.X if n_rows is None else wide(n_rows)[0]
    options = _options(work, every_value)
    ctypes.CDLL(None).malloc_trim(0)  # what was freed is not held
    before = _resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak starts anew
    processor, wall = time.process_time(), time.perf_counter()
    explanation = ours(X, work.model, options, n_jobs)
    found = {"processor": time.process_time() - processor, "wall": time.perf_counter() - wall}
    extra = _resident("VmHWM") - before
    ctypes.CDLL(None).malloc_trim(0)
    kept = _resident("VmRSS") - before
    of_table = X.nbytes if isinstance(X, np.ndarray) else X.memory_usage().sum()
    del explanation
    return {**found, "extra": extra, "kept": kept, "X": of_table / 1e6}


def _resident(name):
    """Megabytes: VmRSS now, VmHWM at the peak."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.search(rf"^{name}:\s*(\d+) kB", status, re.MULTILINE)[1]) / 1000


class _Loaded:
    """The workload of the last question, and the values at which it is explained."""

    _key = _work = _grids = None

    def work(self, name, share):
        """Read a workload, unless it is there."""
        from workloads import load

        if self._key != (name, share):
            self._key, self._work, self._grids = (name, share), None, None  # released before the next one is read
            self._work = load(name, share)
        return self._work

    def grids(self):
        """Values of each feature."""
        from measuring import grids_of

        import ice_explorer as ice

        if self._grids is None:
            work = self._work
            self._grids = grids_of(ice.explain(work.model, work.X, progress=False, **work.options))
        return self._grids


_loaded = _Loaded()


def main():
    """Answer questions until there are none."""
    import ice_explorer

    if not Path(ice_explorer.__file__).is_relative_to(os.environ["PYTHONPATH"]):
        raise SystemExit(f"{ice_explorer.__file__} is not the package of {os.environ['PYTHONPATH']}.")
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(ROOT / "tests"))
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    for line in sys.stdin:
        what, name, share, more = json.loads(line)
        answers.write(json.dumps(globals()[what](_loaded.work(name, share), **more)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
