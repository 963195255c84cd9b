"""What the browser computes again: curves for each kind of picture.

`python tests/figures/test_browser_twins.py` writes the fixtures in tests/contract/raster anew.
"""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ice_explorer import explain

CONTRACT = Path(__file__).parents[1] / "contract" / "raster"


def numbers(array):
    """Write an array for JSON, which knows neither NaN nor infinity."""
    return [None if math.isnan(v) else ("inf" if math.isinf(v) else v) for v in np.ravel(array).tolist()]


def transforms_contract():
    """What Python makes of the same curves for each kind of picture."""
    generator = np.random.default_rng(2)
    X = np.column_stack([generator.choice([0.0, 0.5, 0.75, 2.0, 2.25, 4.0], 9), generator.normal(size=9)])
    grid = [0.0, 0.6, 1.5, 2.0, 3.5]
    model = lambda X: np.sin(X[:, 0] + X[:, 1]) + 3  # noqa: E731 - one line says it
    feature = explain(model, X, grid={"x0": grid}, features=["x0"], progress=False)["x0"]
    anchors = ("min", "max", "median", "own", 1.05, 99.0)
    return {
        "grid": grid,
        "observed": feature.observed.tolist(),
        "likelihood_scale": feature.likelihood_scale.tolist(),
        "median": feature._item.median,
        "at_own": numbers(feature._at_own_values(feature.rows, feature.curves)),
        "curves": numbers(feature.curves),
        "centered": {str(anchor): numbers(feature.centered_curves(anchor)) for anchor in anchors},
        "slopes": numbers(feature.slopes),
        "likelihood": {str(decay): numbers(feature.likelihood(decay)) for decay in (0.01, 0.75, 1.0)},
    }


FIXTURES = {"transforms.json": transforms_contract}


@pytest.mark.parametrize("fixture", FIXTURES)
def test_the_contract_is_what_python_gives_today(fixture):
    """The committed fixtures, which the front end is tested against, are those of this code."""
    committed = json.loads((CONTRACT / fixture).read_text(encoding="utf-8"))
    _assert_alike(committed, json.loads(json.dumps(FIXTURES[fixture](), allow_nan=False)))


def _assert_alike(one, other):
    """Compare nested JSON; numbers to the last few bits, which libraries of another version may turn."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert list(one) == list(other)
        for key in one:
            _assert_alike(one[key], other[key])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for first, second in zip(one, other, strict=True):
            _assert_alike(first, second)
    elif isinstance(one, float):
        assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    else:
        assert one == other


if __name__ == "__main__":
    for name, content in FIXTURES.items():
        (CONTRACT / name).write_text(json.dumps(content(), allow_nan=False, separators=(",", ":")) + "\n")
