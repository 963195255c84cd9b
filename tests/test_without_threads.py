"""Python inside a browser, as JupyterLite has it: no threads or processes, no numba, indices of 32 bits."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

# What makes this Python such a one: an import system that finds less, threads that do not start, and narrow indices.
_PREPARE = """
import errno, os, subprocess, sys, threading, multiprocessing.process, warnings

os.environ["LOKY_MAX_CPU_COUNT"] = "1"  # scikit-learn built without OpenMP does not count processors
warnings.simplefilter("error")
warnings.filterwarnings("ignore", "Deprecated in traitlets 4.1", DeprecationWarning)  # ipywidgets before 8.1.2
MISSING = {missing!r}

class Without:
    def __init__(self, finder):
        self.finder = finder
    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in MISSING else self.finder.find_spec(name, path, target)
    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]

def refuse(*_arguments, **_options):
    raise RuntimeError("can't start new thread")

def refuse_process(*_arguments, **_options):
    raise OSError(errno.ENOTSUP, "emscripten does not support processes.")

threading.Thread.start = refuse
multiprocessing.process.BaseProcess.start = refuse
subprocess.Popen.__init__ = refuse_process
sys.path.insert(0, {tests!r})
import narrow
narrow.install()
"""

_EXPLAIN = """
import json
import ice_explorer as ice
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True)
model = RandomForestRegressor(n_estimators=5, random_state=0).fit(X, y)
"""

_COMPILED = {
    "catboost", "bqplot", "lightgbm", "llvmlite", "numba", "polars", "pyarrow", "statsmodels",
    "torch", "xgboost",
}  # fmt: skip


def run(code):
    """Run code in such a Python and return what it printed."""
    script = _PREPARE.format(missing=_COMPILED, tests=str(Path(__file__).parent)) + _EXPLAIN + code
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


_IMPACTS = """
from sklearn.ensemble import HistGradientBoostingRegressor

boosted = HistGradientBoostingRegressor(max_iter=5).fit(X, y)
told = []
for each in (model, boosted):
    e = ice.explain(each, X, progress=True, n_jobs=-1, grid="quantile", grid_size=9)
    assert e.drivers("bmi")["share"].iloc[0] > 0
    told.append([e.method, e.notes, e.table()["impact"].to_dict()])
print(json.dumps(told))
"""


@pytest.mark.slow
def test_an_explanation_is_made_without_them():
    """The same figures as with them; phantom observations of trees are predicted, and a note says why."""
    printed, bar = run(_IMPACTS)
    assert "100%" in bar
    why = "numba is not installed, and exact curves of trees need compiled code."
    here = subprocess.run([sys.executable, "-c", _EXPLAIN + _IMPACTS], capture_output=True, text=True, check=True)
    for without, compiled in zip(json.loads(printed), json.loads(here.stdout), strict=True):
        note = f"The tree method is not used; every phantom observation is predicted: {why}"
        assert (without[0], without[1][0]) == ("brute", note)
        assert (compiled[0], "numba" in " ".join(compiled[1])) == ("tree", False)
        assert without[2] == pytest.approx(compiled[2], rel=1e-9)


@pytest.mark.slow
def test_an_explorer_is_complete_when_it_is_made_and_writes_files_that_need_no_compiled_package(tmp_path):
    """Requests, a cancel and another output are answered at once; other files raise with what they need."""
    run(
        f"""
x = ice.ICEExplorer(model, X)
for suffix in ("svg", "png", "pdf", "html", "csv", "json"):
    assert x.save(f"{tmp_path}/view.{{suffix}}").stat().st_size > 1000
try:
    x.save(f"{tmp_path}/view.parquet")
except ImportError as error:
    assert "pip install pyarrow" in str(error)
else:
    raise AssertionError("parquet")
assert x._status["state"] == "ready" and x._status["done"] == 10
assert x.feature == x.table.index[0] and len(x._profile) > 0
sent = []
x.send = lambda content, buffers=None: sent.append((content, buffers))
for number, request in enumerate((
    {{"type": "curves", "feature": "bp", "max_lines": 50, "selection": []}},
    {{"type": "drivers", "feature": "bp"}},
    {{"type": "cancel"}},
    {{"type": "resume"}},
)):
    x._handle_custom_msg({{"id": str(number), **request}}, [])
assert [content["type"] for content, _ in sent] == ["result"] * 4, sent
assert x._status["state"] == "ready"
x.decay = 0.5
x.selection = [1, 2]
assert len(x.selected) == 2
again = ice.ICEExplorer(model, X, state=x.state())
assert again.decay == 0.5
x.close()

from sklearn.ensemble import RandomForestClassifier
classes = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y > 100)
x = ice.ICEExplorer(classes, X, output=True)
first = x.table
x.output = "False"
assert x._status["state"] == "ready"
assert abs(x.table["direction"]["bmi"] + first["direction"]["bmi"]) < 1e-12
"""
    )
