"""Rows that behave unlike the rest: a picture of some of the rows has them, and says so."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor

import ice_explorer as ice

N_ROWS = 20_000


def falls(X):
    """0 to 1 in all rows but one, which falls to -29."""
    return np.where(X[:, 2] > 4, 1.0 - 30.0 * X[:, 0], 0.9 * X[:, 1])


@pytest.fixture(scope="module", name="X")
def uniform_but_one():
    rows = np.random.default_rng(0).uniform(size=(N_ROWS, 3))
    rows[17, 2] = 5.0
    return rows


@pytest.fixture(scope="module")
def e(X):
    return ice.explain(falls, X, grid="quantile", grid_size=20, features=["x0"], progress=False)


def test_a_note_and_the_sentence_name_the_row(e):
    """Drivers are searched on a sample that does not have it."""
    assert "'x0': 1 row behaves unlike the rest: 17." in e.notes
    assert e["x0"].drivers_summary == (
        "Curves of all other rows do not differ in shape. Found on a stratified sample: 5,000 of 20,000 rows. "
        "1 row behaves unlike the rest: 17."
    )


def test_a_note_names_no_more_rows_than_are_looked_for(X, e, make, ask):
    """Where 40 rows fall, it says that they are at least 20."""
    rows = X[:4000].copy()
    rows[:40, 2] = 5.0
    notes = ice.explain(falls, rows, features=["x0"], progress=False).notes
    assert any(note.startswith("'x0': at least 20 rows behave unlike the rest: 0, 1, ") for note in notes)
    reply, _ = ask(make(e), type="drivers", feature="x0")
    assert (
        reply["body"]["lead"] == "Curves of all other rows do not differ in shape. 1 row behaves unlike the rest: 17."
    )


@pytest.mark.parametrize("levels", [False, True])
@pytest.mark.parametrize(
    ("odd", "is_order_needed"),
    [(lambda z: 1 - z, True), (lambda z: 0.5 + 0.5 * np.sin(18 * np.pi * z), True), (lambda z: 3 * z, False)],
)
def test_the_shape_of_a_curve_tells_rows_apart(X, odd, is_order_needed, levels):
    """One row falls, or goes up and down, between the lowest and the highest prediction of all others, which rise."""
    rows = X[:4000, [0, 1, 2]].copy()
    rows[:, 0] = np.round(rows[:, 0], 2)

    def model(X):
        z = X[:, 0].astype(float)
        return np.where(X[:, 2] > 4, odd(z), z * (0.6 + 0.4 * X[:, 1]))

    named = {"categorical_features": ["x0"]} if levels else {}
    f = ice.explain(model, rows, features=["x0"], progress=False, **named)["x0"]
    assert f._outlying.tolist() == ([17] if not levels or not is_order_needed else [])


def test_a_picture_of_few_rows_has_the_row(e):
    """Its axis reaches to the lowest value."""
    ax = e.plot("x0", max_lines=50)
    assert ax.get_ylim()[0] < -25
    plt.close(ax.figure)


def test_the_browser_gets_the_row(e, make, ask):
    """However few lines it asks for."""
    reply, _ = ask(make(e), type="curves", feature="x0", max_lines=10, selection=[])
    positions = reply["body"]["positions"]
    assert 17 in positions
    assert len(positions) == 11


def test_rows_of_usual_data_are_like_the_rest():
    """Normal, exponential, of two levels, and all alike; few rows are all drawn."""
    draw = np.random.default_rng(1)
    columns = {"normal": draw.normal(size=3000), "waiting": draw.exponential(size=3000), "flag": np.arange(3000) % 2}
    X = pd.DataFrame(columns)
    for model in (lambda X: X["normal"], lambda X: X["waiting"], lambda X: 5 * X["flag"], lambda X: 0 * X["flag"]):
        e = ice.explain(lambda X, model=model: model(X).to_numpy(float), X, grid_size=10, progress=False)
        assert not any("unlike the rest" in note for note in e.notes)
    few = np.append(np.zeros(200), 9.0)[:, None]
    assert not any("unlike the rest" in note for note in ice.explain(lambda X: X[:, 0], few, progress=False).notes)


@pytest.mark.parametrize("options", [{"n_jobs": 2}, {"memory_limit": "200kB"}, {"sample_weight": np.ones(2000)}])
@pytest.mark.parametrize("method", ["tree", "brute"])
def test_every_method_finds_the_same_rows(method, options):
    """However many threads and blocks there are; a group, and rows of weight 0, have their places in X."""
    draw = np.random.default_rng(2)
    X = draw.normal(size=(2000, 3))
    X[[5, 1990], 2] = 50.0
    y = X[:, 0] + np.where(X[:, 2] > 10, 400 * np.abs(X[:, 0]), 0.0)
    model = RandomForestRegressor(5, min_samples_leaf=1, bootstrap=False, random_state=0).fit(X, y)
    e = ice.explain(model, X, grid="quantile", grid_size=9, features=["x0"], method=method, progress=False, **options)
    (note,) = [note for note in e.notes if "unlike the rest" in note]
    assert note.startswith("'x0': 2 rows behave unlike the rest: 5, 1990.")


def test_models_draw_the_rows_of_each_other(X, make, ask):
    """Each row has a curve by every model, however different the rows are that behave unlike the rest."""
    x = make({"level": lambda X: X[:, 0], "falling": falls}, X[:4000], grid_size=10, features=["x0"], progress=False)
    ax = x.models.plot("x0", max_lines=50)  # waits for the curves
    for model in (None, "falling"):
        reply, _ = ask(x, type="curves", feature="x0", max_lines=10, selection=[3], model=model)
        assert set(reply["body"]["positions"]) > {3, 17}
        assert reply["body"]["n_lines"] == 12
    assert ax.get_ylim()[0] < -25
    plt.close(ax.figure)
    assert len(x.figure().axes) > 0


def test_rows_that_lie_far_do_not_depend_on_the_order_of_rows():
    """Hourly rows, of which each 24th behaves otherwise: more than are kept, all of that hour."""
    random = np.random.default_rng(0)
    X = np.column_stack([np.arange(11_600) % 24, random.normal(size=(11_600, 2))])

    def model(rows):
        return np.where(rows[:, 0] == 0, 0.01, 1.0) * rows[:, 1:].sum(axis=1) + np.where(rows[:, 0] == 0, 0, 3)

    for order in (np.arange(len(X)), random.permutation(len(X))):
        feature = ice.explain(model, X[order], features=["x1"], grid_size=20, progress=False)["x1"]
        assert set(X[order][feature._outlying, 0]) <= {0}
