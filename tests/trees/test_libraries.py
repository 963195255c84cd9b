"""Trees of every library: curves and figures are those of the model called for every phantom observation."""

import warnings
from functools import cache, partial
from itertools import product

import numpy as np
import pandas as pd
import parity
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn._loss.loss import HalfTweedieLoss
from sklearn.base import clone
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor
from threadpoolctl import threadpool_limits

import ice_explorer as ice

catboost = pytest.importorskip("catboost")
lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")

pytestmark = [
    # LightGBM is fitted with names and predicts without, or the other way round, by scikit-learn's own validation.
    pytest.mark.filterwarnings("ignore:X (does not have|has) (valid )?feature names:UserWarning"),
    # Its newest version names a successor of `eval_set` that older ones lack.
    pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated"),
    pytest.mark.filterwarnings("ignore:categorical_feature:UserWarning"),
]


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    """Keep the threads of such small models from waiting for each other on a busy machine."""
    with threadpool_limits(1):
        yield


N = 160
SINGLE = parity.ROUNDING_OF_FLOAT32
LOG_ODDS = 1e-11  # the library's probabilities have lost digits near 0 and 1


# --- data -----------------------------------------------------------------------------------------


@cache
def table(*, missing=False, categories=False):
    """Ties, whole, small and large numbers; the last column of more rows holds 40 codes if `categories`."""
    rng, n = np.random.default_rng(3), 400 if categories else N
    X = rng.normal(size=(n, 6))
    X[:, 1] = rng.integers(0, 4, n)
    X[:, 2] = X[:, 2].round(1)
    X[:, 3] *= 1e-3
    X[:, 4] += 1000.0
    if categories:
        X[:, 5] = rng.integers(0, 40, n)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X


@cache
def targets(*, categories=False):
    """One target for each task, with interactions."""
    X = table(categories=categories)
    y = X[:, 0] * X[:, 2] + (X[:, 1] == 2) + 300.0 * X[:, 3] + np.sin(3.0 * X[:, 4])
    y += (2.0 if categories else 1.0) * np.sin(5.0 * X[:, 5])
    return {
        "number": y,
        "positive": np.exp(y / 4.0),
        "share": (y > np.median(y)) * 0.8 + 0.1,
        "two": (y > np.quantile(y, 0.4)).astype(int),
        "three": np.digitize(y, np.quantile(y, [0.3, 0.7])),
        "outputs": np.column_stack([y, y**2, -y]),
        None: None,
    }


def labelled(X, kind):
    """Return a DataFrame whose last two columns are categorical by dtype."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    labels = {
        "text": [f"level {label}" for label in rng.permutation(40)],
        "whole numbers": (10 * rng.permutation(40)).tolist(),
        "ordered": [f"level {label:02}" for label in range(40)],
    }[kind]
    frame["f"] = pd.Categorical.from_codes(frame["f"].fillna(-1).astype(int), labels, ordered=kind == "ordered")
    frame["g"] = pd.Categorical(np.array(["x", "y", "z"])[rng.integers(0, 3, len(X))])
    return frame


def compare(model, X, rounding=parity.ROUNDING, *, is_table_compared=True, **options):
    """Check that the tree method is chosen, and that all it gives is what the model predicts."""
    fast = parity.explained(model, X, **options)
    assert fast.method == "tree", fast.notes
    brute = parity.explained(model, X, method="brute", **options)
    if is_table_compared:
        parity.assert_equal_explanations(fast, brute, rounding)
    else:
        for feature in fast.features:
            parity.assert_equal_features(fast[feature], brute[feature], rounding)
    return fast


# --- every kind of model --------------------------------------------------------------------------

FEW = {"n_estimators": 6, "random_state": 0}
LEAVES = {"min_samples_leaf": 30, **FEW}  # none of which is pure
SKLEARN = {
    "number": [
        DecisionTreeRegressor(random_state=0), ExtraTreeRegressor(random_state=0), RandomForestRegressor(**FEW),
        ExtraTreesRegressor(**FEW), GradientBoostingRegressor(**FEW),
        GradientBoostingRegressor(loss="huber", subsample=0.7, **FEW), GradientBoostingRegressor(init="zero", **FEW),
        GradientBoostingRegressor(init=DummyRegressor(strategy="median"), **FEW),
        HistGradientBoostingRegressor(max_iter=8), HistGradientBoostingRegressor(max_iter=8, loss="absolute_error"),
        HistGradientBoostingRegressor(max_iter=8, loss="quantile", quantile=0.3),
        HistGradientBoostingRegressor(max_iter=200, learning_rate=0.5, early_stopping=True, random_state=0),
    ],
    "positive": [HistGradientBoostingRegressor(max_iter=8, loss=loss) for loss in ("poisson", "gamma")],
    "outputs": [
        DecisionTreeRegressor(max_depth=6, random_state=0), ExtraTreesRegressor(**FEW),
    ],
    "two": [
        DecisionTreeClassifier(max_depth=5, random_state=0), RandomForestClassifier(**FEW),
        DecisionTreeClassifier(min_samples_leaf=30, random_state=0),
        RandomForestClassifier(**LEAVES), GradientBoostingClassifier(**FEW),
        GradientBoostingClassifier(loss="exponential", **FEW), HistGradientBoostingClassifier(max_iter=8),
    ],
    "three": [
        ExtraTreeClassifier(max_depth=4, random_state=0), ExtraTreesClassifier(**FEW),
        RandomForestClassifier(class_weight="balanced", **LEAVES),
        GradientBoostingClassifier(**FEW), HistGradientBoostingClassifier(max_iter=8),
    ],
}  # fmt: skip


def own_objective(y, margins):
    """Squared error, as a function that a library knows nothing of."""
    return margins - y, np.ones_like(margins)


def boosted(library, target, **options):
    """Return a small model of one of the boosting libraries; `kind` is its class where that is not the usual one."""
    end = "Classifier" if target in {"two", "three"} else "Regressor"
    module, start, few = {
        "XGBoost": (xgboost, "XGB", {"n_estimators": 8, "max_depth": 4, "n_jobs": 1}),
        "LightGBM": (
            lightgbm, "LGBM", {"n_estimators": 8, "min_child_samples": 5, "num_leaves": 9, "verbose": -1, "n_jobs": 1},
        ),
        "CatBoost": (
            catboost, "CatBoost",
            {"iterations": 8, "depth": 3, "verbose": 0, "allow_writing_files": False, "thread_count": 1},
        ),
    }[library]  # fmt: skip
    return getattr(module, options.pop("kind", start + end))(**{**few, **options})


xgb, lgb, cat = (partial(boosted, library) for library in ("XGBoost", "LightGBM", "CatBoost"))
DART = {"booster": "dart", "rate_drop": 0.3}
ONE_TREE = {"multi_strategy": "multi_output_tree"}
BOOSTED = {
    "XGBoost": {
        "number": [
            {}, {"base_score": 7.5}, {"objective": "reg:absoluteerror"}, {"objective": "reg:pseudohubererror"},
            {"objective": own_objective}, {"objective": "reg:quantileerror", "quantile_alpha": [0.2, 0.5, 0.8]}, DART,
            {"kind": "XGBRFRegressor"}, {"num_parallel_tree": 3, "subsample": 0.5}, {"missing": 2.0},
        ],
        "positive": [
            {"objective": "reg:squaredlogerror"}, {"objective": "count:poisson"}, {"objective": "reg:tweedie"},
            {"objective": "survival:cox"}, {"objective": "reg:gamma", "base_score": 0.3},
        ],
        "share": [{"objective": "binary:logitraw"}, {"objective": "reg:logistic"}],
        "outputs": [{}],
        "two": [{}, {"base_score": 0.2}],
        "three": [{}, {"objective": "multi:softmax"}, DART, {"kind": "XGBRFClassifier"}],
    },
    "LightGBM": {
        "number": [
            *({"objective": name} for name in ("regression", "l1", "huber", "fair", "quantile", own_objective)),
            {"extra_trees": True},
        ],
        "positive": [{"objective": name} for name in ("mape", "poisson", "gamma", "tweedie")],
        "share": [{"objective": "xentropy"}],
        "two": [{"sigmoid": 1.7}],
        "three": [{}, {"objective": "multiclassova", "sigmoid": 0.7}],
    },
    "CatBoost": {
        target: [
            {"loss_function": loss} for loss in losses
        ]
        for target, losses in {
            "number": ["RMSE", "MAE"], "positive": ["Poisson", "Tweedie:variance_power=1.5"], "outputs": ["MultiRMSE"],
            "two": ["Logloss", "CrossEntropy"], "three": ["MultiClass", "MultiClassOneVsAll"],
        }.items()
    },
}  # fmt: skip
LGB_KINDS = [
    {"boosting_type": "dart", "drop_rate": 0.5}, {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.6},
]  # fmt: skip
for target, objective in {"number": {}, "positive": {"objective": "gamma"}, "two": {}, "three": {}}.items():
    BOOSTED["LightGBM"][target] += [objective | kind for kind in LGB_KINDS]
BOOSTED["CatBoost"]["number"].append({"nan_mode": "Max"})
TYPICAL = [
    "number, RandomForestRegressor", "two, GradientBoostingClassifier(n", "loss='poisson'", "'reg:gamma'",
    "three, {'booster': 'dart'", "'gamma'}", "'multiclassova'",
    "'Poisson'", "'MultiClass'",
]  # fmt: skip
WITHOUT_MISSING = (GradientBoostingRegressor, GradientBoostingClassifier)


def kinds():
    """Yield each model with and without missing values in training; all but typical ones are left to longer runs."""
    models = [("scikit-learn", target, " ".join(repr(model).split()), model)
              for target, some in SKLEARN.items() for model in some]  # fmt: skip
    for library, by_target in BOOSTED.items():
        models += [(library, target, str(options), boosted(library, target, **options))
                   for target, some in by_target.items() for options in some]  # fmt: skip
    for library, target, options, model in models:
        name = f"{library}, {target}, {options}".replace(str(own_objective), "own")
        marks = [] if any(part in name for part in TYPICAL) else [pytest.mark.wide]
        yield pytest.param(library, target, model, False, id=name, marks=marks)
        if not isinstance(model, WITHOUT_MISSING):
            yield pytest.param(library, target, model, True, id=f"{name}, missing", marks=[pytest.mark.slow])


def responses_of(model, target):
    """Return what can be explained of a model by its trees."""
    if target not in {"two", "three"}:
        return ["auto"]
    return [
        "predict_proba",
        *(["log_odds", "decision_function"] if hasattr(model, "decision_function") else []),
        *(["predict"] if isinstance(model, DecisionTreeClassifier | ExtraTreeClassifier) else []),
    ]


@pytest.mark.current
@pytest.mark.parametrize(("library", "target", "model", "missing"), list(kinds()))
def test_every_kind_of_model(library, target, model, missing):
    """Averages, sums and votes; every objective, booster and link; missing values that training knew, and did not."""
    model = parity.quiet(clone(model).fit, table(missing=missing), targets()[target])
    rows = table(missing=not isinstance(model, WITHOUT_MISSING))[::7]
    rounding = SINGLE if library == "XGBoost" else parity.ROUNDING
    outputs = {"two": (0, 1), "three": (0, 2), "outputs": (0, 2)}.get(target, (None,))
    if getattr(model, "objective", None) == "reg:quantileerror":
        outputs = (0, 2)
    for number, (response, output) in enumerate(product(responses_of(model, target), outputs)):
        allowed = max(rounding, LOG_ODDS) if response == "log_odds" else rounding
        compare(model, rows, allowed, is_table_compared=number == 0, response=response, output=output)


def test_a_loss_that_is_passed_as_an_object():
    """Its link is the one that reproduces predictions."""
    model = HistGradientBoostingRegressor(loss=HalfTweedieLoss(power=1.5), max_iter=8)
    compare(model.fit(table(), targets()["positive"]), table()[::7])


def split_in_two(y):
    return (table()[:100], y[:100]), (table()[100:], y[100:])


@pytest.mark.parametrize("target", ["number", "three"])
def test_xgboost_stopped_early(target):
    """The estimator predicts with the trees up to the best iteration, its booster with all of them."""
    (X, y), valid = split_in_two(targets()[target])
    model = xgb(target, n_estimators=100, learning_rate=0.6, early_stopping_rounds=3)
    model.fit(X, y, eval_set=[valid], verbose=False)
    assert model.best_iteration + 1 < model.get_booster().num_boosted_rounds()
    compare(model, X[:20], SINGLE, output=1 if target == "three" else None)
    if target == "number":
        compare(model.get_booster(), X[:20], SINGLE)


def test_lightgbm_stopped_early():
    """Estimator and booster predict with the trees up to the best iteration, even where later ones are kept."""
    (X, y), valid = split_in_two(targets()["number"])
    model = lgb("number", n_estimators=200, learning_rate=0.6, early_stopping_round=3).fit(X, y, eval_set=[valid])
    assert model.best_iteration_ < 200
    compare(model, X[:20])
    data = lightgbm.Dataset(X, y)
    options = {"learning_rate": 0.6, "verbose": -1, "early_stopping_round": 3}
    booster = lightgbm.train(options, data, 200, [data.create_valid(*valid)], keep_training_booster=True)
    assert booster.best_iteration < booster.current_iteration()
    compare(booster, X[:20])


def test_catboost_stopped_early_with_uncertainty_summed_and_scaled():
    """The best iteration, a mean and a variance, a sum of models with weights, and another scale and bias."""
    (X, y), valid = split_in_two(targets()["number"])
    model = cat("number", iterations=200, learning_rate=0.6, early_stopping_rounds=3).fit(X, y, eval_set=valid)
    assert model.tree_count_ < 200
    compare(model, X[:20])
    uncertain = cat("number", loss_function="RMSEWithUncertainty").fit(X, y)
    for output in range(2):
        compare(uncertain, X[:20], output=output)
    other = cat("number").fit(X, y**2)
    compare(catboost.sum_models([model, other], weights=[0.7, -0.2]), X[:20])
    other.set_scale_and_bias(0.5, 3.0)
    compare(other, X[:20])


@pytest.mark.parametrize("library", ["XGBoost", "LightGBM", "CatBoost"])
def test_rankers_are_explained_by_their_raw_score(library):
    """The scores order rows of one group."""
    X, y = table(), targets()["three"]
    if library == "XGBoost":
        for objective in ("rank:ndcg", "rank:pairwise"):
            compare(
                xgb("rank", kind="XGBRanker", objective=objective).fit(X, y, qid=np.arange(N) // 10), X[::7], SINGLE
            )
    elif library == "LightGBM":
        compare(lgb("rank", kind="LGBMRanker").fit(X, y, group=np.full(N // 10, 10)), X[::7])
    else:
        compare(cat("rank", kind="CatBoostRanker").fit(X, y, group_id=np.arange(N) // 10), X[::7])


def test_catboost_that_leaves_its_categories_unused():
    """Positions are those of X, whatever kinds of columns stand between."""
    frame = pd.DataFrame(table(), columns=list("abcdef"))
    frame.insert(1, "same", "always")
    compare(cat("number", cat_features=["same"]).fit(frame, targets()["number"]), frame[::7])


class Renamed(RandomForestRegressor):
    """A forest with nothing changed but its name."""


def test_a_subclass_that_changes_no_prediction_is_read():
    """Its trees are those of its parent."""
    compare(Renamed(**FEW).fit(table(), targets()["number"]), table()[::7])


# --- categories -----------------------------------------------------------------------------------


def categorical_model(library, target, *, has_codes):
    """Return a model that splits on sets of the 40 levels of the last column."""
    if library == "scikit-learn":
        kind = HistGradientBoostingClassifier if target == "three" else HistGradientBoostingRegressor
        return kind(max_iter=8, min_samples_leaf=5, categorical_features=[5, 1] if has_codes else "from_dtype")
    if library == "LightGBM":
        options = {"min_data_per_group": 2, "cat_smooth": 1.0, "max_cat_threshold": 64}
        options |= {"categorical_feature": [5]} if has_codes else {}
        return lgb(target, **options)
    options = {"enable_categorical": True, "max_cat_to_onehot": 100 if "one at" in library else 1}
    options |= {"feature_types": ["q"] * 5 + ["c"]} if has_codes else {}
    return xgb(target, **options)


@pytest.mark.current
@pytest.mark.parametrize("missing", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("target", ["number", pytest.param("three", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "kind", ["codes", "text", *(pytest.param(k, marks=pytest.mark.wide) for k in ("whole numbers", "ordered"))]
)
@pytest.mark.parametrize("library", ["scikit-learn", "LightGBM", "XGBoost", "XGBoost, one at a time"])
def test_splits_on_sets_of_levels(library, kind, target, missing):
    """Given as codes of an array or by the dtype of a column; as the explained feature and beside it."""
    X = table(missing=missing, categories=True)
    X = X if kind == "codes" else labelled(X, kind)
    model = categorical_model(library, target, has_codes=kind == "codes")
    model = parity.quiet(model.fit, X, targets(categories=True)[target])
    rounding = SINGLE if library.startswith("XGBoost") else parity.ROUNDING
    e = compare(model, X[::4], rounding, is_table_compared=missing, output=1 if target == "three" else None)
    assert np.ptp(next(f for f in e.values() if f.label in {"f", "x5"}).curves, axis=1).max() > 0.01


@pytest.mark.parametrize("library", ["scikit-learn", "LightGBM", "XGBoost"])
def test_codes_that_training_never_saw(library):
    """Negative, fractional, unknown and huge codes go where the library sends them, in grids and in rows."""
    X = table(categories=True)
    model = categorical_model(library, "number", has_codes=True).fit(X, targets(categories=True)["number"])
    codes = [-7.0, -1.0, -0.5, 0.0, 0.5, 1.5, 33.0, 39.9, 40.0, 64.0, 200.0, 3e9]
    rows = X[:36].copy()
    rows[:, 5] = np.resize([*codes, np.nan], 36)
    compare(model, rows, SINGLE if library == "XGBoost" else 1e-12, grid={"x5": codes})


def test_labels_that_training_never_saw_count_as_missing():
    """scikit-learn encodes an unknown label as missing."""
    frame = labelled(table(categories=True), "text")
    model = HistGradientBoostingRegressor(max_iter=8).fit(frame, targets(categories=True)["number"])
    rows = frame[:20].copy()
    rows["f"] = pd.Categorical(["elsewhere", *frame["f"].astype(str)[1:20]])
    compare(model, rows)


# --- thresholds -----------------------------------------------------------------------------------

ONE_OF_EACH = {
    "tree": lambda: DecisionTreeRegressor(max_depth=6, random_state=0),
    "forest": lambda: RandomForestRegressor(max_depth=6, **FEW),
    "extra": lambda: ExtraTreesRegressor(max_depth=6, **FEW),
    "boosting": lambda: GradientBoostingRegressor(max_depth=4, **FEW),
    "histogram": lambda: HistGradientBoostingRegressor(max_iter=6, min_samples_leaf=3),
    "xgboost": lambda: xgb("number", max_bin=4096),
    "lightgbm": lambda: lgb("number", max_bin=4096),
    "catboost": lambda: cat("number"),
}


def rounding_of(family):
    return SINGLE if family == "xgboost" else parity.ROUNDING


@cache
def colliding():
    """Numbers closer together than single precision can tell, whole numbers, and a target that depends on them."""
    rng = np.random.default_rng(5)
    X = 1e4 + 0.02 * rng.random((300, 3))
    X[:, 1] = rng.integers(-3, 6, 300)
    X[:, 2] = rng.normal(size=300).round(1)
    return X, 100.0 * (np.sin(900.0 * X[:, 0]) + X[:, 1] * X[:, 2])


def neighbours(values):
    """Values with the numbers next to them in double and in single precision, and half-way between the latter."""
    single = values.astype(np.float32)
    sides = [np.nextafter(single, np.float32(side)).astype(float) for side in (-np.inf, np.inf)]
    between = [(side + single) / 2 for side in sides]
    double = [values, np.nextafter(values, -np.inf), np.nextafter(values, np.inf)]
    return np.unique(np.concatenate([*double, single.astype(float), *sides, *between]))


@pytest.mark.parametrize("family", ONE_OF_EACH)
def test_every_threshold_and_its_neighbours(family):
    """The cast and the comparison of each library, where the last bit decides, in grids and in rows."""
    X, y = colliding()
    model = parity.quiet(ONE_OF_EACH[family]().fit, X, y)
    steps = parity.explained(model, X[:30], grid="thresholds")
    grid, rows = {}, X[:30].copy()
    for at, name in enumerate(steps.features):
        values = neighbours(steps[name].grid)
        grid[name] = values[np.abs(values) > 1e-30]
        rows[:, at] = np.resize(values[len(values) // 3 :], 30)
    fast, brute = (parity.explained(model, rows, grid=grid, method=method) for method in ("auto", "brute"))
    assert fast.method == "tree"
    for name in fast.features:
        assert np.ptp(brute[name].curves, axis=1).max() > 1
        parity.assert_equal_features(fast[name], brute[name], rounding_of(family))


def test_lightgbm_takes_tiny_numbers_for_zero():
    """Where zero has bins of its own, its neighbours within 1e-35 belong to them."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(400, 2))
    X[rng.random(400) < 0.5, 0] = 0.0
    model = lgb("number").fit(X, np.where(X[:, 0] == 0, 5.0, np.sign(X[:, 0])))
    edge = float(np.float32(1e-35))
    near = [edge, np.nextafter(edge, 0.0), np.nextafter(edge, 1.0), 1e-36, 1e-300, 1.0]
    values = sorted({0.0, *near, *(-value for value in near)})
    rows = np.column_stack([values, X[: len(values), 1]])
    fast, brute = (parity.explained(model, rows, grid={"x0": values}, method=e)["x0"] for e in ("tree", "brute"))
    assert len(set(np.round(brute.curves[0], 3))) == 3
    parity.assert_equal_features(fast, brute)


def test_numbers_of_other_dtypes():
    """Whole numbers, booleans and single precision are compared as the library compares them."""
    rng, y = np.random.default_rng(0), targets()["number"]
    for X in (table().astype(np.float32), table().astype(np.int16), rng.random((N, 3)) < 0.5):
        for family in ("forest", "lightgbm"):
            compare(ONE_OF_EACH[family]().fit(X, y), X[::8])
    X = rng.integers(2**40, 2**40 + 2**18, (N, 2))  # more than single precision can tell
    for family in ("forest", "lightgbm", "histogram"):
        compare(ONE_OF_EACH[family]().fit(X, y), X[::8])


# --- grids, shapes, options -----------------------------------------------------------------------


@cache
def one_of(family):
    """Fit with the fourth column held constant, so that no tree splits on it."""
    X = table().copy()
    X[:, 3] = 1.0
    return parity.quiet(ONE_OF_EACH[family]().fit, X, targets()["number"])


@pytest.mark.parametrize(
    "family", ["forest", *(pytest.param(f, marks=pytest.mark.slow) for f in ONE_OF_EACH if f != "forest")]
)
def test_grids_and_rows(family):
    """Grids within, across and outside the data, of one value and of two; one row, two rows, repeated rows."""
    model, X = one_of(family), table()[::4]
    for options in (
        {"grid": "quantile", "grid_size": 7},
        {"grid": "uniform", "grid_size": 12},
        {"grid": {f"x{at}": [-1e6, -50.0, 0.25, 1.1, 77.0, 1e9] for at in range(6)}},
        {"grid": {"x0": [0.3], "x1": [-9.0, -8.0], "x2": [100.0, 200.0, 300.0]}},
        {"distance": {"x0": 0.02, "x1": 40.0}},
        {"features": ["x2", 0]},
    ):
        compare(model, X, rounding_of(family), **options)
    for rows in ([3], [3, 4], [3] * 6, np.repeat(np.arange(6), 80)):
        compare(model, X[rows], rounding_of(family))


def test_trees_of_a_root_alone():
    """A constant target grows nothing: all effects are 0."""
    X = table()[:40]
    for model in (
        DecisionTreeRegressor(),
        GradientBoostingRegressor(n_estimators=2),
        HistGradientBoostingRegressor(max_iter=2),
        lgb("number"),
    ):
        e = compare(parity.quiet(model.fit, X, np.full(40, 2.5)), X)
        assert_array_equal(e.table()[["impact", "heterogeneity"]], 0.0)
        assert_allclose(e["x0"].curves, 2.5, rtol=1e-15)


def test_columns_that_are_constant_or_that_no_tree_needs():
    """A constant column has one grid value; one without splits has flat curves and no impact, exactly."""
    X = table()[::4].copy()
    X[:, 4] = 0.5
    e = compare(one_of("forest"), X)
    assert e["x4"].curves.shape == (40, 1)
    assert e.table().loc["x3", "impact"] == 0.0
    assert np.ptp(e["x3"].curves, axis=1).max() == 0.0


def test_a_grid_whose_first_interval_is_inactive():
    """The convention of the paper repeats the first slope, which is 0 there."""
    X = np.column_stack([np.arange(30.0), np.arange(30) % 4])
    model = DecisionTreeRegressor(max_depth=2).fit(X, (X[:, 0] > 20) * X[:, 1])
    e = compare(model, X, convention="paper")
    assert e["x0"].slopes[:, 0].tolist() == [0.0] * 30


WEIGHTS = np.resize([0.0, 1.0, 2.5, 0.25, 3.0, 0.0, 1.0], 40)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {"sample_weight": WEIGHTS},
        {"sample": 11},
        {"sample": 0.5, "sample_weight": WEIGHTS + 0.5},
        pytest.param({"distance": "conditional", "features": ["x0", "x1"]}, marks=pytest.mark.wide),
    ],
    ids=" ".join,
)
def test_weights_samples_and_scales(options, missing):
    """A sample is drawn for each feature on its own, which is then swept alone."""
    X = table(missing=missing)
    compare(RandomForestRegressor(max_depth=5, **FEW).fit(X, targets()["number"]), X[::4], **options)


@pytest.mark.parametrize("memory_limit", [1, 3000, "20kB"])
def test_as_many_blocks_as_there_is_little_memory(memory_limit):
    """One row at a time, a few, all: curves are the same to the bit, and sums merge."""
    X = table(missing=True)
    model, rows = RandomForestRegressor(max_depth=5, **FEW).fit(X, targets()["number"]), X[::4]
    whole, parts = (parity.explained(model, rows, memory_limit=limit) for limit in ("1GB", memory_limit))
    for feature in whole.features:
        assert_array_equal(whole[feature].curves, parts[feature].curves)
    parity.assert_equal_explanations(parts, whole)


def test_levels_in_a_grid_of_thresholds_are_the_observed_ones():
    """A set of codes has no threshold; the curve can step at every code."""
    X = table(missing=True, categories=True)
    model = HistGradientBoostingRegressor(max_iter=20, min_samples_leaf=3, categorical_features=[5])
    e = compare(model.fit(X, targets(categories=True)["number"]), X[::9], grid="thresholds")
    assert_array_equal(e["x5"].grid, np.unique(X[::9, 5][~np.isnan(X[::9, 5])]))
    assert len(np.unique(e["x5"].curves[0])) > 2


# --- what is left to the model --------------------------------------------------------------------


class Rounded(RandomForestRegressor):
    """A forest with a predict method of its own."""

    def predict(self, X):
        return np.round(super().predict(X))


def mixed():
    """Return numbers and text, with a target that depends on both."""
    city = np.array(["x", "y", "z"])[np.random.default_rng(8).integers(0, 3, N)]
    return pd.DataFrame({"a": table()[:, 0], "b": city}), (city == "y") + targets()["number"]


def with_zeros():
    rng = np.random.default_rng(8)
    return np.where(rng.random((N, 6)) < 0.3, 0.0, table())


TIE = (
    "The class predicted by {} is ambiguous where classes tie, and ties depend on the order in which the trees "
    "are summed."
)
DIFFER = "Its predictions of phantom observations differ from those of the model by "
ENCODES = (
    "CatBoost encodes categorical, text or embedding features internally (a split of type {!r}), which is not "
    "reproduced."
)
CLASSIFIERS = [RandomForestClassifier(**FEW), xgb("two")]
LEFT_TO_THE_MODEL = {
    **{
        f"predicted class of {type(model).__name__}": (
            lambda model=model: clone(model).fit(table(), targets()["two"]), table, {"response": "predict"},
            TIE.format(type(model).__name__),
        )
        for model in CLASSIFIERS
    },
    "a predict method of its own": (
        lambda: Rounded(**FEW).fit(table(), targets()["number"]), table, {},
        "Rounded overrides predict(), which the trees of RandomForestRegressor may not reproduce.",
    ),
    "trees that are not symmetric": (
        lambda: boosted("CatBoost", "number", grow_policy="Depthwise").fit(table(), targets()["number"]), table, {},
        "Only symmetric trees of CatBoost are read.",
    ),
    "a start that is no constant": (
        lambda: GradientBoostingRegressor(init=LinearRegression(), **FEW).fit(table(), targets()["number"]), table, {},
        "GradientBoostingRegressor starts from the predictions of LinearRegression, which are not a sum of trees.",
    ),
    "leaves that are vectors": (
        lambda: xgb("outputs", **ONE_TREE).fit(table(), targets()["outputs"]), table, {"output": 0},
        "The leaves of these XGBoost trees are vectors, not numbers.",
    ),
    "a square root": (
        lambda: lgb("number", reg_sqrt=True).fit(table(), targets()["number"]), table, {},
        "The predictions of 'regression sqrt' are no known function of the sum of the leaves.",
    ),
    "a linear booster": (
        lambda: xgb("number", booster="gblinear", max_depth=None).fit(table(), targets()["number"]), table, {},
        "The XGBoost booster 'gblinear' has no trees.",
    ),
    "linear leaves": (
        lambda: lgb("number", linear_tree=True).fit(table(), targets()["number"]), table, {},
        "The leaves of these LightGBM trees are linear models, not numbers.",
    ),
    "zero as missing": (
        lambda: lgb("number", zero_as_missing=True).fit(with_zeros(), targets()["number"]), with_zeros, {},
        ("With `zero_as_missing`, LightGBM sends 0 to a different side than the numbers next to it, which no threshold "
        "does."),
    ),
    "prediction stopped early": (
        lambda: lgb("two", pred_early_stop=True).fit(table(), targets()["two"]), table, {},
        "With `pred_early_stop`, LightGBM does not sum all trees.",
    ),
    "probabilities that are counts": (
        lambda: lgb("two", objective="poisson").fit(table(), targets()["two"]), table,
        {"response": "predict_proba"}, DIFFER,
    ),
    "levels by their targets": (
        lambda: cat("number", cat_features=["b"], one_hot_max_size=1).fit(*mixed()), lambda: mixed()[0], {},
        ENCODES.format("OnlineCtr"),
    ),
    "borders beyond single precision": (
        lambda: cat("number").fit(np.array([[1e15], [1e15], [-3e80]]), [0.0, 1.0, 2.0]),
        lambda: np.array([[1e15], [1e14]]), {},
        ("CatBoost cannot save the trees of this model (CatBoostError: library/cpp/json/writer/json.cpp:259: JSON "
        "writer: invalid float value: -inf)."),
    ),
}  # fmt: skip


@pytest.mark.current
@pytest.mark.parametrize("name", LEFT_TO_THE_MODEL)
def test_what_no_sum_of_leaves_gives_is_left_to_the_model(name):
    """The note says why every phantom observation is predicted, and the same sentence refuses `method="tree"`."""
    make, rows, options, reason = LEFT_TO_THE_MODEL[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, X = make(), rows()[:24]
        e = ice.explain(model, X, progress=False, grid="quantile", grid_size=3, **options)
        with pytest.raises(ice.errors.OptionError) as caught:
            ice.explain(model, X, progress=False, method="tree", **options)
    assert e.method == "brute"
    (note,) = [text for text in e.notes if "method" in text]
    if reason == DIFFER:
        reason += note.removeprefix(f"The tree method is not used; every phantom observation is predicted: {DIFFER}")
    assert note == f"The tree method is not used; every phantom observation is predicted: {reason}"
    assert str(caught.value) == (
        f'`method="tree"` needs a model that it computes exactly. {reason} Use `method="auto"`.'
    )


def test_a_version_that_keeps_its_trees_otherwise_is_predicted():
    """What reading the trees stumbles over is in the note."""
    model = HistGradientBoostingRegressor(max_iter=2).fit(table(), targets()["number"])
    initial = model._baseline_prediction
    predict = model.predict

    def with_it(X):
        model._baseline_prediction = initial
        try:
            return predict(X)
        finally:
            del model._baseline_prediction

    model.predict = with_it
    del model._baseline_prediction
    e = ice.explain(model, table()[:20], progress=False, grid="quantile", grid_size=3)
    assert e.method == "brute"
    (note,) = e.notes
    assert note == (
        "The tree method is not used; every phantom observation is predicted: This version of scikit-learn stores "
        "its trees in an unknown format (AttributeError: 'HistGradientBoostingRegressor' object has no attribute "
        "'_baseline_prediction')."
    )
