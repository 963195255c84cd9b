"""Fitted models of every family, each with a way of asking its library for the numbers directly."""

import importlib.util
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from sklearn import (
    calibration,
    compose,
    discriminant_analysis,
    ensemble,
    linear_model,
    mixture,
    model_selection,
    neural_network,
    pipeline,
    preprocessing,
    svm,
    tree,
)
from sklearn.neighbors import NearestCentroid

N = 48
CITIES = np.array(["Lima", "Oslo", "Rome"])


def frame():
    """Rows with two numbers, a whole number and a city."""
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 32, N).astype(float),
            "income": rng.normal(3.0, 1.0, N).round(1),
            "rooms": rng.integers(1, 6, N),
            "city": CITIES[rng.integers(0, 3, N)],
        }
    )


FRAME = frame()
X = FRAME[["age", "income", "rooms"]].astype(float)
_NOISE = np.random.default_rng(4).normal(size=N)
SCORE = (X["age"] - 26) / 4 + (X["income"] - 3) + 0.5 * _NOISE
NUMBER = SCORE * (1 + X["rooms"] / 4)
COUNT = np.random.default_rng(5).poisson(np.exp(SCORE / 2))
YES = np.where(SCORE > 0, "yes", "no")
BIT = (SCORE > 0).astype(int)
LEVEL = np.digitize(SCORE, [-0.5, 0.5])
SIZE = np.array(["large", "medium", "small"])[LEVEL]


@dataclass(frozen=True)
class Case:
    """One model.

    `fit` returns the model, X in its container, and a function of rows that calls the library itself.
    """

    family: str
    model: str
    fit: Callable[[], tuple[Any, Any, Callable[[Any], Any]]]
    method: str = "brute"
    needs: str = "sklearn"
    options: dict[str, Any] = field(default_factory=dict)

    def __str__(self):
        return f"{self.family}: {self.model}"

    @property
    def is_single_precision(self):
        """Whether the library itself sums in float32, so that sums depend on their order."""
        return self.needs == "xgboost"

    @property
    def installed(self):
        return importlib.util.find_spec(self.needs) is not None


def quietly(fit, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit(*args, **options)


def of(model, y, ask, rows=X):
    """A case of scikit-learn's API: `ask` takes the fitted model and rows."""

    def fit():
        fitted = quietly(model().fit, rows, y)
        return fitted, rows, lambda asked: ask(fitted, asked)

    return fit


def predict(model, rows):
    return np.asarray(model.predict(rows), dtype=float)


def proba(column):
    return lambda model, rows: model.predict_proba(rows)[:, column]


def decision(model, rows):
    return model.decision_function(rows)


def is_label(label):
    return lambda model, rows: (np.ravel(model.predict(rows)) == label).astype(float)


def log_odds(column):
    def ask(model, rows):
        p = np.asarray(model.predict_proba(rows)[:, column], dtype=float)
        return np.log(p / (1 - p))

    return ask


def margin_log_odds(column):
    """Log-odds of one of several classes: its margin minus what the others come to together."""

    def ask(model, rows):
        margins = model.predict(rows, output_margin=True).astype(float)
        return margins[:, column] - np.logaddexp.reduce(np.delete(margins, column, axis=1), axis=1)

    return ask


FOREST = {"n_estimators": 5, "max_depth": 4, "random_state": 0}


def by_city(model):
    """A pipeline that encodes the column of text."""
    one_hot = preprocessing.OneHotEncoder(handle_unknown="ignore")
    encode = compose.make_column_transformer((one_hot, ["city"]), remainder=preprocessing.StandardScaler())
    return pipeline.make_pipeline(encode, model)


def two_targets():
    return np.column_stack([NUMBER, SCORE])


def two_flags():
    return np.column_stack([BIT, LEVEL > 1]).astype(int)


def two_labels():
    return np.column_stack([YES, SIZE])


def members():
    return [("linear", linear_model.LogisticRegression()), ("tree", tree.DecisionTreeClassifier(max_depth=3))]


SKLEARN = [
    Case("scikit-learn, linear", "LinearRegression", of(linear_model.LinearRegression, NUMBER, predict), "linear"),
    Case(
        "scikit-learn, linear", "LogisticRegression of two classes",
        of(linear_model.LogisticRegression, YES, proba(1)), "linear",
    ),
    Case(
        "scikit-learn, linear", "LogisticRegression, log-odds of one of three classes",
        of(linear_model.LogisticRegression, SIZE, log_odds(0)), "linear",
        options={"output": "large", "response": "log_odds"},
    ),
    Case("scikit-learn, linear", "LinearSVC", of(lambda: svm.LinearSVC(random_state=0), YES, decision), "linear"),
    Case("scikit-learn, linear", "RidgeClassifier", of(linear_model.RidgeClassifier, YES, decision), "linear"),
    Case(
        "scikit-learn, linear", "LinearRegression of two outputs",
        of(linear_model.LinearRegression, two_targets(), lambda m, rows: m.predict(rows)[:, 1]), "linear",
        options={"output": 1},
    ),
    Case(
        "scikit-learn, pipeline on text", "LogisticRegression behind a ColumnTransformer",
        of(lambda: by_city(linear_model.LogisticRegression()), YES, proba(1), FRAME), "linear",
    ),
    Case(
        "scikit-learn, pipeline on text", "RandomForestRegressor behind a ColumnTransformer",
        of(lambda: by_city(ensemble.RandomForestRegressor(**FOREST)), NUMBER, predict, FRAME), "tree",
    ),
    Case("scikit-learn, radial kernel", "SVR", of(svm.SVR, NUMBER, predict), "kernel"),
    Case("scikit-learn, radial kernel", "SVC of two classes", of(svm.SVC, YES, decision), "kernel"),
    Case(
        "scikit-learn, trees", "RandomForestRegressor",
        of(lambda: ensemble.RandomForestRegressor(**FOREST), NUMBER, predict), "tree",
    ),
    Case(
        "scikit-learn, trees", "RandomForestClassifier of three classes",
        of(lambda: ensemble.RandomForestClassifier(**FOREST), SIZE, proba(2)), "tree", options={"output": "small"},
    ),
    Case(
        "scikit-learn, trees", "HistGradientBoostingClassifier",
        of(lambda: ensemble.HistGradientBoostingClassifier(max_iter=8, min_samples_leaf=4), YES, proba(1)), "tree",
    ),
    Case(
        "scikit-learn, trees", "GridSearchCV of a RandomForestRegressor",
        of(
            lambda: model_selection.GridSearchCV(
                ensemble.RandomForestRegressor(**FOREST), {"max_depth": [2, 3]}, cv=2
            ), NUMBER, predict,
        ), "tree",
    ),
    Case(
        "scikit-learn, several labels", "MLPClassifier",
        of(
            lambda: neural_network.MLPClassifier(hidden_layer_sizes=4, max_iter=30, random_state=0), two_flags(),
            proba(0),
        ), options={"output": 0},
    ),
    Case(
        "scikit-learn, composed", "CalibratedClassifierCV",
        of(lambda: calibration.CalibratedClassifierCV(svm.LinearSVC(random_state=0), cv=2), YES, proba(1)),
    ),
    Case(
        "scikit-learn, composed", "VotingClassifier, soft",
        of(lambda: ensemble.VotingClassifier(members(), voting="soft"), YES, proba(1)),
    ),
    Case(
        "scikit-learn, composed", "VotingClassifier, hard",
        of(lambda: ensemble.VotingClassifier(members()), SIZE, is_label("medium")), options={"output": "medium"},
    ),
    Case(
        "scikit-learn, composed", "VotingRegressor",
        of(
            lambda: ensemble.VotingRegressor(
                [("linear", linear_model.Ridge()), ("tree", tree.DecisionTreeRegressor(max_depth=3))]
            ), NUMBER, predict,
        ),
    ),
    Case(
        "scikit-learn, composed", "StackingClassifier",
        of(lambda: ensemble.StackingClassifier(members(), linear_model.LogisticRegression(), cv=2), SIZE, proba(1)),
        options={"output": "medium"},
    ),
    Case(
        "scikit-learn, without probabilities", "NearestCentroid, predicted class",
        of(NearestCentroid, SIZE, is_label("large")), options={"output": "large", "response": "predict"},
    ),
    Case(
        "scikit-learn, without probabilities", "Perceptron of three classes, decision function",
        of(lambda: linear_model.Perceptron(random_state=0), SIZE, lambda m, rows: decision(m, rows)[:, 1]), "linear",
        options={"output": "medium"},
    ),
    Case(
        "scikit-learn, others", "MLPRegressor",
        of(lambda: neural_network.MLPRegressor(hidden_layer_sizes=4, max_iter=30, random_state=0), NUMBER, predict),
    ),
    Case(
        "scikit-learn, others", "QuadraticDiscriminantAnalysis, log-odds",
        of(lambda: discriminant_analysis.QuadraticDiscriminantAnalysis(reg_param=0.5), YES, log_odds(1)),
        options={"response": "log_odds"},
    ),
    Case(
        "scikit-learn, others", "GaussianMixture",
        of(lambda: mixture.GaussianMixture(3, random_state=0), None, proba(2)), options={"output": 2},
    ),
    Case(
        "scikit-learn, others", "IsolationForest, decision function",
        of(lambda: ensemble.IsolationForest(n_estimators=5, random_state=0), None, decision),
        options={"response": "decision_function"},
    ),
]  # fmt: skip


# XGBoost, LightGBM, CatBoost ---------------------------------------------------------------------


def lazily(library, name, y, ask, **options):
    """A case of scikit-learn's API in another library."""

    def fit():
        module = importlib.import_module(library)
        fitted = quietly(getattr(module, name)(**options).fit, X, y)
        return fitted, X, lambda rows: ask(fitted, rows)

    return fit


def xgb(parameters, y, column=None, **asked):
    def fit():
        import xgboost

        booster = quietly(
            xgboost.train, {"max_depth": 3, "nthread": 1, **parameters}, xgboost.DMatrix(X, y), num_boost_round=8
        )

        def ask(rows):
            returned = booster.predict(xgboost.DMatrix(rows), **asked)
            return returned if column is None else returned[:, column]

        return booster, X, ask

    return fit


def lgb(parameters, y, column=None, **asked):
    def fit():
        import lightgbm

        settings = {"verbose": -1, "num_threads": 1, "min_data_in_leaf": 4, **parameters}
        booster = quietly(lightgbm.train, settings, lightgbm.Dataset(X, y), num_boost_round=8)

        def ask(rows):
            returned = booster.predict(rows, **asked)
            return returned if column is None else returned[:, column]

        return booster, X, ask

    return fit


def cat(parameters, y, column=None, **asked):
    def fit():
        import catboost

        quiet = {"verbose": 0, "allow_writing_files": False, "thread_count": 1, "iterations": 8, "depth": 3}
        model = catboost.CatBoost({**quiet, **parameters}).fit(X, y)

        def ask(rows):
            returned = model.predict(rows, **asked)
            return returned if column is None else returned[:, column]

        return model, X, ask

    return fit


CAT = {"verbose": 0, "allow_writing_files": False, "iterations": 8, "depth": 3, "thread_count": 1}
LGB = {"n_estimators": 8, "verbose": -1, "min_child_samples": 4, "n_jobs": 1}
XGB = {"n_estimators": 8, "max_depth": 3, "n_jobs": 1}
BOOSTING = [
    Case(
        "XGBoost", "XGBRegressor", lazily("xgboost", "XGBRegressor", NUMBER, predict, **XGB), "tree", "xgboost"
    ),
    Case(
        "XGBoost", "XGBClassifier of three classes", lazily("xgboost", "XGBClassifier", LEVEL, proba(1), **XGB), "tree",
        "xgboost", {"output": 1},
    ),
    Case(
        "XGBoost", "XGBClassifier, predicted class", lazily("xgboost", "XGBClassifier", LEVEL, is_label(1), **XGB),
        "brute", "xgboost", {"output": 1, "response": "predict"},
    ),
    Case(
        "XGBoost", "XGBClassifier of three classes, log-odds",
        lazily("xgboost", "XGBClassifier", LEVEL, margin_log_odds(1), **XGB), "tree", "xgboost",
        {"output": 1, "response": "log_odds"},
    ),
    Case("XGBoost, native", "Booster, regression", xgb({}, NUMBER), "tree", "xgboost"),
    Case("XGBoost, native", "Booster, count:poisson", xgb({"objective": "count:poisson"}, COUNT), "tree", "xgboost"),
    Case("XGBoost, native", "Booster, binary:logistic", xgb({"objective": "binary:logistic"}, BIT), "tree", "xgboost"),
    Case(
        "XGBoost, native", "Booster, binary:logistic, margin",
        xgb({"objective": "binary:logistic"}, BIT, output_margin=True), "tree", "xgboost",
        {"response": "decision_function"},
    ),
    Case(
        "XGBoost, native", "Booster, binary:logistic, log-odds",
        xgb({"objective": "binary:logistic"}, BIT, output_margin=True), "tree", "xgboost", {"response": "log_odds"},
    ),
    Case(
        "XGBoost, native", "Booster, multi:softprob",
        xgb({"objective": "multi:softprob", "num_class": 3}, LEVEL, column=2), "tree", "xgboost", {"output": 2},
    ),
    Case(
        "XGBoost, native", "Booster, multi:softprob, margin",
        xgb({"objective": "multi:softprob", "num_class": 3}, LEVEL, column=2, output_margin=True), "tree", "xgboost",
        {"output": 2, "response": "decision_function"},
    ),
    Case("LightGBM", "LGBMRegressor", lazily("lightgbm", "LGBMRegressor", NUMBER, predict, **LGB), "tree", "lightgbm"),
    Case(
        "LightGBM", "LGBMClassifier", lazily("lightgbm", "LGBMClassifier", YES, proba(1), **LGB), "tree", "lightgbm"
    ),
    Case("LightGBM, native", "Booster, regression", lgb({}, NUMBER), "tree", "lightgbm"),
    Case("LightGBM, native", "Booster, poisson", lgb({"objective": "poisson"}, COUNT), "tree", "lightgbm"),
    Case(
        "LightGBM, native", "Booster, poisson, raw", lgb({"objective": "poisson"}, COUNT, raw_score=True), "tree",
        "lightgbm", {"response": "decision_function"},
    ),
    Case("LightGBM, native", "Booster, binary", lgb({"objective": "binary"}, BIT), "tree", "lightgbm"),
    Case(
        "LightGBM, native", "Booster, binary, log-odds", lgb({"objective": "binary"}, BIT, raw_score=True), "tree",
        "lightgbm", {"response": "log_odds"},
    ),
    Case(
        "LightGBM, native", "Booster, multiclass", lgb({"objective": "multiclass", "num_class": 3}, LEVEL, column=0),
        "tree", "lightgbm", {"output": 0},
    ),
    Case(
        "LightGBM, native", "Booster, multiclassova, raw",
        lgb({"objective": "multiclassova", "num_class": 3}, LEVEL, column=0, raw_score=True), "tree", "lightgbm",
        {"output": 0, "response": "decision_function"},
    ),
    Case(
        "CatBoost", "CatBoostRegressor", lazily("catboost", "CatBoostRegressor", NUMBER, predict, **CAT), "tree",
        "catboost",
    ),
    Case(
        "CatBoost", "CatBoostClassifier of three classes",
        lazily("catboost", "CatBoostClassifier", SIZE, proba(0), **CAT), "tree", "catboost", {"output": "large"},
    ),
    Case(
        "CatBoost", "CatBoostClassifier, predicted class",
        lazily("catboost", "CatBoostClassifier", SIZE, is_label("large"), **CAT), "brute", "catboost",
        {"output": "large", "response": "predict"},
    ),
    Case("CatBoost, native", "CatBoost, RMSE", cat({}, NUMBER), "tree", "catboost"),
    Case(
        "CatBoost, native", "CatBoost, Logloss",
        cat({"loss_function": "Logloss"}, BIT, column=1, prediction_type="Probability"), "tree", "catboost",
    ),
    Case(
        "CatBoost, native", "CatBoost, Logloss, predict", cat({"loss_function": "Logloss"}, BIT), "tree", "catboost",
        {"response": "predict"},
    ),
    Case(
        "CatBoost, native", "CatBoost, MultiClass",
        cat({"loss_function": "MultiClass"}, LEVEL, column=2, prediction_type="Probability"), "tree", "catboost",
        {"output": 2},
    ),
    Case(
        "CatBoost, native", "CatBoost, MultiRMSE", cat({"loss_function": "MultiRMSE"}, two_targets(), column=1), "tree",
        "catboost", {"output": 1},
    ),
]  # fmt: skip


# statsmodels -------------------------------------------------------------------------------------


def formula(name, text, column=None, **options):
    def fit():
        from statsmodels.formula import api

        data = FRAME.assign(number=NUMBER, bit=BIT, level=LEVEL, count=COUNT)
        model = getattr(api, name)(text, data, **options)
        results = quietly(model.fit, **({} if name == "ols" else {"disp": 0}))

        def ask(rows):
            returned = np.asarray(results.predict(rows))
            return returned if column is None else returned[:, column]

        return results, FRAME, ask

    return fit


def with_constant(name, y, *, as_array=False, **options):
    def fit():
        import statsmodels.api as sm

        rows = sm.add_constant(X)
        if as_array:
            rows = rows.to_numpy()
        family = {"family": getattr(sm.families, options["family"])()} if options else {}
        results = quietly(getattr(sm, name)(np.asarray(y), rows, **family).fit)
        return results, rows, lambda asked: np.asarray(results.predict(asked))

    return fit


def more_than_coefficients(module, name, y, column=None, *, constant=True):
    """Results of a fit on a frame whose parameters are more than a coefficient per column."""

    def fit():
        import statsmodels.api as sm

        rows = sm.add_constant(X) if constant else X
        model = getattr(importlib.import_module(f"statsmodels.{module}"), name)(y, rows)
        results = quietly(model.fit, disp=0, method="bfgs", maxiter=50)

        def ask(asked):
            returned = np.asarray(results.predict(asked))
            return returned if column is None else returned[:, column]

        return results, rows, ask

    return fit


def in_order():
    return pd.Series(pd.Categorical(SIZE, ["small", "medium", "large"], ordered=True))


STATSMODELS = [
    Case("statsmodels", "OLS by formula", formula("ols", "number ~ age * income + C(city)"), needs="statsmodels"),
    Case("statsmodels", "Logit by formula", formula("logit", "bit ~ np.log(age) + rooms"), needs="statsmodels"),
    Case(
        "statsmodels", "Logit by formula, of columns", formula("logit", "bit ~ age + rooms"),
        needs="statsmodels",
    ),
    Case(
        "statsmodels", "MNLogit by formula", formula("mnlogit", "level ~ rooms", column=1), needs="statsmodels",
        options={"output": 1},
    ),
    Case("statsmodels", "OLS with a constant, of a frame", with_constant("OLS", NUMBER), needs="statsmodels"),
    Case(
        "statsmodels", "GLM with a constant, of an array", with_constant("GLM", COUNT, as_array=True, family="Poisson"),
        needs="statsmodels",
    ),
    Case(
        "statsmodels", "GLM, binomial, of a frame", with_constant("GLM", BIT, family="Binomial"),
        needs="statsmodels",
    ),
    *(
        Case("statsmodels", name, more_than_coefficients("api", name, COUNT), needs="statsmodels")
        for name in ("NegativeBinomial", "NegativeBinomialP", "GeneralizedPoisson", "ZeroInflatedPoisson")
    ),
    Case(
        "statsmodels", "BetaModel",
        more_than_coefficients("othermod.betareg", "BetaModel", 1 / (1 + np.exp(-SCORE))), needs="statsmodels",
    ),
    Case(
        "statsmodels", "OrderedModel",
        more_than_coefficients("miscmodels.ordinal_model", "OrderedModel", in_order(), 2, constant=False),
        needs="statsmodels", options={"output": 2},
    ),
]  # fmt: skip


# functions ------------------------------------------------------------------------------------------


def function(make, rows=X):
    def fit():
        model = make()
        return model, rows, lambda asked: np.asarray(model(asked), dtype=float)

    return fit


def several_columns():
    def model(rows):
        return np.column_stack([rows["age"] - 1.0, rows["age"] * rows["income"]])

    return model, X, lambda rows: model(rows)[:, 1]


OTHERS = [
    Case("any function of X", "one number per row", function(lambda: lambda rows: rows["age"] * rows["income"])),
    Case("any function of X", "one of several columns", several_columns, options={"output": 1}),
]
CASES = [*SKLEARN, *BOOSTING, *STATSMODELS, *OTHERS]


def asked_directly(ask, rows, feature, values):
    """Predict every phantom of one feature with the library, one grid value after another."""
    curves = []
    for value in values:
        phantoms = rows.copy()
        if isinstance(rows, pd.DataFrame):
            is_number = isinstance(phantoms[feature].dtype, np.dtype) and phantoms[feature].dtype.kind in "fi"
            phantoms[feature] = phantoms[feature].dtype.type(value) if is_number else value
        else:
            phantoms[:, int(feature.removeprefix("x"))] = value
        curves.append(np.asarray(quietly(ask, phantoms), dtype=float))
    return np.column_stack(curves)


def largest_difference(explanation, ask, rows):
    """How far any value of any curve is from what the library returns, in sizes of the largest or in 1."""
    worst = 0.0
    for name in explanation.features:
        f = explanation[name]
        expected = asked_directly(ask, rows, name, f.grid)
        size = max(np.abs(expected).max(), 1.0)
        worst = max(worst, float(np.abs(f.curves - expected).max()) / size)
    return worst
