"""Which method explains which model, why, and what is not believed of what is read inside a model."""

from dataclasses import replace

import numpy as np
import pandas as pd
import parity
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingRegressor,
    VotingRegressor,
)
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

import ice_explorer as ice
from ice_explorer.curves import choose, closed_forms
from ice_explorer.errors import OptionError, PredictionError
from ice_explorer.trees import read_sklearn
from ice_explorer.trees.forest import TreeCurves

BRUTE = "every phantom observation is predicted, which works for any model"


def table(n=60):
    rng = np.random.default_rng(11)
    return np.column_stack([rng.normal(size=n).round(1), rng.integers(0, 4, n), rng.normal(3, 2, n).round(1)])


def target():
    X = table()
    return X[:, 0] * X[:, 1] + X[:, 2]


def forest(**options):
    return RandomForestRegressor(**{"n_estimators": 3, "max_depth": 4, "random_state": 0, **options})


def mlp():
    return MLPRegressor(hidden_layer_sizes=3, max_iter=20, random_state=0)


def fitted(model):
    return parity.quiet(model.fit, table(), target())


def method_notes(explanation):
    return [note for note in explanation.notes if "method" in note]


# --- which, and why -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "method", "reason"),
    [
        (LinearRegression(), "linear", "LinearRegression has a closed form"),
        (SVR(), "kernel", "SVR is a sum of RBF kernels: one matrix product per feature"),
        (forest(), "tree", "RandomForestRegressor is evaluated tree by tree: all features at once, exactly"),
        (
            make_pipeline(StandardScaler(), forest()), "tree",
            "RandomForestRegressor after its transformers is evaluated tree by tree: all features at once, exactly",
        ),
        (make_pipeline(StandardScaler(), Ridge()), "linear", "Ridge after its transformers has a closed form"),
        (mlp(), "brute", BRUTE),
        (KNeighborsRegressor(3), "brute", BRUTE),
        (VotingRegressor([("a", forest()), ("b", Ridge())]), "brute", BRUTE),
        (StackingRegressor([("a", forest())], Ridge(), cv=2), "brute", BRUTE),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else "",
)  # fmt: skip
def test_the_engine_is_named_with_its_reason(model, method, reason):
    """It can be insisted on; models of no known kind are predicted without a word of trees, functions as well."""
    model, options = fitted(model), {"grid": "quantile", "grid_size": 3}
    e = parity.explained(model, table(), **options)
    assert (e.method, e._method_reason, method_notes(e)) == (method, reason, [])
    assert e.settings.method == "auto"
    assert parity.explained(model, table(), method=method, **options).method == method
    brute = parity.explained(model, table(), method="brute", **options)
    assert (brute.method, brute._method_reason, method_notes(brute)) == ("brute", "requested; " + BRUTE, [])
    of_function = parity.explained(model.predict, table(), **options)
    assert (of_function.method, of_function._method_reason, method_notes(of_function)) == ("brute", BRUTE, [])


@pytest.mark.parametrize(
    ("method", "model", "options", "reason"),
    [
        ("kernel", forest(), {}, "The response 'predict' of RandomForestRegressor is not a sum of RBF kernels."),
        ("kernel", SVR(kernel="poly"), {}, "The response 'predict' of SVR is not a sum of RBF kernels."),
        ("kernel", SVC(), {"response": "predict"}, "The response 'predict' of SVC is not a sum of RBF kernels."),
        (
            "linear", LogisticRegression(), {"response": "predict"},
            "The response 'predict' of LogisticRegression is not a linear model.",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_an_engine_that_cannot_explain_the_model_says_why(method, model, options, reason):
    """Which method, what it needs, what the model is, and what to do."""
    y = np.where(target() > 3, "yes", "no") if options else target()
    with pytest.raises(OptionError) as caught:
        ice.explain(model.fit(table(), y), table(), method=method, progress=False, **options)
    assert str(caught.value) == (
        f'`method="{method}"` needs a model that it computes exactly. {reason} Use `method="auto"`.'
    )


def test_columns_are_those_of_the_model_by_name():
    """Also where only some features are explained."""
    X = pd.DataFrame(table(), columns=list("abc"))
    model = forest().fit(X, target())
    chosen, everything = (parity.explained(model, X, features=features) for features in (["c"], None))
    assert (chosen.method, chosen.features) == ("tree", ["c"])
    assert_array_equal(chosen["c"].curves, everything["c"].curves)


# --- what the phantom observations of the check catch ---------------------------------------------


def read_wrongly(monkeypatch, name, change, module=choose):
    """Let a method read models wrongly."""
    read = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *args, **options: change(read(*args, **options)))


def assert_not_believed(method, model, X=None):
    """Brute force, with the difference in a note."""
    e = parity.explained(model, table() if X is None else X)
    assert e.method == "brute"
    (note,) = method_notes(e)
    assert note.startswith(
        f"The {method} method is not used; every phantom observation is predicted: Its predictions of phantom "
        "observations differ from those of the model by "
    )
    assert note.endswith(" of their size.")
    return e


@pytest.mark.parametrize(
    "change",
    [
        lambda e: replace(e, base=e.base + 1e-6),
        lambda e: replace(e, value=e.value * (1 + 1e-8)),
        lambda e: replace(e, left=e.right, right=e.left),
        lambda e: replace(e, threshold=e.threshold + 0.2),
        lambda e: replace(e, feature=np.where(e.feature >= 0, (e.feature + 1) % e.n_columns, -1).astype(np.int32)),
        lambda e: replace(e, n_nodes=e.n_nodes[:-1], margin=e.margin[:-1]),
    ],
    ids=["base", "values", "sides", "thresholds", "columns", "a tree less"],
)
def test_trees_that_are_read_wrongly_are_not_believed(monkeypatch, change):
    """The model predicts 64 phantom observations; where the trees differ, it predicts all."""
    read_wrongly(monkeypatch, "read_forest", change)
    for model in (forest(), GradientBoostingRegressor(n_estimators=4, random_state=0)):
        assert_not_believed("tree", fitted(model))


def test_a_sweep_that_is_wrong_is_not_believed(monkeypatch):
    """Trees that were read rightly are refused, too, where their leaves are summed wrongly."""
    read_wrongly(monkeypatch, "_prepare", lambda prepared: (0 * prepared[0], prepared[1]), TreeCurves)
    assert_not_believed("tree", fitted(forest()))


@pytest.mark.parametrize("change", [{"comparison": "lt"}, {"dtype": np.dtype(np.float64)}], ids=["comparison", "dtype"])
def test_a_wrong_comparison_or_cast_is_not_believed_where_it_matters(monkeypatch, change):
    """On rows that lie on the thresholds, and between two numbers of single precision."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (60, 3)).astype(float)
    y = X[:, 0] * X[:, 1] + X[:, 2]
    model = forest(max_depth=None) if "comparison" in change else ExtraTreesRegressor(3, random_state=0)
    trees = [tree.tree_ for tree in model.fit(X, y).estimators_]
    for at in range(3):
        thresholds = np.concatenate([tree.threshold[tree.feature == at] for tree in trees])
        if "dtype" in change:
            # Between a threshold and the middle of its two neighbours in single precision, which
            # therefore lie on the other side of the threshold.
            single = thresholds.astype(np.float32)
            below = np.where(single <= thresholds, single, np.nextafter(single, -np.float32(np.inf)))
            middle = (below.astype(float) + np.nextafter(below, np.float32(np.inf))) / 2
            thresholds = (thresholds + middle) / 2
        X[:, at] = np.resize(thresholds, 60)
    assert parity.explained(model, X).method == "tree"
    read_wrongly(monkeypatch, "read_forest", lambda forest: replace(forest, **change))
    assert_not_believed("tree", model, X)


@pytest.mark.parametrize(
    ("method", "name", "attribute", "model"),
    [
        ("linear", "read_linear", "coefficients", Ridge()),
        ("kernel", "read_kernel", "weights", SVR()),
    ],
)
def test_closed_forms_that_are_read_wrongly_are_not_believed(monkeypatch, method, name, attribute, model):
    """A coefficient or weight that is off by a millionth; insisting on the method is refused for the same reason."""

    def wrong(found):
        object.__setattr__(found, attribute, getattr(found, attribute) * (1 + 1e-6))
        return found

    read_wrongly(monkeypatch, name, wrong)
    model = fitted(model)
    assert_not_believed(method, model)
    with pytest.raises(OptionError, match="Its predictions of phantom observations differ from those of the"):
        ice.explain(model, table(), method=method, progress=False)


def test_a_predict_method_set_on_the_model_is_heeded():
    """No class says so, the phantom observations do."""
    model = fitted(forest())
    own = model.predict
    model.predict = lambda X: own(X) + 0.125 * X[:, 0]
    assert_not_believed("tree", model)
    model = fitted(Ridge())
    model.predict = lambda X: np.sin(X[:, 0])
    assert_not_believed("linear", model)


def test_a_model_changed_after_fitting_is_explained_as_it_is():
    """InnerModel and outside change together: leaves are read when asked, nothing is remembered."""
    model = fitted(forest())
    before = parity.explained(model, table())
    model.estimators_.pop()
    after = parity.assert_as_predicted("tree", model, table())
    assert np.abs(after["x0"].curves - before["x0"].curves).max() > 0.01


@pytest.mark.parametrize("error", [AttributeError, KeyError, IndexError, TypeError, ValueError])
def test_a_version_that_keeps_its_fit_otherwise_is_predicted(monkeypatch, error):
    """What reading it stumbles over is in the note."""

    def stumble(*_args):
        raise error("tree_")

    monkeypatch.setitem(read_sklearn.READERS, "RandomForestRegressor", stumble)
    monkeypatch.setattr(closed_forms, "KernelModel", stumble)
    monkeypatch.setattr(closed_forms, "dense", stumble)
    for model in (forest(), SVR(), Ridge()):
        e = parity.explained(fitted(model), table())
        assert e.method == "brute"
        (note,) = method_notes(e)
        assert error.__name__ in note


# --- numbers that are none ------------------------------------------------------------------------


def test_infinite_log_odds_are_an_error():
    """A forest with pure leaves, of which one is reached by phantom observations alone: the error names the place."""
    X = np.arange(40.0)[:, None] % 20
    y = (X[:, 0] > 9).astype(int)
    y[[3, 23]] = 1
    model = RandomForestClassifier(n_estimators=2, max_depth=2, random_state=0).fit(X, y)
    with pytest.raises(PredictionError) as caught:
        parity.explained(model, X, response="log_odds")
    assert str(caught.value).startswith(
        "Log-odds need probabilities between 0 and 1; the model returned a probability of 0 for a phantom "
        "observation of 'x0' (grid value "
    )
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 30, (3000, 2)).astype(float), rng.integers(0, 2, 3000)
    corner = (X[:, 0] == 29) & (X[:, 1] == 29)
    y[corner] = 1
    model = RandomForestClassifier(n_estimators=1, bootstrap=False, max_depth=2, max_features=None)
    model.fit(X, y, sample_weight=np.where(corner, 1000.0, 1.0))
    with pytest.raises(PredictionError, match="a probability of 1 for a phantom observation of 'x0'"):
        parity.explained(model, X[~corner], response="log_odds", output=1)


# --- cheap where it can be ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        RandomForestRegressor(n_estimators=2, random_state=0),
        HistGradientBoostingRegressor(max_iter=3, min_samples_leaf=5),
        SVR(),
        Ridge(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_rows_are_computed_without_all_curves_and_without_the_model(model):
    """Metrics need no curves; `rows` computes those asked for, in any order, and 64 phantoms are all that is asked."""
    model, asked = fitted(model), []
    own = model.predict
    model.predict = lambda X: asked.append(len(X)) or own(X)
    e = parity.explained(model, table())
    assert e.method != "brute"
    few = e["x2"].compute_curves([7, 3, 7])
    assert_array_equal(few[0], few[2])
    assert_allclose(few, e["x2"].curves[[7, 3, 7]], rtol=0, atol=1e-12)
    assert sum(asked) <= 4 * 64
