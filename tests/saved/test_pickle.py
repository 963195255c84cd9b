"""A pickle keeps what an explanation has, of all rows, and computes nothing."""

import copy
import pickle
import tempfile

import joblib
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

import ice_explorer as ice
from ice_explorer.errors import ModelNeededError
from ice_explorer.feature import FeatureExplanation


def pickled(thing):
    return pickle.loads(pickle.dumps(thing))  # noqa: S301 - our own


def assert_same(found, e):
    """Everything that can be read without another call of the model is equal to the bit."""
    assert type(found) is type(e)
    pd.testing.assert_frame_equal(found.table(), e.table(), check_exact=True)
    pd.testing.assert_frame_equal(found.table(decay=0.3), e.table(decay=0.3), check_exact=True)
    assert (found.notes, found._alerts, found.settings) == (e.notes, e._alerts, e.settings)
    assert (found.features, found._labels, found.output_label) == (e.features, e._labels, e.output_label)
    assert (found.method, found._method_reason, repr(found)) == (e.method, e._method_reason, repr(e))
    assert found._n_observations == e._n_observations
    for name, f in e.items():
        for what in ("curves", "axis", "grid", "observed", "rows", "partial_dependence", "spread"):
            assert_array_equal(getattr(found[name], what), getattr(f, what))
        assert_array_equal(found[name].likelihood(0.5), f.likelihood(0.5))


class Curved:
    """A model that counts its rows."""

    n_rows = 0

    def predict(self, X):
        type(self).n_rows += len(X)
        X = pd.DataFrame(X).fillna(0.5)
        city = X["city"].map({"a": 0.0, "b": 1.0, "c": 3.0}).astype(float) if "city" in X else 0.0
        return np.sin(X.iloc[:, 0].to_numpy(float)) * (1 + city) + X.iloc[:, 1].to_numpy(float)


def mixed(n=80):
    draw = np.random.default_rng(0)
    X = pd.DataFrame({"a": draw.normal(size=n), "b": draw.normal(size=n), "city": draw.choice(["a", "b", "c"], n)})
    X.loc[3, "a"] = np.nan
    return X.set_index(pd.Index([f"row {at}" for at in range(n)]))


def arrays(n=1100):
    X = np.random.default_rng(0).normal(size=(n, 4))
    return X, X[:, 0] * X[:, 1] + X[:, 2]


def opened():
    """An explanation from a file, of all its rows."""
    X, y = arrays(1100)
    e = ice.explain(LinearRegression().fit(X, y), X, features=[0], progress=False)
    with tempfile.TemporaryDirectory() as folder:
        return ice.load(e.save(f"{folder}/result.ice", max_lines=1100))


CASES = {
    "boosted trees": lambda: ice.explain(HistGradientBoostingRegressor(max_iter=20).fit(*arrays()), arrays()[0]),
    "classes": lambda: ice.explain(
        RandomForestClassifier(10, random_state=0).fit(arrays()[0], np.array(["x", "y", "z"])[np.arange(1100) % 3]),
        arrays()[0], output="z", sample=300, sample_weight=np.arange(1100) % 3,
    ),
    "a pipeline": lambda: ice.explain(
        make_pipeline(StandardScaler(), LinearRegression()).fit(*arrays()), arrays(60)[0], distance="conditional"
    ),
    "kernels": lambda: ice.explain(SVR().fit(*arrays(60)), arrays(60)[0]),
    "any model": lambda: ice.explain(Curved(), mixed()),
    "a budget": lambda: ice.explain(Curved(), mixed(3000), budget=0.01),
    "of a file": opened,
}  # fmt: skip


WIDE = ("a pipeline", "kernels", "a budget", "of a file")


@pytest.mark.parametrize("case", [pytest.param(case, marks=[pytest.mark.wide] * (case in WIDE)) for case in CASES])
def test_a_pickle_has_what_the_explanation_has(case):
    """Of every method of computing, to the bit; a pickle of a pickle, too."""
    e = CASES[case]()
    assert_same(pickled(pickled(e)), e)


def test_neither_pickling_nor_reading_calls_the_model():
    """Whatever else an explanation has computed is kept: intervals, drivers, residuals of other features."""
    e = ice.explain(Curved(), mixed())
    e.table(ci=0.9), e.table(by="city"), e.drivers("a"), e.effects("b"), e["a"].extrapolation()
    _ = e["a"].curves, e["b"].compute_curves([1, 2]), e._context.prediction_sd, e["a"]._missing_dependence
    expected = e.table(ci=0.9), e.drivers("a"), e["a"].extrapolation().share
    before = Curved.n_rows
    found = pickled(e)
    assert found["a"].curves.shape == (80, 79)
    results = found.table(ci=0.9), found.drivers("a"), found["a"].extrapolation().share
    assert Curved.n_rows == before
    for result, known in zip(results[:2], expected[:2], strict=True):
        pd.testing.assert_frame_equal(result, known)
    assert results[2] == expected[2]


def diabetes():
    """The example of the README."""
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    return RandomForestRegressor(n_estimators=200, min_samples_leaf=5, random_state=0).fit(X, y), X


def boosted():
    X = np.random.default_rng(0).normal(size=(5000, 10))
    return HistGradientBoostingRegressor().fit(X, X[:, 0] * X[:, 1] + X[:, 2]), X


@pytest.mark.parametrize("make", [diabetes, pytest.param(boosted, marks=pytest.mark.slow)])
def test_pickling_loses_no_row(make):
    """Also where more rows are explained than a file or a view has."""
    model, X = make()
    e = ice.explain(model, X, progress=False)
    found, feature = pickled(e), e.features[2]
    pd.testing.assert_frame_equal(found.table(), e.table(), check_exact=True)
    assert found[feature].curves.shape[0] == len(X)
    assert_array_equal(found[feature].curves, e[feature].curves)


def test_a_pickle_has_curves_once():
    """Views of the same numbers are made again; with protocol 5 and buffers no curve is copied."""
    X = np.random.default_rng(0).normal(size=(300, 4))
    e = ice.explain(Curved(), X, progress=False)
    n_curves = 8 * sum(f.curves.size for f in e.values())
    assert len(pickle.dumps(e)) < 1.25 * n_curves
    buffers = []
    content = pickle.dumps(e, protocol=5, buffer_callback=buffers.append)
    assert len(content) < 0.1 * n_curves
    assert_same(pickle.loads(content, buffers=buffers), e)  # noqa: S301 - our own


def test_what_needs_the_model_works_with_the_one_in_the_pickle():
    """Predictions at other values, other effects, pairs; an explorer."""
    e = ice.explain(Curved(), mixed(), features=["a", "b"])
    found = pickled(e)
    assert_array_equal(found.predictions([0, 3]), e.predictions([0, 3]))
    pd.testing.assert_frame_equal(found.effects("a", grid_size=5), e.effects("a", grid_size=5))
    assert_array_equal(found.two_way("a", "b").partial_dependence, e.two_way("a", "b").partial_dependence)
    assert_array_equal(found["a"]._missing_rows([0]), e["a"]._missing_rows([0]))
    pd.testing.assert_frame_equal(found.table(ci=0.9), e.table(ci=0.9), check_exact=True)  # with σ of each draw
    X, y = arrays(60)
    classes = ice.explain(KNeighborsClassifier().fit(X, np.digitize(y, [-1, 1])), X, output=2, features=[0])
    assert_array_equal(pickled(classes).predictions(range(60)), classes.predictions(range(60)))


def test_a_model_that_cannot_be_pickled_is_left_out():
    """What was computed stays; what needs the model says what to do."""
    shown = []
    X = np.random.default_rng(0).normal(size=(50, 2))
    e = ice.explain(lambda X: np.sin(X[:, 0]) * X[:, 1], X, progress=lambda *counts: shown.append(counts))
    found = pickled(e)
    assert_same(found, e)
    with pytest.raises(ModelNeededError) as refused:
        found["x0"]._missing_rows([0])
    message = str(refused.value)
    assert message.startswith("Predictions that are not in the pickle need the model; AttributeError: Can't ")
    assert message.endswith("<lambda>'. Explain the model again with `explain`.")


def test_trees_predict_the_rows_of_a_tree_model():
    """The model is not in the pickle, which is small and quick; a figure and a file need no other predictions."""
    X = np.random.default_rng(0).normal(size=(1500, 3))  # more values than a grid has
    model = HistGradientBoostingRegressor(max_iter=20).fit(X, X[:, 0] * X[:, 1])
    e = ice.explain(model, X, progress=False)
    found = pickled(e)
    assert_allclose(found.predictions(range(1500)), model.predict(X), rtol=1e-9)
    assert_allclose(found["x0"].centered_curves("own"), e["x0"].centered_curves("own"), atol=1e-9)
    assert found.plot("x0").get_title() == "ICE of x0"
    plt.close("all")
    with pytest.raises(ModelNeededError, match="need the model; pickles of a tree model have the trees alone"):
        found.two_way("x0", "x1").partial_dependence  # noqa: B018 - calls the model
    X[0, 0] = np.nan  # the trees of the copy predict no row with another value missing
    found = pickled(ice.explain(model, X, progress=False))
    assert_array_equal(found["x0"]._missing_rows([1]), model.predict([[np.nan, *X[1, 1:]]]))


def test_one_feature_and_other_ways_to_copy(tmp_path):
    """A feature is pickled by itself; a copy of a result is itself."""
    e = ice.explain(Curved(), mixed())
    f = pickled(e["a"])
    assert isinstance(f, FeatureExplanation)
    assert f.metrics() == e["a"].metrics()
    assert_array_equal(f.curves, e["a"].curves)
    joblib.dump(e, tmp_path / "e.joblib")
    assert_same(joblib.load(tmp_path / "e.joblib"), e)
    assert copy.copy(e) is copy.deepcopy(e) is e
    assert copy.deepcopy(e["a"]) is e["a"]
