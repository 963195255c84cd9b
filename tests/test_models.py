"""Models of every family, fitted by the library itself, against what the library itself predicts."""

import model_families as families
import numpy as np
import pytest
from numpy.testing import assert_allclose

import ice_explorer as ice

GRID = {"grid": "quantile", "grid_size": 6}


def explained(model, rows, **options):
    return families.quietly(ice.explain, model, rows, progress=False, **{**GRID, **options})


def skip_without(case):
    if not case.installed:
        pytest.skip(f"needs {case.needs}, which `make test-heavy` installs")


@pytest.fixture(scope="module")
def fitted():
    """Models by case, fitted once."""
    kept = {}

    def of(case):
        skip_without(case)
        if str(case) not in kept:
            kept[str(case)] = case.fit()
        return kept[str(case)]

    return of


@pytest.mark.parametrize("case", families.CASES, ids=str)
def test_curves_are_those_of_the_library(case, fitted):
    """Each value of each curve is what the library returns for that phantom, by the engine named."""
    model, rows, ask = fitted(case)
    e = explained(model, rows, **case.options)
    assert e.engine == case.engine, e.notes
    rounding = 2e-6 if case.is_single_precision else 1e-12
    for name in e.features:
        if e[name].kind not in {"numeric", "boolean"}:
            continue
        expected = families.asked_directly(ask, rows, name, e[name].grid)
        size = max(np.abs(expected).max(), 1.0)
        assert_allclose(e[name].curves, expected, rtol=0, atol=rounding * size, err_msg=str(name))
