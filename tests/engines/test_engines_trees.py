"""The tree engine against every phantom predicted by the library itself, for each library."""

from functools import cache

import numpy as np
import pandas as pd
import parity
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import (
    AdaBoostClassifier,
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
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor
from threadpoolctl import threadpool_limits

import ice_explorer as ice
from ice_explorer.adapters.structure.trees import tree_ensemble
from ice_explorer.curves.trees import splits
from ice_explorer.engines import choose
from ice_explorer.results import plan


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    """Threads that wait for each other take longer than the work, on a busy machine."""
    with threadpool_limits(1):
        yield


SMALL = {"max_depth": 4, "random_state": 0}
FEW = {"n_estimators": 5, **SMALL}


@cache
def table(n=48, *, missing=False):
    """Columns with ties; the fourth is constant in training; the last is noise that nothing needs."""
    rng = np.random.default_rng(3)
    X = np.column_stack(
        [
            rng.normal(size=n).round(1),
            rng.integers(0, 5, n),
            rng.normal(2, 3, n).round(1),
            rng.integers(0, 3, n),
            rng.normal(size=n).round(1),
        ]
    )
    if missing:
        X[rng.random(X.shape) < 0.12] = np.nan
        X[:, 3] = np.nan_to_num(X[:, 3])
    return X


@cache
def targets(n=48):
    rng = np.random.default_rng(4)
    X = table(n)
    y = X[:, 0] * X[:, 1] + np.abs(X[:, 2]) + rng.normal(size=n) / 4
    return {
        "regression": y,
        "positive": np.exp(y / 4),
        "binary": np.where(y > np.median(y), "yes", "no"),
        "classes": np.array(["a", "b", "c"])[np.searchsorted(np.quantile(y, [0.3, 0.7]), y)],
        "codes": np.searchsorted(np.quantile(y, [0.3, 0.7]), y),
    }


def fitted(model, target, *, missing=False):
    """Fit with the fourth column held constant, so that no tree splits on it."""
    X = table(missing=missing).copy()
    X[:, 3] = 1.0
    return parity.quiet(model.fit, X, targets()[target] if isinstance(target, str) else target)


def compare(model, X, rounding=parity.ROUNDING, **options):
    """The tree engine, chosen automatically, must give what the model predicts."""
    fast = parity.explained(model, X, **options)
    assert fast.engine == "tree", fast.notes
    brute = parity.explained(model, X, **options, engine="brute")
    return parity.assert_equal_explanations(fast, brute, rounding)


# scikit-learn ------------------------------------------------------------------------------------

REGRESSORS = [
    DecisionTreeRegressor(**SMALL),
    ExtraTreeRegressor(**SMALL),
    RandomForestRegressor(**FEW),
    RandomForestRegressor(n_estimators=3, criterion="absolute_error", random_state=0),
    ExtraTreesRegressor(**FEW),
    GradientBoostingRegressor(**FEW),
    GradientBoostingRegressor(loss="huber", subsample=0.7, init="zero", **FEW),
    HistGradientBoostingRegressor(max_iter=6, min_samples_leaf=3, random_state=0),
    BaggingRegressor(n_estimators=4, max_features=0.6, max_samples=0.7, random_state=0),
    BaggingRegressor(ExtraTreeRegressor(max_depth=3), n_estimators=3, bootstrap_features=True, random_state=0),
]


def named(model):
    return (
        f"{type(model).__name__}({', '.join(f'{key}={value}' for key, value in model.get_params(deep=False).items())})"[
            :70
        ]
    )


@pytest.mark.parametrize("model", REGRESSORS, ids=named)
def test_regressors(model):
    """At every observed value of every column."""
    compare(fitted(model, "regression"), table())


@pytest.mark.parametrize(
    ("model", "target"),
    [
        (HistGradientBoostingRegressor(loss="poisson", max_iter=5, min_samples_leaf=3), "positive"),
        (HistGradientBoostingRegressor(loss="gamma", max_iter=5, min_samples_leaf=3), "positive"),
        (HistGradientBoostingRegressor(loss="quantile", quantile=0.3, max_iter=5, min_samples_leaf=3), "regression"),
    ],
    ids=lambda value: getattr(value, "loss", ""),
)
def test_losses_with_a_link(model, target):
    """The link is that of the sum, not the sum of links."""
    compare(fitted(model, target), table())


CLASSIFIERS = [
    DecisionTreeClassifier(**SMALL),
    ExtraTreeClassifier(**SMALL),
    RandomForestClassifier(**FEW),
    RandomForestClassifier(class_weight="balanced", **FEW),
    ExtraTreesClassifier(**FEW),
    GradientBoostingClassifier(**FEW),
    HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=3, random_state=0),
    BaggingClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=4, max_features=0.6, random_state=0),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=4, random_state=0),
    AdaBoostClassifier(n_estimators=4, random_state=0),
]


@pytest.mark.parametrize("output", ["yes", "no"])
@pytest.mark.parametrize("model", CLASSIFIERS, ids=named)
def test_probabilities_of_either_of_two_classes(model, output):
    """The margin of the first class is that of the second, turned around."""
    compare(fitted(model, "binary"), table(), output=output)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=named)
def test_probabilities_of_one_of_three_classes(model):
    """Softmax over summed margins, or the mean of fractions."""
    compare(fitted(model, "classes"), table(), output="b")


@pytest.mark.parametrize("target", ["binary", "classes"])
@pytest.mark.parametrize(
    "model", [model for model in CLASSIFIERS if hasattr(model, "decision_function")], ids=named
)  # fmt: skip
def test_decision_functions_and_log_odds(model, target):
    """Of boosted classifiers, whose log-odds are always finite."""
    model = fitted(model, target)
    for response in ("decision_function", "log_odds"):
        if response == "decision_function" and target == "classes" and isinstance(model, BaggingClassifier):
            continue
        compare(model, table(), response=response, output=str(model.classes_[1]), rounding=1e-12)


def test_the_exponential_loss_counts_margins_twice():
    """Its decision function is half the log-odds."""
    model = fitted(GradientBoostingClassifier(loss="exponential", **FEW), "binary")
    for response in ("predict_proba", "decision_function", "log_odds"):
        compare(model, table(), response=response, rounding=1e-12)


def test_log_odds_of_a_forest_whose_leaves_are_mixed():
    """Finite everywhere where no leaf is pure."""
    model = fitted(RandomForestClassifier(n_estimators=5, min_samples_leaf=15, random_state=1), "binary")
    compare(model, table(), response="log_odds", rounding=1e-12)


@pytest.mark.parametrize("response", ["decision_function"])
def test_anomaly_scores_of_an_isolation_forest(response):
    """Depths are averaged, then turned into a score."""
    model = IsolationForest(n_estimators=5, max_samples=20, random_state=0).fit(table())
    compare(model, table(), response=response)


def test_one_of_several_outputs():
    """Regression forests keep a number per output in their leaves."""
    y = targets()
    both = np.column_stack([y["regression"], y["positive"]])
    for model in (DecisionTreeRegressor(**SMALL), ExtraTreesRegressor(**FEW)):
        model.fit(table(), both)
        for output in (0, 1):
            compare(model, table(), output=output)


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeRegressor(**SMALL),
        RandomForestRegressor(**FEW),
        ExtraTreesRegressor(**FEW),
        BaggingRegressor(n_estimators=3, random_state=0),
        HistGradientBoostingRegressor(max_iter=6, min_samples_leaf=3, random_state=0),
    ],
    ids=named,
)
def test_missing_values(model):
    """Rows without a value, a missing impact, and columns that are whole in training but not later."""
    model = fitted(model, "regression", missing=True)
    X = table(missing=True)
    compare(model, X)
    explanation = parity.explained(model, X)
    assert np.isfinite(explanation.table()["missing_impact"]).any()


def test_missing_values_that_training_did_not_know():
    """scikit-learn's trees send them to the heavier side."""
    model = HistGradientBoostingRegressor(max_iter=6, min_samples_leaf=3, random_state=0).fit(
        table(), targets()["regression"]
    )
    compare(model, table(missing=True))


def with_levels(n_levels, n=120, seed=6):
    """A column of whole numbers that are categories, and the target they make."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_levels, n)
    X = np.column_stack([rng.normal(size=n).round(1), codes, rng.integers(0, 3, n)]).astype(float)
    y = np.sin(7.0 * codes) * 3 + X[:, 0] * np.cos(codes) + X[:, 2]
    return X, y


@pytest.mark.parametrize("n_levels", [3, 40, 100])
@pytest.mark.parametrize("missing", [False, True])
def test_categorical_splits_of_histogram_boosting(n_levels, missing):
    """The explained feature is a number to the user and a set of codes to the trees."""
    X, y = with_levels(n_levels)
    if missing:
        X[::7, 1] = np.nan
    model = HistGradientBoostingRegressor(max_iter=6, min_samples_leaf=3, categorical_features=[1], random_state=0).fit(
        X, y
    )
    compare(model, X)
    compare(model, X, grid={"x1": np.unique(X[~np.isnan(X[:, 1]), 1])[::2]})


def frame_with_categories(n=90, categories="text"):
    """Two numeric columns around one of categories; labels as text or as numbers."""
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 9, n)
    labels = np.array([f"level {code}" for code in range(9)]) if categories == "text" else np.arange(9) * 10
    column = pd.Series(pd.Categorical(labels[codes], categories=labels))
    column[rng.random(n) < 0.1] = None
    frame = pd.DataFrame(
        {"age": rng.normal(size=n).round(1), "city": column, "member": rng.random(n) < 0.5},
        index=pd.RangeIndex(5, n + 5),
    )
    frame["city"] = column.to_numpy() if column.dtype == object else column.array
    y = np.sin(3.0 * codes) * 2 + frame["age"] * np.cos(codes) + frame["member"]
    return frame, y


@pytest.mark.parametrize("categories", ["text", "numbers"])
def test_a_column_of_categories_beside_the_features(categories):
    """Rows keep their categories while numeric columns move."""
    frame, y = frame_with_categories(categories=categories)
    model = HistGradientBoostingRegressor(
        max_iter=8, min_samples_leaf=3, categorical_features="from_dtype", random_state=0
    ).fit(frame, y)
    compare(model, frame)


# Boosting libraries ------------------------------------------------------------------------------


def xgboost(name, **options):
    return getattr(pytest.importorskip("xgboost"), name)(n_estimators=8, max_depth=3, n_jobs=1, **options)


def lightgbm(name, **options):
    library = pytest.importorskip("lightgbm")
    options = {"n_estimators": 8, "min_child_samples": 3, "num_leaves": 7, "verbose": -1, "n_jobs": 1, **options}
    return getattr(library, name)(**options)


def catboost(name, **options):
    library = pytest.importorskip("catboost")
    options = {"iterations": 8, "depth": 3, "verbose": 0, "thread_count": 1, "allow_writing_files": False, **options}
    return getattr(library, name)(**options)


XGB = {"rounding": parity.ROUNDING_OF_FLOAT32}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"booster": "dart", "rate_drop": 0.4},
        {"num_parallel_tree": 3, "subsample": 0.7},
        {"missing": 2.0},
        {"base_score": 7.0},
    ],
    ids=str,
)
@pytest.mark.parametrize("missing", [False, True])
def test_xgboost_regressors(options, missing):
    """Leaves are added up in single precision there, in double here."""
    model = fitted(xgboost("XGBRegressor", **options), "regression", missing=missing)
    X = table(missing=missing)
    compare(model, X, **XGB)  # where 2 means missing the grid holds it, too


@pytest.mark.parametrize("objective", ["count:poisson", "reg:gamma", "reg:tweedie", "reg:logistic"])
def test_xgboost_links(objective):
    """Base scores are written as outputs and added as margins."""
    y = targets()["positive"]
    model = fitted(xgboost("XGBRegressor", objective=objective), y / y.max() if objective == "reg:logistic" else y)
    compare(model, table(), **XGB)


def test_xgboost_classifiers():
    """Two classes share a margin, three have one each; log-odds are those of the probability."""
    model = fitted(xgboost("XGBClassifier"), (targets()["regression"] > 1).astype(int))
    for output in (0, 1):
        compare(model, table(), output=output, **XGB)
        compare(model, table(), output=output, response="log_odds", rounding=1e-5)
    model = fitted(xgboost("XGBClassifier"), "codes")
    compare(model, table(), output=2, **XGB)
    compare(model, table(), output=0, response="log_odds", rounding=1e-5)


@pytest.mark.parametrize("options", [{}, {"max_cat_to_onehot": 1}, {"max_cat_to_onehot": 200}], ids=str)
def test_xgboost_sets_of_categories(options):
    """A column of categories beside the features, and codes as the explained feature."""
    frame, y = frame_with_categories()
    model = xgboost("XGBRegressor", enable_categorical=True, tree_method="hist", **options).fit(frame, y)
    compare(model, frame, **XGB)
    X, y = with_levels(60)
    model = xgboost(
        "XGBRegressor", enable_categorical=True, tree_method="hist", feature_types=["q", "c", "q"], **options
    ).fit(X, y)
    compare(model, X, **XGB)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"boosting_type": "dart", "drop_rate": 0.5},
        {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.7},
        {"extra_trees": True},
        {"objective": "regression_l1"},
    ],
    ids=str,
)
@pytest.mark.parametrize("missing", [False, True])
def test_lightgbm_regressors(options, missing):
    """Missing values go by what training saw of them."""
    compare(fitted(lightgbm("LGBMRegressor", **options), "regression", missing=missing), table(missing=missing))


def test_lightgbm_takes_missing_for_zero_where_training_had_none():
    """And numbers next to zero for zero, on which it splits."""
    model = fitted(lightgbm("LGBMRegressor"), "regression")
    compare(model, table(missing=True))
    X = table().copy()
    X[:4, 0] = [1e-36, -1e-36, 1e-34, -1e-34]
    compare(model, X, grid={"x0": [-1.0, -1e-34, -1e-36, 0.0, 1e-36, 1e-34, 1.0]}, rounding=1e-12)


@pytest.mark.parametrize("objective", ["poisson", "gamma", "tweedie", "regression"])
def test_lightgbm_links(objective):
    """Also `reg_sqrt`, which squares the sum with its sign."""
    options = {"reg_sqrt": True} if objective == "regression" else {}
    compare(fitted(lightgbm("LGBMRegressor", objective=objective, **options), "positive"), table())


@pytest.mark.parametrize("options", [{}, {"objective": "multiclassova"}, {"boosting_type": "dart"}], ids=str)
def test_lightgbm_classifiers(options):
    """Softmax, one against the others, two classes."""
    model = fitted(lightgbm("LGBMClassifier", **options), "classes")
    compare(model, table(), output="b")
    if "objective" not in options:
        compare(model, table(), output="a", response="log_odds", rounding=1e-12)
        model = fitted(lightgbm("LGBMClassifier", **options), "binary")
        for output in ("yes", "no"):
            compare(model, table(), output=output)
            compare(model, table(), output=output, response="log_odds", rounding=1e-12)


@pytest.mark.parametrize("n_levels", [5, 40, 100])
def test_lightgbm_sets_of_categories(n_levels):
    """Codes as the explained feature, of more than one word of bits."""
    X, y = with_levels(n_levels)
    model = lightgbm("LGBMRegressor", min_data_per_group=2, cat_smooth=1)
    parity.quiet(model.fit, X, y, categorical_feature=[1])
    compare(model, X)
    compare(model, X, grid={"x1": [-3.0, -0.5, 0.0, 0.5, 1.0, 33.0, 64.0, 1e4]})


@pytest.mark.parametrize("categories", ["text", "numbers"])
def test_lightgbm_keeps_the_labels_of_categories(categories):
    """It does not say of which column they are."""
    frame, y = frame_with_categories(categories=categories)
    model = parity.quiet(lightgbm("LGBMRegressor", min_data_per_group=2, cat_smooth=1).fit, frame, y)
    compare(model, frame)


def test_a_lightgbm_booster_is_read_as_well():
    """It has a predict method that takes X."""
    model = fitted(lightgbm("LGBMRegressor"), "regression")
    compare(model.booster_, table())


@pytest.mark.parametrize(
    "options",
    [{}, {"grow_policy": "Lossguide"}, {"grow_policy": "Depthwise"}, {"nan_mode": "Max"}, {"loss_function": "MAE"}],
    ids=str,
)
@pytest.mark.parametrize("missing", [False, True])
def test_catboost_regressors(options, missing):
    """Symmetric trees and others; missing values below or above all numbers."""
    compare(fitted(catboost("CatBoostRegressor", **options), "regression", missing=missing), table(missing=missing))


def test_catboost_classifiers_and_links():
    """Two classes, three classes, log-odds, and counts."""
    model = fitted(catboost("CatBoostClassifier"), "binary")
    for output in ("yes", "no"):
        compare(model, table(), output=output)
        compare(model, table(), output=output, response="log_odds", rounding=1e-12)
    model = fitted(catboost("CatBoostClassifier"), "classes")
    compare(model, table(), output="c")
    compare(model, table(), output="c", response="log_odds", rounding=1e-12)
    compare(fitted(catboost("CatBoostRegressor", loss_function="Poisson"), "positive"), table())


# Grids -------------------------------------------------------------------------------------------

ONE_OF_EACH = {
    "tree": lambda: DecisionTreeRegressor(max_depth=6, random_state=0),
    "forest": lambda: RandomForestRegressor(**FEW),
    "extra": lambda: ExtraTreesRegressor(**FEW),
    "boosting": lambda: GradientBoostingRegressor(**FEW),
    "histogram": lambda: HistGradientBoostingRegressor(max_iter=6, min_samples_leaf=3),
    "xgboost": lambda: xgboost("XGBRegressor"),
    "lightgbm": lambda: lightgbm("LGBMRegressor"),
    "catboost": lambda: catboost("CatBoostRegressor"),
}


@cache
def one_of(family):
    return fitted(ONE_OF_EACH[family](), "regression")


def rounding_of(family):
    return parity.ROUNDING_OF_FLOAT32 if family == "xgboost" else parity.ROUNDING


@pytest.mark.parametrize("family", ONE_OF_EACH)
@pytest.mark.parametrize(
    "options",
    [
        {"grid": "quantile", "grid_size": 7},
        {"grid": "uniform", "grid_size": 12},
        {"grid": "random", "grid_size": 5},
        {"grid": {f"x{at}": [-1e6, -50.0, 0.25, 1.1, 77.0, 1e9] for at in range(5)}},
        {"grid": {"x0": [0.3], "x1": [-9.0, -8.0], "x2": [100.0, 200.0, 300.0]}},
        {"scale": {"x0": 0.02, "x1": 40.0}},
        {"features": ["x2", 0]},
    ],
    ids=lambda options: " ".join(map(str, options.values()))[:40],
)
def test_grids_and_scales(family, options):
    """Grids within, across and wholly outside the data, of one value, of two."""
    compare(one_of(family), table(), rounding_of(family), **options)


def neighbours(thresholds):
    """Every threshold with the numbers next to it in double and in single precision."""
    single = thresholds.astype(np.float32)
    infinity = np.float32(np.inf)
    sides = [np.nextafter(single, -infinity), single, np.nextafter(single, infinity)]
    double = [np.nextafter(thresholds, -np.inf), thresholds, np.nextafter(thresholds, np.inf)]
    # Half-way between two float32 the cast to single precision decides.
    between = [(sides[0].astype(float) + sides[1]) / 2, (sides[1].astype(float) + sides[2]) / 2]
    return np.unique(np.concatenate([*double, *(side.astype(float) for side in sides), *between]))


@pytest.mark.parametrize("family", ONE_OF_EACH)
def test_every_threshold_and_its_neighbours(family):
    """The cast and the comparison of each library, where the last bit decides."""
    model = one_of(family)
    ensemble = tree_ensemble(model, None, "predict")
    grid, X = {}, table().copy()
    for at in range(5):
        thresholds = ensemble.threshold[(ensemble.feature == at) & np.isfinite(ensemble.threshold)]
        values = neighbours(thresholds) if len(thresholds) else np.array([0.0, 1.0])
        grid[f"x{at}"] = values[np.abs(values) > 1e-30] if family == "lightgbm" else values
        # Rows, too, lie on and next to thresholds.
        X[:30, at] = np.resize(values[len(values) // 3 :], 30)
    fast = parity.explained(model, X, grid=grid)
    brute = parity.explained(model, X, grid=grid, engine="brute")
    assert fast.engine == "tree"
    for at in range(5):
        parity.assert_equal_features(fast[f"x{at}"], brute[f"x{at}"], rounding_of(family))


def test_numbers_of_other_dtypes():
    """Whole numbers, booleans and single precision are compared as the library compares them."""
    y = targets()["regression"]
    rng = np.random.default_rng(0)
    for X in (
        table().astype(np.float32),
        table().astype(np.int8),
        rng.random((48, 3)) < 0.5,
        rng.integers(0, 2**50, (48, 2)),
    ):
        model = RandomForestRegressor(**FEW).fit(X, y)
        compare(model, X)


# Shapes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ONE_OF_EACH)
def test_one_row_two_rows_and_repeated_rows(family):
    """Heterogeneity, effective n and the sums over nodes depend on how many there are."""
    model = one_of(family)
    for rows in ([3], [3, 4], [3] * 6, np.repeat(np.arange(10), 100)):
        compare(model, table()[rows], rounding_of(family))


def test_trees_of_a_root_alone():
    """A constant target grows nothing: all effects are 0, and a share of them is undefined."""
    for model in (
        DecisionTreeRegressor(),
        RandomForestRegressor(n_estimators=2),
        GradientBoostingRegressor(n_estimators=2),
        HistGradientBoostingRegressor(max_iter=2),
        lightgbm("LGBMRegressor"),
    ):
        parity.quiet(model.fit, table(), np.full(48, 2.5))
        compare(model, table())
        figures = parity.explained(model, table()).table()
        assert_array_equal(figures[["impact", "heterogeneity"]], 0.0)
        assert figures["largest_step_share"].isna().all()
        assert_allclose(parity.explained(model, table())["x0"].curves, 2.5, rtol=1e-15)


def test_a_tree_of_depth_40():
    """One that peels off a row at a time."""
    x = np.arange(45.0)
    X = np.column_stack([x, x[::-1] % 7])
    model = DecisionTreeRegressor(random_state=0).fit(X, 3.0**x)
    assert model.get_depth() >= 40
    compare(model, X)
    compare(RandomForestRegressor(n_estimators=3, random_state=0).fit(X, np.exp(x / 5)), X)


def test_columns_that_are_constant_or_that_no_tree_needs():
    """A constant column has one grid value; one without splits has flat curves and no impact, exactly."""
    X = table().copy()
    X[:, 4] = 0.5
    model = one_of("forest")
    compare(model, X)
    explanation = parity.explained(model, X)
    assert explanation["x4"].curves.shape == (48, 1)
    assert explanation.table(sort_by=None).loc["x3", "impact"] == 0.0  # constant in training
    assert np.ptp(explanation["x3"].curves, axis=1).max() == 0.0


def test_a_grid_whose_first_interval_is_inactive():
    """The published convention repeats the first slope, which is 0 there."""
    X = np.column_stack([np.arange(30.0), np.arange(30) % 4])
    model = DecisionTreeRegressor(max_depth=2).fit(X, (X[:, 0] > 20) * X[:, 1])
    compare(model, X)
    first = parity.explained(model, X, convention="published")["x0"]
    assert first.slopes[:, 0].tolist() == [0.0] * 30


# Weights, samples, memory ------------------------------------------------------------------------

WEIGHTS = np.resize([0.0, 1.0, 2.5, 0.25, 3.0, 0.0, 1.0], 48)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {"sample_weight": WEIGHTS},
        {"sample": 11},
        {"sample": 0.5, "sample_weight": WEIGHTS + 0.5},
        {"grid": "quantile", "grid_size": 5, "scale": "conditional"},
    ],
    ids=" ".join,
)
def test_weights_and_samples(options, missing):
    """A sample is drawn for each feature on its own, which is then swept alone."""
    model = fitted(RandomForestRegressor(**FEW), "regression", missing=missing)
    compare(model, table(missing=missing), **options)


@pytest.mark.parametrize("memory_limit", [1, 3000, "20kB"])
def test_as_many_blocks_as_there_is_little_memory(memory_limit):
    """One row at a time, a few, all: curves are the same to the bit, and sums merge."""
    model = fitted(RandomForestRegressor(**FEW), "regression", missing=True)
    whole, parts = (
        parity.explained(model, table(missing=True), memory_limit=limit, features=[0, 1, 2])
        for limit in ("1GB", memory_limit)
    )
    for feature in whole.features:
        assert_array_equal(whole[feature].curves, parts[feature].curves)
    parity.assert_equal_explanations(parts, whole)


# Every threshold as a grid value -----------------------------------------------------------------


@pytest.mark.parametrize("family", ONE_OF_EACH)
def test_a_grid_of_thresholds_shows_every_step(family):
    """The extremes of the data, and between them one grid value for each side of every threshold.

    A grid of all numbers next to thresholds sees the same steps, and no others.
    """
    model = one_of(family)
    ensemble = tree_ensemble(model, None, "predict")
    found = parity.explained(model, table(), grid="thresholds")
    for at in range(5):
        feature = found[f"x{at}"]
        low, high = table()[:, at].min(), table()[:, at].max()
        assert (feature.grid[0], feature.grid[-1]) == (low, high)
        thresholds = ensemble.threshold[(ensemble.feature == at) & np.isfinite(ensemble.threshold)]
        close = neighbours(thresholds) if len(thresholds) else np.empty(0)
        fine = np.unique([low, *close[(close > low) & (close < high)], high])
        steps = parity.explained(model, table(), grid={f"x{at}": fine}, features=[at])[f"x{at}"]
        variation = np.abs(np.diff(steps.curves, axis=1)).sum(axis=1)
        assert_allclose(np.abs(np.diff(feature.curves, axis=1)).sum(axis=1), variation, rtol=1e-9, atol=1e-12)
        impact = feature.metrics()["impact"]
        assert_allclose(impact, feature.scale * variation.mean() / (high - low), rtol=1e-9, atol=1e-12)
    if family in {"forest", "histogram"}:
        compare(model, table(), grid="thresholds")


def test_trees_are_read_once_for_grid_and_engine(monkeypatch):
    """A large forest takes a while to read."""
    reads, read = [], choose.tree_ensemble
    monkeypatch.setattr(choose, "tree_ensemble", lambda *given: reads.append(given) or read(*given))
    assert parity.explained(one_of("forest"), table(), grid="thresholds").engine == "tree"
    assert len(reads) == 1


def test_categories_in_a_grid_of_thresholds_are_the_observed_ones():
    """A set of codes has no threshold; the curve can step at every code."""
    X, y = with_levels(12)
    X[::5, 1] = np.nan
    model = HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=3, categorical_features=[1]).fit(X, y)
    found = parity.explained(model, X, grid="thresholds")
    assert_array_equal(found["x1"].grid, np.unique(X[~np.isnan(X[:, 1]), 1]))
    assert len(np.unique(found["x1"].curves[0])) > 2
    compare(model, X, grid="thresholds")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ranks_that_are_found_anew_change_nothing(monkeypatch, n_jobs):
    """Tall tables are ranked block by block, to the bit as others are; rows with missing values among them."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(200, 3))
    y = X[:, 0] * X[:, 1]
    X[150:, 2] = np.nan
    model = HistGradientBoostingRegressor(max_iter=20, random_state=0).fit(X, y)
    expected = ice.explain(model, X, progress=False, engine="tree").table()
    monkeypatch.setattr(splits, "_MOST_KEPT", 0)
    found = ice.explain(model, X, progress=False, engine="tree", n_jobs=n_jobs).table()
    assert found.equals(expected)


def test_columns_that_take_more_than_the_limit_are_noted(monkeypatch):
    """Blocks get what columns leave of `memory_limit`, and always a little."""
    X = np.arange(60.0).reshape(20, 3)
    model = HistGradientBoostingRegressor(max_iter=2).fit(X, X[:, 0])
    monkeypatch.setattr(plan, "_LEAST_FOR_BLOCKS", 100)
    enough = ice.explain(model, X, progress=False, memory_limit=480)
    assert not [note for note in enough.notes if "memory_limit" in note]
    scarce = ice.explain(model, X, progress=False, memory_limit=479)
    (note,) = [note for note in scarce.notes if "memory_limit" in note]
    assert note == (
        "The columns of X take 0 MB, more than `memory_limit`; blocks are as small as they get. "
        "Pass fewer rows or columns, or a DataFrame of float64 columns."
    )
    assert_allclose(scarce["x0"].curves, enough["x0"].curves, rtol=1e-12)
    frame = pd.DataFrame(X)  # shares its columns with its owner
    assert not [
        note for note in ice.explain(model, frame, progress=False, memory_limit=1).notes if "memory_limit" in note
    ]
