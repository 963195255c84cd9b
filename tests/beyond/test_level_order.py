"""Levels without an order are accumulated by their similarity in the other features: neither rows nor codes matter."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import ice_explorer as ice
from ice_explorer.beyond.effects import order_levels

PLACES = {"a": 0.0, "b": 3.0, "c": 1.0, "d": 4.0, "e": 2.0}  # along the other features


def rows_of_levels(n=400):
    """Return a level, a number and a category that both follow the place of the level."""
    random = np.random.default_rng(0)
    level = random.choice(list(PLACES), n)
    height = pd.Series(level).map(PLACES).to_numpy() + random.normal(0, 0.6, n)
    return pd.DataFrame({"level": level, "height": height, "half": np.where(height > 2, "high", "low")})


def model_of(names):
    """Return an interaction of the level with the height, where levels have other names."""
    place_of = {names.get(level, level): place for level, place in PLACES.items()}
    return lambda X: X["level"].astype(str).map(place_of).to_numpy(float) ** 2 * X["height"].to_numpy()


def ale(X, names=None, **options):
    return ice.explain(model_of(names or {}), X, progress=False, **options).effects("level", "ale")["ale"]


def order_of(X, **options):
    e = ice.explain(model_of({}), X, progress=False, **options)
    f = e["level"]
    return [f.grid[at] for at in order_levels(e._context, f._item.feature, f.axis, f._item.summed)]


def test_levels_are_in_the_order_of_their_similarity():
    """That of their place, from the end whose text comes first. Rows of the table and ticks have it, too."""
    X, similar = rows_of_levels(), sorted(PLACES, key=PLACES.get)
    X["level"] = pd.Categorical(X["level"], list("cbade"))
    assert order_of(X) == similar
    e = ice.explain(model_of({}), X, progress=False)
    assert e.effects("level").index.tolist() == similar
    assert e.effects("level", ["partial_dependence", "m_plot"]).index.tolist() == list("cbade")
    assert_allclose(e.effects("level").loc[list("cbade"), "m_plot"], e.effects("level", "m_plot")["m_plot"])
    ax = e.plot("level", kind="effects", legend=False)
    assert [label.get_text() for label in ax.get_xticklabels()] == similar
    assert ax.get_xlabel() == "level\nlevels in the order of their similarity in the other features"
    assert e.plot("level", kind="effects", effects="m_plot").get_xlabel() == "level"


def test_steps_lead_to_the_next_similar_level():
    """The accumulated mean of the rows at both levels, less the mean over the rows."""
    X, order = rows_of_levels(), sorted(PLACES, key=PLACES.get)
    expected = [0.0]
    for first, second in pairwise(order):
        near = X["level"].isin([first, second])
        expected.append(expected[-1] + ((PLACES[second] ** 2 - PLACES[first] ** 2) * X["height"][near]).mean())
    expected = pd.Series(expected, order)
    assert_allclose(ale(X)[order], expected - expected[X["level"]].mean(), rtol=1e-12)


def test_the_order_of_rows_and_of_codes_does_not_matter():
    """Nor do names: rows in another order, declared levels in another order, and renamed levels."""
    X = rows_of_levels()
    expected = ale(X)[[*PLACES]]
    assert_allclose(ale(X.sample(frac=1, random_state=1))[[*PLACES]], expected, rtol=1e-12)
    for levels in ("edcba", "caedb"):
        assert_allclose(ale(X.assign(level=pd.Categorical(X["level"], list(levels))))[[*PLACES]], expected, rtol=1e-12)
    names = dict(zip(PLACES, ("z", "m", "q", "b", "k"), strict=True))
    renamed = ale(X.assign(level=X["level"].map(names)), names)
    assert_allclose(renamed[[*names.values()]], expected, rtol=1e-12)


def test_weights_are_repeated_rows():
    """Also in the order of the levels."""
    X = rows_of_levels(150)
    weights = np.arange(150) % 3
    repeated = X.loc[np.repeat(X.index, weights)]
    assert order_of(X, sample_weight=weights) == order_of(repeated)
    assert_allclose(ale(X, sample_weight=weights), ale(repeated), rtol=1e-12)


@pytest.mark.parametrize("others", [[], ["constant"], ["even"]])
def test_the_text_decides_ties(others):
    """Where there is no other feature, or all levels are alike in it; numbered levels count as numbers."""
    X = pd.DataFrame({"level": ["level 10", "level 2", "level 1"] * 4})
    X = X.assign(constant=1.0, even=np.repeat([0.0, 1.0], 6))[["level", *others]]
    e = ice.explain(lambda X: X["level"].str.len().to_numpy(float), X, progress=False)
    f = e["level"]
    order = order_levels(e._context, f._item.feature, f.axis, f._item.summed)
    assert_array_equal(f.grid[order], ["level 1", "level 2", "level 10"])


def test_missing_values_tell_levels_apart():
    """Of numbers and of categories."""
    X = pd.DataFrame({"level": np.repeat(["a", "b", "c"], 40), "number": 1.0, "text": "t"})
    X.loc[X.index % 2 == 0, "number"] = 2.0
    X.loc[X["level"] == "b", "number"] = np.nan
    X.loc[X["level"] == "b", "text"] = None
    assert order_of(X.assign(height=1.0)) in (["a", "c", "b"], ["b", "a", "c"])
