"""One word for one thing: an explanation, one of its features and an explorer have the same names."""

import inspect
import re
from collections.abc import Mapping

import anywidget
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from numpy.testing import assert_array_equal
from origins import read_provenance

import ice_explorer as ice

METRICS = [
    "impact", "in_distribution_impact", "direction", "heterogeneity", "non_linearity", "missing_impact", "support",
]  # fmt: skip


@pytest.fixture(scope="module", name="X")
def three_columns():
    """Three columns, of which the second decides how the first acts."""
    rng = np.random.default_rng(0)
    return pd.DataFrame({"age": rng.normal(size=80), "sex": rng.integers(0, 2, 80), "bmi": rng.normal(size=80)})


def model(X):
    """Depend on age where sex is 1."""
    return X["age"] * X["sex"] + X["bmi"] / 4


@pytest.fixture(scope="module")
def e(X):
    """The explanation."""
    return ice.explain(model, X, decay=0.5, convention="paper", progress=False)


@pytest.fixture
def three(e, make):
    """The explanation, its open feature, and an explorer of it."""
    x = make(e)
    x.feature = "age"
    yield e, e["age"], x
    plt.close("all")


def members(obj):
    """What `dir()` offers besides what a mapping, or a widget, has."""
    base = {name for name in dir(anywidget.AnyWidget) if isinstance(obj, ice.ICEExplorer)} | set(dir(Mapping))
    return {name for name in dir(obj) if not name.startswith("_")} - base


def test_the_surface_is_small(three):
    """So many names, members, options and columns, and no more."""
    e, f, x = three
    public = {name for name in dir(ice) if not name.startswith("_")} - {"annotations"}
    assert public == set(ice.__all__) - {"__version__"}
    assert members(e) == {
        "drivers", "effects", "features", "importances", "interactions", "marginal_effects", "method", "notes",
        "output_label", "plot", "predictions", "save", "score", "settings", "table", "to_frame", "two_way", "what_if",
    }  # fmt: skip
    assert members(f) == {
        "axis", "centered_curves", "compute_curves", "correlated", "curves", "drivers_summary", "dtype_kind",
        "extrapolation", "feature", "grid", "label", "likelihood", "likelihood_scale", "metrics", "missing_curve",
        "observed", "partial_dependence", "plot", "rows", "scale", "slopes", "spread",
    }  # fmt: skip
    assert members(x) == {
        "anchor", "ci", "color_by", "convention", "decay", "distance", "explanation", "feature", "freeze", "kind",
        "figure", "max_lines", "model", "models", "output", "rank_by", "response", "save", "selected", "selection",
        "state", "table",
    }  # fmt: skip
    assert list(inspect.signature(ice.explain).parameters) == [
        "model", "X", "y", "features", "groups", "categorical_features", "output", "response", "grid", "grid_size",
        "sample", "random_state", "sample_weight", "decay", "distance", "convention", "method", "n_jobs",
        "memory_limit", "progress", "budget",
    ]  # fmt: skip
    assert set(e.table().columns) == set(METRICS)


def test_metrics_are_those_of_the_table(e):
    """At the decay and convention of the explanation."""
    table = e.table()
    for f in e.values():
        assert list(f.metrics()) == METRICS
        assert_array_equal(list(f.metrics().values()), table.loc[f.feature, METRICS].to_numpy(float))


def test_drivers_are_a_plain_table(e):
    """The sentence about them is beside it."""
    table = e.drivers("age")
    assert type(table) is pd.DataFrame
    assert table.columns.tolist() == ["feature", "rule", "share", "n_yes", "n_no"]
    assert table.loc[0, ["feature", "rule"]].tolist() == ["sex", "sex > 0"]
    assert table.loc[0, "n_yes"] + table.loc[0, "n_no"] == 80
    assert e["age"].drivers_summary == "Curves differ (48 % of their variance); of that, sex > 0 explains 100 %."
    assert e["bmi"].drivers_summary == "Curves do not differ in shape."


def test_several_decays_are_one_table(three):
    """A row for each decay, a column for each feature."""
    e, f, _ = three
    assert e.table([1, 0.5]).loc[0.5, "age"] == f.metrics(0.5)["in_distribution_impact"]


def test_plots_are_axes(three):
    """Of an explorer there is a figure of what it shows."""
    e, f, x = three
    x.kind, x.color_by, x.decay, x.max_lines = "c-ice", "sex", 0.9, 30
    ax = plt.figure().add_subplot()
    assert e.plot("age", ax=ax) is ax
    assert all(isinstance(ax, Axes) for ax in (e.plot("age", "d-ice"), f.plot("d-ice")))
    n_figures = len(plt.get_fignums())
    (shown,) = x.figure("panel").axes
    plotted = e.plot("age", "c-ice", color_by="sex", decay=0.9, max_lines=30, ax=ax)
    assert (shown.get_xlabel(), shown.get_ylabel().split()) == (plotted.get_xlabel(), plotted.get_ylabel().split())
    assert len(x.figure().axes) == 2
    assert x.figure("bmi", width="89mm").axes[0].get_xlabel() == "bmi"
    assert len(plt.get_fignums()) == n_figures
    with pytest.raises(ice.errors.OptionError, match=re.escape("save('figures.pdf', 'all')")):
        x.figure("all")


def test_saved_files_are_paths(three, tmp_path):
    """Each says where its file is."""
    e, _, x = three
    assert e.save(tmp_path / "e.svg", "age") == tmp_path / "e.svg"
    assert e.save(tmp_path / "f.svg", "age") == tmp_path / "f.svg"
    assert x.save(str(tmp_path / "x.svg"), "panel") == tmp_path / "x.svg"
    origin = read_provenance(tmp_path / "f.svg")
    assert (origin["feature"], origin["kind"]) == ("age", "ice")
    curves = pd.read_csv(e.save(tmp_path / "f.csv", "age"))
    assert set(curves["feature"]) == {"age"}


def test_what_iteration_gives_is_contained(e, X):
    """An explanation is a mapping of names to features; `in` says what indexing takes: also texts and positions."""
    assert isinstance(e, Mapping)
    assert list(e) == list(e.keys()) == e.features == ["age", "sex", "bmi"]
    assert all(key in e for key in ("age", 0, 2))
    assert not any(key in e for key in ("Age", 3, None, ["age"], e["age"]))
    assert e.get("Age") is None
    assert list(e.items()) == list(zip(e.features, e.values(), strict=True))
    assert dict(e)["bmi"] is e["bmi"]


def test_tables_are_in_one_order(three):
    """Of an explorer as of an explanation, unless another figure is ranked by."""
    e, _, x = three
    pd.testing.assert_frame_equal(x.table, e.table())
    x.rank_by = "heterogeneity"
    pd.testing.assert_frame_equal(x.table, e.table(rank_by="heterogeneity"))


def test_a_column_or_list_in_the_place_of_a_name_is_told_from_a_misspelt_name(e, X):
    """Without its values in the error."""
    with pytest.raises(ice.errors.OptionError, match=r"^A column of X must be given by its name; got a value"):
        e.plot("age", color_by=X["sex"])
    with pytest.raises(ice.errors.OptionError, match=r"^A feature must be given by its name; .*`e\.to_frame"):
        e[["age", "sex"]]
