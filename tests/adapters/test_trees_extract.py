"""The trees of every library, read into one layout, give that library's own predictions."""

import dataclasses
import json
import subprocess
import sys
import warnings

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
import threadpoolctl
import tree_oracle
from numpy.testing import assert_allclose, assert_array_equal
from sklearn._loss.loss import HalfTweedieLoss
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor

from ice_explorer.adapters.models.link import Link
from ice_explorer.adapters.models.predict import make_predictor
from ice_explorer.adapters.structure.trees import catboost as catboost_reader
from ice_explorer.adapters.structure.trees import lightgbm as lightgbm_reader
from ice_explorer.adapters.structure.trees import tree_ensemble
from ice_explorer.adapters.structure.trees.ensemble import LocalTrees, UnsupportedTreesError, ensemble_of

catboost = pytest.importorskip("catboost")
lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")

# LightGBM is fitted with names and predicts without, or the other way round, by scikit-learn's own validation.
pytestmark = [
    pytest.mark.filterwarnings("ignore:X (does not have|has) (valid )?feature names:UserWarning"),
    # Its newest version names a successor of `eval_set` that older ones lack.
    pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated"),
]


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    """Keep the threads of so small models from waiting for each other on a busy machine."""
    with threadpoolctl.threadpool_limits(1):
        yield


N = 400
CLOSE, SINGLE = 1e-13, 5e-6  # relative to the largest prediction: sums in float64, sums in float32


# Data --------------------------------------------------------------------------------------------


def table(*, missing=False, categories=False):
    """Ties, small and large numbers; a column of 60 categories where asked."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, 6))
    X[:, 1] = rng.integers(0, 4, N)
    X[:, 2] = X[:, 2].round(1)
    X[:, 3] *= 1e-3
    X[:, 4] += 1000.0
    if categories:
        X[:, 5] = rng.integers(0, 60, N)
    target = (
        X[:, 0] * X[:, 2]
        + (X[:, 1] == 2)
        + 300.0 * X[:, 3]
        + np.sin(3.0 * X[:, 4])
        + (2.0 if categories else 1.0) * np.sin(5.0 * X[:, 5])
    )
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, target


def labelled(X, kind):
    """The same as a DataFrame whose last columns are categorical by dtype."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    codes = frame["f"].fillna(-1).astype(int)
    labels = {
        "text": [f"level {label}" for label in rng.permutation(60)],
        "whole numbers": (10 * rng.permutation(60)).tolist(),
        "ordered": [f"level {label:02}" for label in range(60)],
    }[kind]
    frame["f"] = pd.Categorical.from_codes(codes, labels, ordered=kind == "ordered")
    frame["g"] = pd.Categorical(np.array(["x", "y", "z"])[rng.integers(0, 3, N)])
    return frame


def targets(target):
    """One target per task."""
    return {
        "regression": target,
        "positive": np.exp(target / 4.0),
        "share": (target > np.median(target)) * 0.8 + 0.1,
        "binary": (target > np.median(target)).astype(int),
        "three classes": np.digitize(target, np.quantile(target, [0.3, 0.7])),
        "three outputs": np.column_stack([target, target**2, -target]),
    }


def phantoms(X, n_rows=120):
    """Rows of values that stand together in no real row."""
    rng = np.random.default_rng(5)
    if isinstance(X, np.ndarray):
        return np.column_stack([rng.choice(X[:, j], n_rows) for j in range(X.shape[1])])
    return pd.DataFrame({name: X[name].iloc[rng.integers(0, len(X), n_rows)].array for name in X})


def categorical_columns(X):
    if isinstance(X, np.ndarray):
        return []
    return [j for j, dtype in enumerate(X.dtypes) if isinstance(dtype, pd.CategoricalDtype)]


PROBABILITIES = ("predict_proba", "log_odds")
OUTPUTS = {"binary": (None, 0, 1), "three classes": (0, 1, 2), "three outputs": (0, 1, 2)}


def library_says(model, rows, position, response):
    """The prediction that is explained, from the library."""
    if response == "predict" and not hasattr(model, "predict_proba"):
        return np.asarray(model.predict(rows), np.float64).reshape(len(rows), -1)[:, position or 0]
    return make_predictor(model, rows[:3], 3, output=position, response=response).predict(rows)


def assert_reproduced(model, X, task, responses, tolerance=CLOSE):
    """Every output of every response, on phantom rows."""
    rows = phantoms(X)
    for response in responses:
        for position in OUTPUTS.get(task, (None,)):
            ensemble = tree_ensemble(model, position, response, categorical_columns(X))
            assert ensemble.n_features == rows.shape[1]
            got, expected = tree_oracle.predictions(ensemble, rows), library_says(model, rows, position, response)
            finite = np.isfinite(expected)
            assert_array_equal(got[~finite], expected[~finite])
            size = max(1.0, np.abs(expected[finite]).max(initial=0.0))
            # Log-odds near a probability of 0 or 1 lose what the probability lost in the library.
            atol = 1e3 * tolerance * size if response == "log_odds" else tolerance * size
            assert_allclose(got[finite], expected[finite], rtol=0, atol=atol, err_msg=f"{response} of {position}")


# scikit-learn ------------------------------------------------------------------------------------

DECISION = ("decision_function",)
SMALL = {"n_estimators": 12, "random_state": 0}
SKLEARN = {
    "DecisionTreeRegressor": (DecisionTreeRegressor(random_state=0), "regression", ("predict",), True),
    "ExtraTreeRegressor": (ExtraTreeRegressor(random_state=0), "regression", ("predict",), True),
    "DecisionTreeRegressor, outputs": (DecisionTreeRegressor(max_depth=6), "three outputs", ("predict",), True),
    "RandomForestRegressor": (RandomForestRegressor(**SMALL), "regression", ("predict",), True),
    "RandomForestRegressor, outputs": (RandomForestRegressor(**SMALL), "three outputs", ("predict",), True),
    "ExtraTreesRegressor": (ExtraTreesRegressor(**SMALL), "regression", ("predict",), True),
    "ExtraTreesRegressor, outputs": (ExtraTreesRegressor(**SMALL), "three outputs", ("predict",), True),
    "RandomForestRegressor of counts": (
        RandomForestRegressor(criterion="poisson", **SMALL), "positive", ("predict",), True,
    ),
    "DecisionTreeClassifier": (
        DecisionTreeClassifier(max_depth=5, random_state=0), "binary", (*PROBABILITIES, "predict"), True,
    ),
    "ExtraTreeClassifier": (
        ExtraTreeClassifier(max_depth=4, random_state=0), "three classes", (*PROBABILITIES, "predict"), True,
    ),
    "RandomForestClassifier": (RandomForestClassifier(**SMALL), "binary", PROBABILITIES, True),
    "RandomForestClassifier, balanced": (
        RandomForestClassifier(class_weight="balanced", min_samples_leaf=3, **SMALL), "three classes", PROBABILITIES,
        True,
    ),
    "ExtraTreesClassifier": (ExtraTreesClassifier(**SMALL), "three classes", PROBABILITIES, True),
    "GradientBoostingRegressor": (GradientBoostingRegressor(**SMALL), "regression", ("predict",), False),
    "GradientBoostingRegressor, huber": (
        GradientBoostingRegressor(loss="huber", **SMALL), "regression", ("predict",), False,
    ),
    "GradientBoostingRegressor from zero": (
        GradientBoostingRegressor(init="zero", **SMALL), "regression", ("predict",), False,
    ),
    "GradientBoostingClassifier": (
        GradientBoostingClassifier(**SMALL), "binary", PROBABILITIES + DECISION, False,
    ),
    "GradientBoostingClassifier, exponential": (
        GradientBoostingClassifier(loss="exponential", **SMALL), "binary", PROBABILITIES + DECISION, False,
    ),
    "GradientBoostingClassifier, three": (
        GradientBoostingClassifier(**SMALL), "three classes", PROBABILITIES + DECISION, False,
    ),
    "HistGradientBoostingRegressor": (HistGradientBoostingRegressor(max_iter=15), "regression", ("predict",), True),
    "HistGradientBoostingRegressor, quantile": (
        HistGradientBoostingRegressor(max_iter=15, loss="quantile", quantile=0.3), "regression", ("predict",), True,
    ),
    "HistGradientBoostingRegressor, poisson": (
        HistGradientBoostingRegressor(max_iter=15, loss="poisson"), "positive", ("predict",), True,
    ),
    "HistGradientBoostingRegressor, gamma": (
        HistGradientBoostingRegressor(max_iter=15, loss="gamma"), "positive", ("predict",), True,
    ),
    "HistGradientBoostingRegressor, stopped early": (
        HistGradientBoostingRegressor(max_iter=200, learning_rate=0.5, early_stopping=True), "regression",
        ("predict",), True,
    ),
    "HistGradientBoostingClassifier": (
        HistGradientBoostingClassifier(max_iter=15), "binary", PROBABILITIES + DECISION, True,
    ),
    "HistGradientBoostingClassifier, three": (
        HistGradientBoostingClassifier(max_iter=15), "three classes", PROBABILITIES + DECISION, True,
    ),
    "BaggingRegressor of some features": (
        BaggingRegressor(max_features=0.6, **SMALL), "regression", ("predict",), True,
    ),
    "BaggingRegressor of features drawn again": (
        BaggingRegressor(ExtraTreeRegressor(), max_features=0.9, bootstrap_features=True, **SMALL), "three outputs",
        ("predict",), True,
    ),
    "BaggingClassifier": (BaggingClassifier(max_features=0.6, **SMALL), "three classes", PROBABILITIES, True),
    "AdaBoostClassifier": (
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), **SMALL), "binary", PROBABILITIES + DECISION, False,
    ),
    "AdaBoostClassifier, three": (
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), **SMALL), "three classes",
        PROBABILITIES + DECISION, False,
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "missing"),
    [(name, missing) for name, (*_, may_miss) in SKLEARN.items() for missing in (False, True)[: 1 + may_miss]],
)
def test_scikit_learn(name, missing):
    """Trees, forests, boosting, bagging; averages, sums, links; NaN where the model takes it."""
    model, task, responses, _ = SKLEARN[name]
    X, target = table(missing=missing)
    assert_reproduced(model.fit(X, targets(target)[task]), X, task, responses)


@pytest.mark.parametrize("options", [{"max_features": 0.7}, {"contamination": 0.2, "max_samples": 50}])
@pytest.mark.parametrize("missing", [False, True])
def test_isolation_forest(options, missing):
    """Depths of leaves become the decision function; raw is the score before the offset."""
    X, _ = table(missing=missing)
    model = IsolationForest(**SMALL, **options).fit(X)
    assert_reproduced(model, X, "detection", DECISION)
    score = tree_oracle.predictions(tree_ensemble(model, None, "raw"), X[:50])
    assert_allclose(score, model.score_samples(X[:50]), rtol=1e-13)


@pytest.mark.parametrize("n_rows", [1, 2])
def test_isolation_forest_of_hardly_any_rows(n_rows):
    """One row isolates nothing, and two are one split apart; the library sets what they score."""
    X, _ = table()
    model = IsolationForest(max_samples=n_rows, **SMALL).fit(X)
    assert_reproduced(model, X, "detection", DECISION)


def test_a_bagged_tree_that_never_saw_a_class():
    """A tree whose sample lacks the second class gives it no share."""
    X, target = table()
    y = targets(target)["three classes"]
    model = BaggingClassifier(**SMALL).fit(X, y)
    model.estimators_[0] = DecisionTreeClassifier(max_depth=3).fit(X[y != 1], y[y != 1])
    assert_reproduced(model, X, "three classes", PROBABILITIES)


def test_log_odds_of_a_forest_are_infinite_where_the_library_says_so():
    """Votes of fully grown trees sum to 0 and n, and no rounding makes them large numbers instead."""
    X, target = table()
    model = RandomForestClassifier(30, random_state=0).fit(X, target > 0)
    expected = library_says(model, X, 1, "log_odds")
    assert np.isinf(expected).sum() > 10
    assert_array_equal(np.isinf(tree_oracle.predictions(tree_ensemble(model, 1, "log_odds"), X)), np.isinf(expected))


# XGBoost -----------------------------------------------------------------------------------------

XGB = {"n_estimators": 12, "max_depth": 4, "n_jobs": 1}
DART = {**XGB, "booster": "dart", "rate_drop": 0.3}
XGBOOST = {
    "squared error": (xgboost.XGBRegressor(**XGB), "regression", ("predict",)),
    "base score": (xgboost.XGBRegressor(base_score=7.5, **XGB), "regression", ("predict",)),
    "absolute error": (xgboost.XGBRegressor(objective="reg:absoluteerror", **XGB), "regression", ("predict",)),
    "pseudo-Huber": (xgboost.XGBRegressor(objective="reg:pseudohubererror", **XGB), "regression", ("predict",)),
    "squared log error": (xgboost.XGBRegressor(objective="reg:squaredlogerror", **XGB), "positive", ("predict",)),
    "poisson": (xgboost.XGBRegressor(objective="count:poisson", **XGB), "positive", ("predict",)),
    "gamma": (xgboost.XGBRegressor(objective="reg:gamma", base_score=0.3, **XGB), "positive", ("predict",)),
    "tweedie": (xgboost.XGBRegressor(objective="reg:tweedie", **XGB), "positive", ("predict",)),
    "cox": (xgboost.XGBRegressor(objective="survival:cox", **XGB), "positive", ("predict",)),
    "margins": (xgboost.XGBRegressor(objective="binary:logitraw", **XGB), "share", ("predict",)),
    "an objective of one's own": (
        xgboost.XGBRegressor(objective=lambda y, m: (m - y, np.ones_like(m)), **XGB), "regression", ("predict",),
    ),
    "shares": (xgboost.XGBRegressor(objective="reg:logistic", **XGB), "share", ("predict",)),
    "quantiles": (
        xgboost.XGBRegressor(objective="reg:quantileerror", quantile_alpha=[0.2, 0.5, 0.8], **XGB), "regression",
        ("predict",),
    ),
    "outputs": (xgboost.XGBRegressor(**XGB), "three outputs", ("predict",)),
    "outputs in one tree": (
        xgboost.XGBRegressor(multi_strategy="multi_output_tree", **XGB), "three outputs", ("predict",),
    ),
    "dart": (xgboost.XGBRegressor(**DART), "regression", ("predict",)),
    "dart, three classes": (xgboost.XGBClassifier(**DART), "three classes", PROBABILITIES),
    "binary": (xgboost.XGBClassifier(**XGB), "binary", PROBABILITIES),
    "binary, base score": (xgboost.XGBClassifier(base_score=0.2, **XGB), "binary", PROBABILITIES),
    "three classes": (xgboost.XGBClassifier(**XGB), "three classes", PROBABILITIES),
    "three classes, softmax": (xgboost.XGBClassifier(objective="multi:softmax", **XGB), "three classes", PROBABILITIES),
    "three classes in one tree": (
        xgboost.XGBClassifier(multi_strategy="multi_output_tree", **XGB), "three classes", PROBABILITIES,
    ),
    "random forest": (xgboost.XGBRFRegressor(**XGB), "regression", ("predict",)),
    "random forest, three classes": (xgboost.XGBRFClassifier(**XGB), "three classes", PROBABILITIES),
    "forests boosted": (xgboost.XGBRegressor(num_parallel_tree=3, subsample=0.5, **XGB), "regression", ("predict",)),
}  # fmt: skip


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("name", XGBOOST)
def test_xgboost(name, missing):
    """Every objective and both boosters, to the single precision in which XGBoost sums."""
    model, task, responses = XGBOOST[name]
    X, target = table(missing=missing)
    assert_reproduced(model.fit(X, targets(target)[task]), X, task, responses, SINGLE)


@pytest.mark.parametrize("booster", ["gbtree", "dart"])
def test_xgboost_summed_in_double_precision(booster):
    """The library names the leaf of each row, its text dump names their values: summed anew they agree."""
    X, target = table(missing=True)
    options = {"rate_drop": 0.3, "booster": "dart"} if booster == "dart" else {}
    model = xgboost.XGBRegressor(n_estimators=40, base_score=0.25, **options).fit(X, target)
    rows = phantoms(X)
    dump = model.get_booster().trees_to_dataframe()
    leaf_value = dump[dump["Feature"] == "Leaf"].set_index("ID")["Gain"].astype(np.float32).astype(np.float64)
    state = json.loads(bytes(model.get_booster().save_raw("json")))["learner"]["gradient_booster"]
    weights = np.float32(state.get("weight_drop", np.ones(40))).astype(np.float64)
    expected = np.full(len(rows), 0.25)
    for tree, leaves in enumerate(model.apply(rows).astype(int).T):
        expected += weights[tree] * leaf_value[[f"{tree}-{leaf}" for leaf in leaves]].to_numpy()
    assert_allclose(tree_oracle.predictions(tree_ensemble(model, None, "predict"), rows), expected, rtol=1e-12)


@pytest.mark.parametrize("task", ["regression", "three classes"])
def test_xgboost_stopped_early(task):
    """The estimator predicts with the trees up to the best iteration, its booster with all of them."""
    X, target = table()
    y = targets(target)[task]
    kind = xgboost.XGBRegressor if task == "regression" else xgboost.XGBClassifier
    model = kind(n_estimators=100, learning_rate=0.6, early_stopping_rounds=3, n_jobs=1)
    model.fit(X[:250], y[:250], eval_set=[(X[250:], y[250:])], verbose=False)
    assert model.best_iteration + 1 < model.get_booster().num_boosted_rounds()
    assert_reproduced(model, X, task, ("predict",) if task == "regression" else PROBABILITIES, SINGLE)
    if task == "regression":
        got = tree_oracle.predictions(tree_ensemble(model.get_booster(), None, "predict"), X[:50])
        assert_allclose(got, model.get_booster().predict(xgboost.DMatrix(X[:50])), rtol=SINGLE, atol=SINGLE)


def test_xgboost_missing_by_another_number():
    """`missing=-999` makes that number missing, in training and in prediction."""
    X, target = table(missing=True)
    X = np.nan_to_num(X, nan=-999.0)
    assert_reproduced(xgboost.XGBRegressor(missing=-999.0, **XGB).fit(X, target), X, "regression", ("predict",), SINGLE)


def test_xgboost_booster_of_classes():
    """A booster knows no classes: its outputs are the columns that it returns."""
    X, target = table()
    y = targets(target)["three classes"]
    booster = xgboost.train({"objective": "multi:softprob", "num_class": 3}, xgboost.DMatrix(X, y), 8)
    for position in range(3):
        got = tree_oracle.predictions(tree_ensemble(booster, position, "predict"), X[:60])
        assert_allclose(got, booster.predict(xgboost.DMatrix(X[:60]))[:, position], rtol=0, atol=SINGLE)
        raw = tree_oracle.predictions(tree_ensemble(booster, position, "raw"), X[:60])
        expected = booster.predict(xgboost.DMatrix(X[:60]), output_margin=True)[:, position]
        assert_allclose(raw, expected, rtol=0, atol=SINGLE)


@pytest.mark.parametrize("objective", ["rank:ndcg", "rank:pairwise"])
def test_xgboost_ranking(objective):
    """A ranker predicts its raw score."""
    X, target = table()
    y, groups = targets(target)["three classes"], np.repeat(np.arange(N // 10), 10)
    model = xgboost.XGBRanker(objective=objective, **XGB).fit(X, y, qid=groups)
    assert_reproduced(model, X, "ranking", ("predict",), SINGLE)


# LightGBM ----------------------------------------------------------------------------------------

LGB = {"n_estimators": 12, "min_child_samples": 5, "verbose": -1, "n_jobs": 1}
LGB_KINDS = {
    "gbdt": LGB,
    "dart": {**LGB, "boosting_type": "dart", "drop_rate": 0.5},
    "rf": {**LGB, "boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.6},
}
LIGHTGBM = {
    "squared error": ({}, "regression", ("predict",)),
    "absolute error": ({"objective": "l1"}, "regression", ("predict",)),
    "huber": ({"objective": "huber"}, "regression", ("predict",)),
    "fair": ({"objective": "fair"}, "regression", ("predict",)),
    "quantile": ({"objective": "quantile"}, "regression", ("predict",)),
    "mape": ({"objective": "mape"}, "positive", ("predict",)),
    "squared error of the root": ({"reg_sqrt": True}, "regression", ("predict",)),
    "fair, of the root": ({"objective": "fair", "reg_sqrt": True}, "regression", ("predict",)),
    "poisson": ({"objective": "poisson"}, "positive", ("predict",)),
    "gamma": ({"objective": "gamma"}, "positive", ("predict",)),
    "tweedie": ({"objective": "tweedie"}, "positive", ("predict",)),
    "cross entropy": ({"objective": "xentropy"}, "share", ("predict",)),
    "cross entropy, lambda": ({"objective": "xentlambda"}, "share", ("predict",)),
    "binary": ({"sigmoid": 1.7}, "binary", PROBABILITIES + DECISION),
    "three classes": ({}, "three classes", PROBABILITIES + DECISION),
    "one against all": ({"objective": "multiclassova", "sigmoid": 0.7}, "three classes", PROBABILITIES + DECISION),
}


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("kind", LGB_KINDS)
@pytest.mark.parametrize("name", LIGHTGBM)
def test_lightgbm(name, kind, missing):
    """Every objective and booster; without NaN in training, NaN counts as 0."""
    options, task, responses = LIGHTGBM[name]
    estimator = lightgbm.LGBMClassifier if task in {"binary", "three classes"} else lightgbm.LGBMRegressor
    model = estimator(**LGB_KINDS[kind], **options)
    if not hasattr(model, "decision_function"):
        responses = tuple(response for response in responses if response != "decision_function")
    X, target = table(missing=missing)
    model.fit(X, targets(target)[task])
    assert_reproduced(model, X, task, responses)
    assert_reproduced(model, table(missing=True)[0], task, responses[:1])


@pytest.mark.parametrize("kind", LGB_KINDS)
def test_lightgbm_raw_score(kind):
    """The raw score of a random forest is the sum of its trees, not their mean."""
    X, target = table()
    model = lightgbm.LGBMRegressor(**LGB_KINDS[kind]).fit(X, target)
    got = tree_oracle.predictions(tree_ensemble(model, None, "raw"), X[:50])
    assert_allclose(got, model.predict(X[:50], raw_score=True), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", ["gbdt", "dart"])
def test_lightgbm_by_an_objective_of_ones_own(kind):
    """The sum of the leaves is the prediction."""
    X, target = table()
    model = lightgbm.LGBMRegressor(objective=lambda y, m: (m - y, np.ones_like(m)), **LGB_KINDS[kind]).fit(X, target)
    assert_reproduced(model, X, "regression", ("predict",))


def test_lightgbm_stopped_early_and_its_booster():
    """Both predict with the trees up to the best iteration, even where later ones are kept."""
    X, target = table()
    model = lightgbm.LGBMRegressor(**{**LGB, "n_estimators": 200}, learning_rate=0.6, early_stopping_round=3)
    model.fit(X[:250], target[:250], eval_set=[(X[250:], target[250:])])
    assert len(tree_ensemble(model, None, "predict").root) == model.best_iteration_ < 200
    assert_reproduced(model, X, "regression", ("predict",))
    data = lightgbm.Dataset(X[:250], target[:250])
    options = {"learning_rate": 0.6, "verbose": -1, "early_stopping_round": 3}
    valid = [data.create_valid(X[250:], target[250:])]
    booster = lightgbm.train(options, data, 200, valid, keep_training_booster=True)
    assert len(tree_ensemble(booster, None, "predict").root) == booster.best_iteration < booster.current_iteration()
    assert_reproduced(booster, X, "regression", ("predict",))


def test_lightgbm_ranking():
    """A ranker predicts its raw score."""
    X, target = table()
    y = targets(target)["three classes"]
    assert_reproduced(lightgbm.LGBMRanker(**LGB).fit(X, y, group=np.full(N // 10, 10)), X, "ranking", ("predict",))


def test_lightgbm_booster_of_classes():
    """A booster returns one column per class."""
    X, target = table()
    data = lightgbm.Dataset(X, targets(target)["three classes"], params={"verbose": -1})
    booster = lightgbm.train({"objective": "multiclass", "num_class": 3, "verbose": -1}, data, 8)
    for position in range(3):
        got = tree_oracle.predictions(tree_ensemble(booster, position, "predict"), X[:60])
        assert_allclose(got, booster.predict(X[:60])[:, position], rtol=0, atol=CLOSE)


def test_lightgbm_that_found_nothing_to_split():
    """Trees of one leaf are a constant."""
    X = np.zeros((100, 2))
    model = lightgbm.LGBMRegressor(**LGB).fit(X, np.arange(100.0))
    ensemble = tree_ensemble(model, None, "predict")
    assert (len(ensemble.root), len(ensemble.feature)) == (1, 1)
    assert_allclose(tree_oracle.predictions(ensemble, X), 49.5)


# CatBoost ----------------------------------------------------------------------------------------

CAT = {"iterations": 10, "depth": 4, "verbose": 0, "allow_writing_files": False, "thread_count": 1}
CATBOOST = {
    "RMSE": ("regression", ("predict",)),
    "MAE": ("regression", ("predict",)),
    "Poisson": ("positive", ("predict",)),
    "Tweedie:variance_power=1.5": ("positive", ("predict",)),
    "Logloss": ("binary", PROBABILITIES),
    "CrossEntropy": ("binary", PROBABILITIES),
    "MultiClass": ("three classes", PROBABILITIES),
    "MultiClassOneVsAll": ("three classes", PROBABILITIES),
    "MultiRMSE": ("three outputs", ("predict",)),
}


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(
    ("loss", "policy"),
    [
        (loss, policy)
        for loss in CATBOOST
        for policy in ("SymmetricTree", "Lossguide", "Depthwise")
        if loss != "MultiRMSE" or policy == "SymmetricTree"  # which grows only so
    ],
)
def test_catboost(loss, policy, missing):
    """Symmetric trees and others; a sum in double precision, like ours."""
    task, responses = CATBOOST[loss]
    X, target = table(missing=missing)
    estimator = catboost.CatBoostClassifier if task in {"binary", "three classes"} else catboost.CatBoostRegressor
    model = estimator(loss_function=loss, grow_policy=policy, **CAT).fit(X, targets(target)[task])
    assert_reproduced(model, X, task, responses)


@pytest.mark.parametrize("mode", ["Min", "Max"])
def test_catboost_puts_missing_values_at_either_end(mode):
    """NaN goes left of every border, or right."""
    X, target = table(missing=True)
    model = catboost.CatBoostRegressor(nan_mode=mode, **CAT).fit(X, target)
    assert_reproduced(model, X, "regression", ("predict",))


def test_catboost_mean_and_variance():
    """RMSEWithUncertainty predicts a mean and a variance."""
    X, target = table()
    model = catboost.CatBoostRegressor(loss_function="RMSEWithUncertainty", **CAT).fit(X, target)
    for position in range(2):
        got = tree_oracle.predictions(tree_ensemble(model, position, "predict"), X)
        assert_allclose(got, model.predict(X)[:, position], rtol=1e-12)


def test_catboost_stopped_early_ranked_and_summed():
    """The best iteration, a ranker's raw score, and a sum of models with weights."""
    X, target = table()
    model = catboost.CatBoostRegressor(**{**CAT, "iterations": 200}, learning_rate=0.6, early_stopping_rounds=3)
    model.fit(X[:250], target[:250], eval_set=(X[250:], target[250:]))
    assert len(tree_ensemble(model, None, "predict").root) == model.tree_count_ < 100
    assert_reproduced(model, X, "regression", ("predict",))
    ranker = catboost.CatBoostRanker(**CAT).fit(X, target, group_id=np.repeat(np.arange(N // 10), 10))
    assert_reproduced(ranker, X, "ranking", ("predict",))
    other = catboost.CatBoostRegressor(**CAT).fit(X, target**2)
    assert_reproduced(catboost.sum_models([model, other], weights=[0.7, -0.2]), X, "regression", ("predict",))


def test_catboost_that_leaves_its_categories_unused():
    """Positions are those of X, whatever kinds of columns stand between."""
    X, target = table()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame.insert(1, "same", "always")
    model = catboost.CatBoostRegressor(cat_features=["same"], **CAT).fit(frame, target)
    assert_reproduced(model, frame, "regression", ("predict",))


# Categories --------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("kind", ["codes", "text", "whole numbers", "ordered"])
@pytest.mark.parametrize("task", ["regression", "three classes"])
@pytest.mark.parametrize("library", ["scikit-learn", "LightGBM", "XGBoost", "XGBoost, one at a time"])
def test_categories(library, task, kind, missing):
    """Splits on sets of 60 categories, given as codes in an array or by the dtype of a column."""
    X, target = table(missing=missing, categories=True)
    X = X if kind == "codes" else labelled(X, kind)
    y, responses = targets(target)[task], ("predict",) if task == "regression" else PROBABILITIES
    tolerance = SINGLE if library.startswith("XGBoost") else CLOSE
    if library == "scikit-learn":
        estimators = HistGradientBoostingRegressor, HistGradientBoostingClassifier
        options = {"max_iter": 15} | ({"categorical_features": [5, 1]} if kind == "codes" else {})
    elif library == "LightGBM":
        estimators = lightgbm.LGBMRegressor, lightgbm.LGBMClassifier
        options = {**LGB, "min_data_per_group": 2, "cat_smooth": 1.0, "max_cat_threshold": 64}
        options |= {"categorical_feature": [5]} if kind == "codes" else {}
    else:
        estimators = xgboost.XGBRegressor, xgboost.XGBClassifier
        options = {**XGB, "enable_categorical": True, "max_cat_to_onehot": 100 if "one at" in library else 1}
        options |= {"feature_types": ["q"] * 5 + ["c"]} if kind == "codes" else {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "categorical_feature", UserWarning)
        model = estimators[task == "three classes"](**options).fit(X, y)
        ensemble = tree_ensemble(model, 0, responses[0], categorical_columns(X))
        if (library, kind) != ("LightGBM", "ordered"):  # which takes an order for numbers
            sizes = np.diff(ensemble.categorical.start)
            assert len(sizes) > 0
            assert "XGBoost, one" in library or ensemble.categorical.codes.max() > 32
        assert_reproduced(model, X, task, responses, tolerance)


@pytest.mark.parametrize("code", [-7.0, -1.0, -0.5, 0.5, 1.5, 59.9, 60.0, 200.0, 3e9, np.nan])
@pytest.mark.parametrize("library", ["scikit-learn", "LightGBM", "XGBoost"])
def test_codes_that_training_never_saw(library, code):
    """Negative, unknown and fractional codes go where the library sends them."""
    X, target = table(categories=True)
    model = {
        "scikit-learn": HistGradientBoostingRegressor(max_iter=10, categorical_features=[5]),
        "LightGBM": lightgbm.LGBMRegressor(categorical_feature=[5], min_data_per_group=2, cat_smooth=1.0, **LGB),
        "XGBoost": xgboost.XGBRegressor(
            enable_categorical=True, feature_types=["q"] * 5 + ["c"], max_cat_to_onehot=1, **XGB
        ),
    }[library]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "categorical_feature", UserWarning)
        model.fit(X, target)
    rows = phantoms(X)
    rows[:, 5] = code
    got = tree_oracle.predictions(tree_ensemble(model, None, "predict"), rows)
    assert_allclose(got, model.predict(rows), rtol=0, atol=SINGLE if library == "XGBoost" else CLOSE * 10)


def test_labels_that_training_never_saw_count_as_missing():
    """scikit-learn encodes an unknown label as missing."""
    X, target = table(categories=True)
    frame = labelled(X, "text")
    model = HistGradientBoostingRegressor(max_iter=10).fit(frame, target)
    ensemble = tree_ensemble(model, None, "predict")
    codes = ensemble.as_compared(5, np.array(["level 7", "elsewhere", None], dtype=object))
    assert_array_equal(np.isnan(codes), [False, True, True])
    assert ensemble.levels[5][int(codes[0])] == "level 7"


# Adversarial thresholds --------------------------------------------------------------------------


def colliding():
    """Numbers closer together than float32 can tell, and a target that depends on such steps."""
    rng = np.random.default_rng(5)
    X = 1e4 + 0.05 * rng.random((1200, 3))
    X[:, 2] = rng.integers(0, 6, 1200)
    return X, 100.0 * (np.sin(400.0 * X[:, 0]) + 30.0 * (X[:, 1] - 1e4) + X[:, 2])


ADVERSARIES = {
    "RandomForest": (RandomForestRegressor(12, random_state=0), CLOSE, {"comparison", "input_dtype"}),
    # Its thresholds are drawn between values, so that no value equals one.
    "ExtraTrees": (ExtraTreesRegressor(12, random_state=0), CLOSE, {"input_dtype"}),
    "HistGradientBoosting": (HistGradientBoostingRegressor(max_iter=25), CLOSE, {"comparison", "input_dtype"}),
    "XGBoost": (xgboost.XGBRegressor(n_estimators=25, max_bin=4096, n_jobs=1), SINGLE, {"comparison", "input_dtype"}),
    "LightGBM": (lightgbm.LGBMRegressor(n_estimators=25, max_bin=4096, verbose=-1, n_jobs=1), CLOSE,
                 {"comparison", "input_dtype"}),
    "CatBoost": (catboost.CatBoostRegressor(**{**CAT, "iterations": 25}), CLOSE, {"comparison", "input_dtype"}),
}  # fmt: skip


def rows_at_thresholds(ensemble, X):
    """Real rows with a column moved to a threshold, to its two neighbours and to its float32."""
    rng = np.random.default_rng(6)
    rows = []
    for j in range(ensemble.n_features):
        exact = np.unique(ensemble.threshold[ensemble.feature == j])
        exact = rng.permutation(exact)[:60]
        for values in (exact, np.nextafter(exact, -np.inf), np.nextafter(exact, np.inf), np.float32(exact)):
            moved = X[rng.integers(0, len(X), len(exact))]
            moved[:, j] = values
            rows.append(moved)
    return np.concatenate(rows)


@pytest.mark.parametrize("name", ADVERSARIES)
def test_thresholds_are_met_to_the_last_bit(name):
    """At thresholds and beside them the library agrees, and a wrong rounding or comparison is seen to be wrong."""
    model, tolerance, visible = ADVERSARIES[name]
    X, target = colliding()
    model.fit(X, target)
    ensemble = tree_ensemble(model, None, "predict")
    rows = rows_at_thresholds(ensemble, X)
    expected = np.asarray(model.predict(rows), np.float64)
    size = np.abs(expected).max()
    assert_allclose(tree_oracle.predictions(ensemble, rows), expected, rtol=0, atol=tolerance * size)
    mutants = {
        "comparison": dataclasses.replace(ensemble, comparison="lt" if ensemble.comparison == "le" else "le"),
        "input_dtype": dataclasses.replace(
            ensemble, input_dtype=np.dtype(np.float64 if ensemble.input_dtype == np.float32 else np.float32)
        ),
    }
    for mutation in visible:
        error = np.abs(tree_oracle.predictions(mutants[mutation], rows) - expected).max()
        assert error > 1e-3 * size, f"a wrong {mutation} went unnoticed"


def test_lightgbm_takes_tiny_numbers_for_zero():
    """Where zero has bins of its own, its neighbours within 1e-35 belong to them."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(1000, 1))
    X[rng.random(1000) < 0.5] = 0.0
    model = lightgbm.LGBMRegressor(n_estimators=8, verbose=-1).fit(X, np.where(X[:, 0] == 0, 5.0, np.sign(X[:, 0])))
    ensemble = tree_ensemble(model, None, "predict")
    thresholds = ensemble.threshold[ensemble.feature == 0]
    assert {-1, 1} <= set(np.sign(thresholds[np.abs(thresholds) < 1e-30]))
    edge = float(np.float32(1e-35))
    near = [0.0, edge, np.nextafter(edge, 0.0), np.nextafter(edge, 1.0), 1e-36, 1e-300, 1.0]
    rows = np.array([*near, *(-x for x in near)])[:, None]
    assert_allclose(tree_oracle.predictions(ensemble, rows), model.predict(rows), rtol=1e-13)
    unaware = dataclasses.replace(ensemble, zero_below=0.0)
    assert np.abs(tree_oracle.predictions(unaware, rows) - model.predict(rows)).max() > 0.1


@pytest.mark.parametrize("name", ["HistGradientBoosting", "XGBoost", "LightGBM", "CatBoost"])
def test_nan_where_training_had_none(name):
    """Each library has its rule for a missing value that it never met."""
    X, target = table()
    model = ADVERSARIES[name][0].fit(X, target)
    rows = phantoms(table(missing=True)[0])
    got = tree_oracle.predictions(tree_ensemble(model, None, "predict"), rows)
    assert_allclose(got, model.predict(rows), rtol=0, atol=ADVERSARIES[name][1] * 10)


@pytest.mark.parametrize("name", ["LightGBM", "CatBoost"])
def test_infinite_values(name):
    """Infinity lies beyond every threshold."""
    X, target = table(missing=True)
    model = ADVERSARIES[name][0].fit(X, target)
    rows = phantoms(X)
    rows[::3, 0], rows[1::3, 0] = np.inf, -np.inf
    got = tree_oracle.predictions(tree_ensemble(model, None, "predict"), rows)
    assert_allclose(got, model.predict(rows), rtol=0, atol=CLOSE * 10)


# An outside oracle -------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("name", ["RandomForest", "ExtraTrees", "HistGradientBoosting", "XGBoost", "LightGBM"])
def test_treelite_agrees(name, missing):
    """Treelite reads the same models by code that is none of ours; it needs the rounding of X."""
    treelite = pytest.importorskip("treelite")
    X, target = table(missing=missing)
    model, tolerance, _ = ADVERSARIES[name]
    model.fit(X, target)
    if name == "XGBoost":
        outside = treelite.frontend.from_xgboost(model.get_booster())
    elif name == "LightGBM":
        outside = treelite.frontend.from_lightgbm(model.booster_)
    else:
        outside = treelite.sklearn.import_model(model)
    ensemble = tree_ensemble(model, None, "predict")
    rows = tree_oracle.compared_columns(ensemble, phantoms(X))
    rows = rows.astype(np.float32) if name == "XGBoost" else rows
    expected = treelite.gtil.predict(outside, rows, nthread=1).ravel()
    assert_allclose(tree_oracle.predictions(ensemble, phantoms(X)), expected, rtol=0, atol=tolerance * 10)


# Random forests ----------------------------------------------------------------------------------


@hypothesis.given(data=st.data())
@hypothesis.settings(max_examples=40)
def test_any_small_forest(data):
    """Few rows, ties, missing values, any depth: averages of leaves are those of the library."""
    n_rows, n_features = data.draw(st.integers(2, 25)), data.draw(st.integers(1, 3))
    number = st.sampled_from([-1e300 / 1e270, -2.5, -0.0, 0.0, 1e-30, 0.1, 1.0, 1.0 + 2**-30, 7.0, 16777217.0, np.nan])
    X = np.array([[data.draw(number) for _ in range(n_features)] for _ in range(n_rows)])
    y = np.array([data.draw(st.integers(-3, 3)) for _ in range(n_rows)], float)
    kind = data.draw(st.sampled_from([RandomForestRegressor, ExtraTreesRegressor]))
    model = kind(data.draw(st.integers(1, 5)), max_depth=data.draw(st.sampled_from([1, 3, None])), random_state=0)
    model.fit(X, y)
    got = tree_oracle.predictions(tree_ensemble(model, None, "predict"), X)
    assert_allclose(got, model.predict(X), rtol=1e-13, atol=1e-13)


# The sum before the link -------------------------------------------------------------------------


def test_the_sum_of_the_leaves_itself():
    """`raw` is what each library calls margin, raw score or raw formula value."""
    X, target = table()
    y, rows = targets(target), phantoms(X)
    histogram = HistGradientBoostingRegressor(max_iter=10, loss="poisson").fit(X, y["positive"])
    forest = RandomForestRegressor(5).fit(X, target)
    votes = AdaBoostClassifier(n_estimators=5).fit(X, y["binary"])
    margins = xgboost.XGBClassifier(**XGB).fit(X, y["binary"])
    scores = lightgbm.LGBMRegressor(objective="gamma", **LGB).fit(X, y["positive"])
    formula = catboost.CatBoostClassifier(**CAT).fit(X, y["three classes"])
    for model, position, expected in [
        (histogram, None, np.log(histogram.predict(rows))),
        (forest, None, forest.predict(rows)),
        (votes, None, votes.decision_function(rows)),
        (margins, None, margins.predict(rows, output_margin=True)),
        (margins, 0, -margins.predict(rows, output_margin=True)),
        (scores, None, scores.predict(rows, raw_score=True)),
        (formula, 2, formula.predict(rows, prediction_type="RawFormulaVal")[:, 2]),
    ]:
        ensemble = tree_ensemble(model, position, "raw")
        assert ensemble.link == Link()
        tolerance = SINGLE if model is margins else 1e-12
        assert_allclose(tree_oracle.predictions(ensemble, rows), expected, rtol=tolerance, atol=tolerance)


# The layout --------------------------------------------------------------------------------------


def test_every_array_of_the_layout():
    """A stump of two leaves, seen whole."""
    X = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [0.0, 4.0]])
    model = RandomForestRegressor(2, max_depth=1, bootstrap=False, random_state=0).fit(X, [1.0, 1.0, 5.0, 5.0])
    ensemble = tree_ensemble(model, None, "predict")
    assert_array_equal(ensemble.feature, [1, -1, -1, 1, -1, -1])
    assert_array_equal(ensemble.threshold, [2.5, np.nan, np.nan, 2.5, np.nan, np.nan])
    assert_array_equal(ensemble.left, [1, -1, -1, 4, -1, -1])
    assert_array_equal(ensemble.right, [2, -1, -1, 5, -1, -1])
    assert_array_equal(ensemble.value, [0.0, 0.5, 2.5, 0.0, 0.5, 2.5])
    assert_array_equal(ensemble.root, [0, 3])
    assert_array_equal(ensemble.margin, [0, 0])
    assert_array_equal(ensemble.base, [0.0])
    dtypes = {field.name: getattr(ensemble, field.name) for field in dataclasses.fields(ensemble)}
    dtypes = {name: str(array.dtype) for name, array in dtypes.items() if isinstance(array, np.ndarray)}
    assert dtypes == {
        "feature": "int32", "threshold": "float64", "left": "int32", "right": "int32", "missing_left": "bool",
        "value": "float64", "root": "int32", "margin": "int32", "base": "float64",
    }  # fmt: skip
    assert (len(ensemble.feature), len(ensemble.root), len(ensemble.base), ensemble.n_features) == (6, 2, 1, 2)
    assert (ensemble.comparison, ensemble.input_dtype, ensemble.library) == ("le", np.float32, "scikit-learn")


@pytest.mark.parametrize("name", ADVERSARIES)
def test_nodes_mean_nothing_where_they_should_not(name):
    """Leaves have no split and inner nodes no value; the model is as it was."""
    X, target = table(missing=True)
    model = ADVERSARIES[name][0].fit(X, target)
    before = model.predict(X)
    ensemble = tree_ensemble(model, None, "predict")
    leaf = ensemble.feature < 0
    assert leaf.any()
    assert_array_equal(ensemble.feature[leaf], -1)
    assert_array_equal(ensemble.left[leaf], -1)
    assert_array_equal(ensemble.right[leaf], -1)
    assert not ensemble.missing_left[leaf].any()
    assert np.isnan(ensemble.threshold[leaf]).all()
    assert not np.isnan(ensemble.threshold[~leaf]).any()
    assert_array_equal(ensemble.value[~leaf], 0.0)
    assert np.all((ensemble.left[~leaf] > np.flatnonzero(~leaf)) & (ensemble.right[~leaf] > np.flatnonzero(~leaf)))
    assert_array_equal(model.predict(X), before)


def test_values_as_they_are_compared():
    """Rounded to float32 and back, or to code numbers; what is given is left alone."""
    X, target = table(categories=True)
    forest = tree_ensemble(RandomForestRegressor(2).fit(X, target), None, "predict")
    values = np.array([0.1, 1e300, np.nan])
    assert_array_equal(forest.as_compared(0, values), [float(np.float32(0.1)), np.inf, np.nan])
    assert_array_equal(forest.as_compared(0, np.array([True, False])), [1.0, 0.0])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "categorical_feature", UserWarning)
        model = lightgbm.LGBMRegressor(categorical_feature=[5], min_data_per_group=2, **LGB).fit(X, target)
    boosted = tree_ensemble(model, None, "predict")
    assert_array_equal(boosted.as_compared(0, np.array([1e-36, -1e-36, 2.5])), [0.0, 0.0, 2.5])
    assert_array_equal(boosted.as_compared(5, np.array([-0.5, 3.7])), [0.0, 3.0])
    assert_array_equal(values, [0.1, 1e300, np.nan])


@pytest.mark.parametrize("m", [-800.0, -30.0, -1.0, 0.0, 0.3, 30.0, 800.0])
def test_links_at_the_ends_of_the_line(m):
    """No link warns or overflows where its result is a number."""
    margins = np.array([[m], [0.5], [-2.0]])
    exponentials = np.exp(margins - margins.max())
    with np.errstate(over="ignore"):
        sigmoid = 1.0 / (1.0 + np.exp(-m))
    assert_allclose(Link("sigmoid").apply(margins), sigmoid)
    assert_allclose(Link("softmax").apply(margins), exponentials[0] / exponentials.sum())
    assert_allclose(Link("softmax_log_odds").apply(margins), m - np.logaddexp(0.5, -2.0))
    assert_allclose(Link("softplus").apply(margins), np.logaddexp(0.0, m))
    assert_allclose(Link("signed_square").apply(margins), m * abs(m))


def test_links_keep_the_shape_of_what_follows_the_margins():
    """(n_margins, …) becomes (…)."""
    margins = np.zeros((3, 4, 5))
    for kind in ("identity", "exp", "sigmoid", "softmax", "softmax_log_odds", "signed_square", "softplus"):
        assert Link(kind, output=2).apply(margins).shape == (4, 5)
    assert_allclose(Link("softmax", output=2).apply(margins), 1 / 3)


def test_log_odds_know_rounding_from_a_vote():
    """What lies closer to 0 or 1 than a single leaf can is 0 or 1."""
    p = np.array([[1e-17, 0.01, 0.5, 0.99, 1.0 + 1e-16, 1.0 - 1e-15]])
    expected = [-np.inf, np.log(0.01 / 0.99), 0.0, np.log(0.99 / 0.01), np.inf, np.inf]
    assert_allclose(Link("logit", resolution=0.005).apply(p), expected, atol=1e-15)


# What is refused ---------------------------------------------------------------------------------


class OfOnesOwn(RandomForestRegressor):
    """A forest with a predict of its own."""

    def predict(self, X):
        return 2.0 * super().predict(X)


class Named(RandomForestRegressor):
    """A forest with nothing changed."""


# What cannot be read, the response that is explained, and why.
X_, TARGET = table()
Y = targets(TARGET)
RNG = np.random.default_rng(8)
ZEROS = np.where(RNG.random(X_.shape) < 0.3, 0.0, X_)
MIXED = pd.DataFrame({"a": X_[:, 0], "b": np.array(["x", "y", "z"])[RNG.integers(0, 3, N)]})
TIE = (
    "The class predicted by {} is ambiguous where classes tie, and ties depend on the order in which the trees "
    "are summed."
)
UNKNOWN = "How {} transforms the sum of the leaves for the objective {!r} is unknown."
SEVERAL = np.column_stack([Y["binary"], Y["three classes"]])
REFUSED = {
    "no trees": (
        lambda: LinearRegression().fit(X_, TARGET), "predict",
        "LinearRegression is not a supported tree ensemble.",
    ),
    "a function": (
        lambda: np.sin, "predict", "ufunc is not a supported tree ensemble.",
    ),
    "overridden": (
        lambda: OfOnesOwn(2).fit(X_, TARGET), "predict",
        "OfOnesOwn overrides predict(), which the trees of RandomForestRegressor may not reproduce.",
    ),
    "weighted median": (
        lambda: AdaBoostRegressor(n_estimators=3).fit(X_, TARGET), "predict",
        "AdaBoostRegressor predicts a weighted median of its trees, not a sum.",
    ),
    "predicted class, forest": (
        lambda: RandomForestClassifier(5).fit(X_, Y["binary"]), "predict", TIE.format("RandomForestClassifier"),
    ),
    "predicted class, bagging": (
        lambda: BaggingClassifier(n_estimators=3).fit(X_, Y["binary"]), "predict", TIE.format("BaggingClassifier"),
    ),
    "predicted class, AdaBoost": (
        lambda: AdaBoostClassifier(n_estimators=3).fit(X_, Y["binary"]), "predict", TIE.format("AdaBoostClassifier"),
    ),
    "predicted class, boosting": (
        lambda: GradientBoostingClassifier(n_estimators=3).fit(X_, Y["binary"]), "predict",
        TIE.format("GradientBoostingClassifier"),
    ),
    "predicted class, histograms": (
        lambda: HistGradientBoostingClassifier(max_iter=3).fit(X_, Y["binary"]), "predict",
        TIE.format("HistGradientBoostingClassifier"),
    ),
    "predicted class, XGBoost": (
        lambda: xgboost.XGBClassifier(**XGB).fit(X_, Y["binary"]), "predict", TIE.format("XGBClassifier"),
    ),
    "predicted class, LightGBM": (
        lambda: lightgbm.LGBMClassifier(**LGB).fit(X_, Y["binary"]), "predict", TIE.format("LGBMClassifier"),
    ),
    "predicted class, CatBoost": (
        lambda: catboost.CatBoostClassifier(**CAT).fit(X_, Y["binary"]), "predict", TIE.format("CatBoostClassifier"),
    ),
    "outlier or not": (
        lambda: IsolationForest(n_estimators=3).fit(X_), "predict",
        ("IsolationForest predicts the sign of its decision function, and near 0 the sign depends on the "
         'order in which the trees are summed. Use `response="decision_function"`.'),
    ),
    "no such response": (
        lambda: RandomForestClassifier(5).fit(X_, Y["binary"]), "decision_function",
        "RandomForestClassifier has no decision_function.",
    ),
    "no such response of a regressor": (
        lambda: xgboost.XGBRegressor(**XGB).fit(X_, TARGET), "predict_proba", "XGBRegressor has no predict_proba.",
    ),
    "classes of several outputs": (
        lambda: DecisionTreeClassifier(max_depth=2).fit(X_, SEVERAL), "predict_proba",
        "DecisionTreeClassifier is a multi-output classifier.",
    ),
    "bagging of something else": (
        lambda: BaggingRegressor(LinearRegression(), n_estimators=2).fit(X_, TARGET), "predict",
        "BaggingRegressor is supported only if its members are single trees, not LinearRegression.",
    ),
    "a start that is no constant": (
        lambda: GradientBoostingRegressor(n_estimators=2, init=LinearRegression()).fit(X_, TARGET), "predict",
        "GradientBoostingRegressor starts from the predictions of LinearRegression, which are not a sum of trees.",
    ),
    "linear booster": (
        lambda: xgboost.XGBRegressor(booster="gblinear", n_estimators=3).fit(X_, TARGET), "predict",
        "The XGBoost booster 'gblinear' has no trees.",
    ),
    "hinge": (
        lambda: xgboost.XGBClassifier(objective="binary:hinge", **XGB).fit(X_, Y["binary"]), "predict_proba",
        UNKNOWN.format("XGBoost", "binary:hinge"),
    ),
    "class of a booster": (
        lambda: xgboost.train(
            {"objective": "multi:softmax", "num_class": 3}, xgboost.DMatrix(X_, Y["three classes"]), 2
        ),
        "predict",
        ("The class predicted by Booster is ambiguous where classes tie, and ties depend on the order in which the "
         "trees are summed."),
    ),
    "linear leaves": (
        lambda: lightgbm.LGBMRegressor(linear_tree=True, **LGB).fit(X_, TARGET), "predict",
        "The leaves of these LightGBM trees are linear models, not numbers.",
    ),
    "zero as missing": (
        lambda: lightgbm.LGBMRegressor(zero_as_missing=True, **LGB).fit(ZEROS, TARGET), "predict",
        ("With `zero_as_missing`, LightGBM sends 0 to a different side than the numbers next to it, "
         "which no threshold does."),
    ),
    "prediction stopped early": (
        lambda: lightgbm.LGBMClassifier(pred_early_stop=True, **LGB).fit(X_, Y["binary"]), "predict_proba",
        "With `pred_early_stop`, LightGBM does not sum all trees.",
    ),
    "an objective of one's own": (
        lambda: lightgbm.LGBMClassifier(objective=lambda y, m: (m - y, np.ones_like(m)), **LGB).fit(X_, Y["binary"]),
        "predict_proba", "LGBMClassifier returns no probabilities with a custom objective.",
    ),
    "one category at a time": (
        lambda: catboost.CatBoostRegressor(cat_features=["b"], one_hot_max_size=9, **CAT).fit(MIXED, MIXED["b"] == "y"),
        "predict",
        ("CatBoost encodes categorical, text or embedding features internally "
         "(a split of type 'OneHotFeature'), which is not reproduced."),
    ),
    "categories by their targets": (
        lambda: catboost.CatBoostRegressor(cat_features=["b"], one_hot_max_size=1, **CAT).fit(MIXED, MIXED["b"] == "y"),
        "predict",
        ("CatBoost encodes categorical, text or embedding features internally "
         "(a split of type 'OnlineCtr'), which is not reproduced."),
    ),
    "borders beyond single precision": (
        lambda: catboost.CatBoostRegressor(**CAT).fit(np.array([[1e15], [1e15], [-3e80]]), [0.0, 1.0, 2.0]), "predict",
        ("CatBoost cannot save the trees of this model (CatBoostError: library/cpp/json/writer/json.cpp:259: "
         "JSON writer: invalid float value: -inf)."),
    ),
    "XGBoost has no decision function": (
        lambda: xgboost.XGBClassifier(**XGB).fit(X_, Y["binary"]), "decision_function",
        "XGBClassifier has no decision_function.",
    ),
    "a booster has no classes": (
        lambda: xgboost.train({}, xgboost.DMatrix(X_, TARGET), 1), "predict_proba",
        UNKNOWN.format("XGBoost", "reg:squarederror"),
    ),
    "a booster has no classes either": (
        lambda: lightgbm.LGBMRegressor(**LGB).fit(X_, TARGET).booster_, "log_odds",
        UNKNOWN.format("LightGBM", "regression"),
    ),
    "a LightGBM regressor has no classes": (
        lambda: lightgbm.LGBMRegressor(**LGB).fit(X_, TARGET), "log_odds", "LGBMRegressor has no log_odds.",
    ),
    "probabilities that are counts": (
        lambda: lightgbm.LGBMClassifier(objective="poisson", **LGB).fit(X_, Y["binary"]), "predict_proba",
        UNKNOWN.format("LightGBM", "poisson"),
    ),
    "a CatBoost regressor has no classes": (
        lambda: catboost.CatBoostRegressor(**CAT).fit(X_, TARGET), "log_odds", "CatBoostRegressor has no log_odds.",
    ),
    "CatBoost has no decision function": (
        lambda: catboost.CatBoostClassifier(**CAT).fit(X_, Y["binary"]), "decision_function",
        "CatBoostClassifier has no decision_function.",
    ),
    "a forest for regression has no classes": (
        lambda: RandomForestRegressor(2).fit(X_, TARGET), "log_odds", "RandomForestRegressor has no log_odds.",
    ),
    "a detector has no classes": (
        lambda: IsolationForest(n_estimators=2).fit(X_), "log_odds", "IsolationForest has no log_odds.",
    ),
    "boosting of one class": (
        lambda: AdaBoostClassifier(n_estimators=2).fit(X_, np.zeros(N, int)), "predict_proba",
        "AdaBoostClassifier was fitted on a single class, which it always predicts.",
    ),
    "a loss of one's own": (
        lambda: HistGradientBoostingRegressor(loss=HalfTweedieLoss(power=1.5), max_iter=2).fit(X_, Y["positive"]),
        "predict", UNKNOWN.format("scikit-learn", "HalfTweedieLoss"),
    ),
    "leaves all but pure": (
        lambda: DecisionTreeClassifier(max_depth=1).fit([[0.0], [0.0], [1.0]], [0, 1, 0], [1.0, 1e-13, 1.0]),
        "log_odds",
        "Some leaves are so nearly pure that their probabilities round to 0 or 1 in a sum.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_why(name):
    """One plain sentence, which becomes the note of the explanation."""
    make, response, reason = REFUSED[name]
    model = make()
    with pytest.raises(UnsupportedTreesError) as caught:
        tree_ensemble(model, None, response)
    assert str(caught.value) == reason


def test_predictions_of_a_kind_not_known_yet(monkeypatch):
    """What a later CatBoost or LightGBM may make of the sum is not guessed."""
    X, target = table()
    regressor = catboost.CatBoostRegressor(**CAT).fit(X, target)
    monkeypatch.setattr(regressor, "_get_default_prediction_type", lambda: "Median")
    monkeypatch.delitem(catboost_reader._PROBABILITY_OF_LOSS, "Logloss")
    monkeypatch.delitem(lightgbm_reader._LINK_OF_OBJECTIVE, "regression")
    for model, response, library, name in [
        (regressor, "predict", "CatBoost", "Median"),
        (catboost.CatBoostClassifier(**CAT).fit(X, target > 0), "predict_proba", "CatBoost", "Logloss"),
        (lightgbm.LGBMRegressor(**LGB).fit(X, target), "predict", "LightGBM", "regression"),
    ]:
        with pytest.raises(UnsupportedTreesError) as caught:
            tree_ensemble(model, None, response)
        assert str(caught.value) == UNKNOWN.format(library, name)


def test_more_nodes_than_ids():
    """Ids are 32 bits wide; more raises before any memory is allocated."""
    empty = np.empty(0)
    trees = LocalTrees(np.array([2**30, 2**30]), empty, empty, empty, empty, empty, empty)
    with pytest.raises(UnsupportedTreesError) as caught:
        ensemble_of(
            trees, base=np.zeros(1), n_features=1, comparison="le", input_dtype=np.float32, link=Link(), library="any"
        )
    assert str(caught.value) == "The trees have more than 2**31 - 1 nodes."


def test_a_version_that_keeps_its_trees_otherwise():
    """A missing private attribute is no crash: the model goes to brute force."""
    X, target = table()
    model = HistGradientBoostingRegressor(max_iter=2).fit(X, target)
    del model._baseline_prediction
    with pytest.raises(UnsupportedTreesError) as caught:
        tree_ensemble(model, None, "predict")
    assert str(caught.value) == (
        "This version of scikit-learn stores its trees in an unknown format (AttributeError: "
        "'HistGradientBoostingRegressor' object has no attribute '_baseline_prediction')."
    )


def test_a_subclass_that_changes_no_prediction_is_read():
    """A name of one's own is no reason to be slow."""
    X, target = table()
    assert_reproduced(Named(3, random_state=0).fit(X, target), X, "regression", ("predict",))


def test_a_start_by_a_dummy_is_a_constant():
    """The mean that gradient boosting starts from by default may also be named."""
    X, target = table()
    model = GradientBoostingRegressor(init=DummyRegressor(strategy="median"), **SMALL).fit(X, target)
    assert_reproduced(model, X, "regression", ("predict",))


def test_no_library_is_imported_for_a_model_of_another():
    """Reading a forest of scikit-learn loads no booster."""
    code = (
        "import sys; from sklearn.ensemble import RandomForestRegressor as F; "
        "from ice_explorer.adapters.structure.trees import "
        "tree_ensemble; tree_ensemble(F(2).fit([[0.0], [1.0]], [0, 1]), None, 'predict'); "
        "print(sorted({'xgboost', 'lightgbm', 'catboost', 'treelite', 'numba'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
