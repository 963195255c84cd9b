"""Peak memory of an explanation beyond what its process held before, in a process of its own."""

import ctypes
import json
import re
import sys
from pathlib import Path

from measuring import in_new_process, ours
from workloads import load

TITLE = "Memory"
CAPTION = (
    "Highest resident memory while explaining (every metric, 101 decays) less what the process held before, in a "
    "process of its own with compiled kernels loaded. What was freed before is handed back to the system first, so "
    "that it is not counted as held. Linux only. Target: at most 200 MB for 100 000 × 50."
)
HEAD = ["workload", "table and model", "extra at the peak", "kept by the explanation"]
WORKLOADS = ["cervical_forest", "house_forest", "house_histogram_boosting", "wide_lightgbm", "wide_xgboost"]


def resident(name):
    """Megabytes: VmRSS now, VmHWM at the peak."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.search(rf"^{name}:\s*(\d+) kB", status, re.MULTILINE)[1]) / 1000


def held():
    """Megabytes that are in use, what was freed being handed back to the system first."""
    ctypes.CDLL(None).malloc_trim(0)
    return resident("VmRSS")


def measure(name, share, *, every_value):
    """Megabytes of table and model, beyond them at the peak, and beyond them once explained."""
    import numpy as np

    start = resident("VmRSS")
    work = load(name, share)
    options = {"grid": "observed", "grid_size": len(work.X)} if every_value else work.options
    few = np.linspace(0, len(work.X) - 1, 200).astype(int)
    ours(work.X.iloc[few] if hasattr(work.X, "iloc") else work.X[few], work.model, work.options)
    before = held()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak starts anew
    explanation = ours(work.X, work.model, options)
    extra = resident("VmHWM") - before
    kept = held() - before
    del explanation
    return {"held": before - start, "extra": extra, "kept": kept}


def row(name, options, *, every_value=False):
    """One line of the table."""
    found = in_new_process(__file__, name, options.share, int(every_value))
    text = load(name, options.share).text
    return [
        f"{text.rsplit(',', 1)[0]}, every observed value" if every_value else text,
        f"{found['held']:.0f} MB",
        f"{found['extra']:.0f} MB",
        f"{found['kept']:.0f} MB",
    ]


def rows(options):
    """Yield the lines of the table."""
    for name in WORKLOADS:
        if not options.names or name in options.names:
            load(name, options.share)  # fits it, outside of the process that is measured
            yield row(name, options)
            if name == "wide_lightgbm":
                yield row(name, options, every_value=True)


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], float(sys.argv[2]), every_value=sys.argv[3] == "1")))
