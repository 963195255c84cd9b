"""Compiling ahead."""

import json
import subprocess
import sys

import pytest

SCRIPT = """
import json
import runpy
import sys
import numpy as np
from sklearn.ensemble import RandomForestRegressor
import ice_explorer as ice

runpy.run_path(sys.argv[1])
from ice_explorer.metrics import fold_numba
from ice_explorer.trees import sweep_numba

modules = (fold_numba, sweep_numba)
kernels = {
    f"{module.__name__}.{name}": kernel
    for module in modules
    for name, kernel in vars(module).items()
    if hasattr(kernel, "signatures") and kernel.py_func.__module__ == module.__name__
}
ahead = {name: len(kernel.signatures) for name, kernel in kernels.items()}
X = np.random.default_rng(0).normal(size=(600, 4))
e = ice.explain(RandomForestRegressor(5, random_state=0).fit(X, X[:, 0] * X[:, 1]), X, progress=False)
print(json.dumps([ahead, {name: len(kernel.signatures) for name, kernel in kernels.items()}]))
"""


@pytest.mark.slow
def test_nothing_is_left_to_compile_after_warming_up(root):
    """The first explanation of a forest finds every kernel for the types it has."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, root / "tests/tools/compile_kernels.py"],
        capture_output=True,
        text=True,
        check=True,
    )
    ahead, after = json.loads(done.stdout)
    assert after == ahead
    assert set(ahead.values()) >= {1}
