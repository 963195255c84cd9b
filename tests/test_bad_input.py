"""Wrong calls and their errors: one table, with every message whole.

A message says what must hold, what we got, where, and what to do. Rows of one family are together;
a message may hold the folder that a test writes to, as `{folder}`.
"""

from contextlib import closing
from functools import cache
from typing import NamedTuple

import comm
import numpy as np
import pandas as pd
import pytest
from kernel_end import Wire
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import ice_explorer as ice
from ice_explorer.errors import (
    Cancelled,
    ExportError,
    ICEExplorerError,
    InputDataError,
    InputTypeError,
    InvalidOptionError,
    OutputError,
    PredictionError,
    UnknownFeatureError,
    UnknownOptionError,
)

N = 12
X = pd.DataFrame(
    {
        "age": np.arange(20, 80, 5),
        "income": [3.0, 1.0, 4.0, 1.5, 5.0, 9.0, 2.0, 6.0, 5.5, 3.5, 8.0, 7.0],
        "city": ["Oslo", "Rome", "Lima"] * 4,
        "since": pd.date_range("2020-01-01", periods=N),
        "red": [1, 0, 0] * 4,
        "blue": [0, 1, 0] * 4,
        "green": [0, 0, 1] * 4,
    }
)
NUMBERS = X[["age", "income"]]
TAGGED = X.assign(tags=[["a"]] * N)
COLORS = {"color": ["red", "blue", "green"]}


def wealth(rows):
    return rows["age"].to_numpy() / 10 + rows["income"].to_numpy()


def doing_at_the_end(fault):
    """A model that does something else to the oldest age of the first row."""

    def model(rows):
        return fault(wealth(rows), ((rows["age"] == 75) & (rows["income"] == 3.0)).to_numpy())

    return model


def raising(predictions, is_there):
    if is_there.any():
        raise ValueError("too old")
    return predictions


class Labels:
    """A model that does not say which labels there are."""

    def predict(self, rows):
        return np.where(rows["age"] > 40, "old", "young")


@cache
def line():
    return LinearRegression().fit(NUMBERS, wealth(NUMBERS))


@cache
def two_classes():
    return LogisticRegression().fit(NUMBERS, np.array(["no", "yes"])[np.arange(N) % 2])


@cache
def three_classes():
    return LogisticRegression(max_iter=1000).fit(NUMBERS, np.array(["low", "mid", "high"])[np.arange(N) % 3])


@cache
def tree():
    return DecisionTreeRegressor(random_state=0).fit(NUMBERS, wealth(NUMBERS))


@cache
def pure_tree():
    return DecisionTreeClassifier(random_state=0).fit(NUMBERS, np.arange(N) % 2)


@cache
def mixed_tree():
    return make_pipeline(PCA(), DecisionTreeRegressor(random_state=0)).fit(NUMBERS, wealth(NUMBERS))


@cache
def machine():
    return SVC().fit(NUMBERS, np.arange(N) % 2)


@cache
def result():
    return ice.explain(wealth, X, progress=False)


def explain(model=wealth, X=X, **options):
    return ice.explain(model, X, **{"progress": False, **options})


def with_trait(name, value, *arguments):
    """Set a trait of an explorer."""
    with closing(ice.ICEExplorer(*(arguments or (wealth, X)))) as explorer:
        explorer.explanation  # noqa: B018 - so that nothing runs beside the test
        setattr(explorer, name, value)


def save(*arguments, **options):
    with closing(ice.ICEExplorer(wealth, NUMBERS)) as explorer:
        explorer.save(*arguments, **options)


def read_closed():
    explorer = ice.ICEExplorer(wealth, NUMBERS)
    explorer.close()
    return explorer.table


def draw_on_a_text():
    pytest.importorskip("matplotlib")
    return result().plot("age", ax="here")


class Case(NamedTuple):
    """A call, and its message; the call takes a folder."""

    name: str
    call: object
    error: type
    message: str


CASES = [
    # the model
    Case(
        "no model",
        lambda _: explain(None),
        InputTypeError,
        "model must have a predict method or be a function of X; got NoneType. Pass `lambda X: …` that returns "
        "one number per row.",
    ),
    Case(
        "a class",
        lambda _: explain(LinearRegression, NUMBERS),
        InputTypeError,
        "model must be a fitted model; got the class LinearRegression. Make a model of it and fit that: "
        "`LinearRegression().fit(X, y)`.",
    ),
    Case(
        "unfitted",
        lambda _: explain(LinearRegression(), NUMBERS),
        PredictionError,
        "model must be fitted; this LinearRegression is not. Call `model.fit(X, y)` first.",
    ),
    Case(
        "a column is missing",
        lambda _: explain(line(), NUMBERS[["age"]]),
        InputDataError,
        "X must have the columns that the model was fitted on; 'income' is missing. X has 1 column: 'age'. Add what "
        "is missing, and pass the columns in the order of the fit.",
    ),
    Case(
        "a column too many",
        lambda _: explain(line(), NUMBERS.assign(size=1.0)),
        InputDataError,
        "X must have only the columns that the model was fitted on; it was not fitted on 'size'. Pass "
        "`X[model.feature_names_in_]`.",
    ),
    Case(
        "another column",
        lambda _: explain(line(), NUMBERS.rename(columns={"income": "Income"})),
        InputDataError,
        "X must have the columns that the model was fitted on; 'income' is missing, and the model was not fitted on "
        "'Income'. X has 2 columns: 'age', 'Income'. Rename 'Income' to 'income', and pass the columns in the order "
        "of the fit.",
    ),
    Case(
        "columns in another order",
        lambda _: explain(line(), NUMBERS[["income", "age"]]),
        InputDataError,
        "X must have its columns in the order in which the model was fitted on them; it has the same columns in "
        "another order: 'income', 'age'. Pass `X[model.feature_names_in_]`.",
    ),
    Case(
        "an array too narrow",
        lambda _: explain(LinearRegression().fit(NUMBERS.to_numpy(), wealth(NUMBERS)), NUMBERS.to_numpy()[:, :1]),
        InputDataError,
        "X must have as many columns as the model was fitted on, 2; got 1. Pass the columns of the fit, in their "
        "order.",
    ),
    Case(
        "the model raises",
        lambda _: explain(lambda rows: 1 / 0),
        PredictionError,
        "The model failed on the first rows of X: ZeroDivisionError: division by zero. Check that it is fitted "
        "and that X is what it was fitted on.",
    ),
    Case(
        "the model raises on a phantom",
        lambda _: explain(doing_at_the_end(raising)),
        PredictionError,
        "The model failed on phantom observations of 'age' (grid value 75.0, row 0 of X): ValueError: too old. "
        "Limit the grid with `grid=`, or leave the feature out with `features=`.",
    ),
    Case(
        "the model raises on a row of X",
        lambda _: explain(lambda rows: raising(wealth(rows), (rows["age"] == 75).to_numpy()), features=["income"]),
        PredictionError,
        "The model failed on row 11 of X as it is: ValueError: too old. Leave out the rows that it cannot predict, or "
        "fill their missing values.",
    ),
    Case(
        "NaN on a phantom",
        lambda _: explain(doing_at_the_end(lambda predictions, at: np.where(at, np.nan, predictions))),
        PredictionError,
        "The model must return finite numbers; it returned nan on a phantom observation of 'age' (grid value "
        "75.0, row 0 of X). Limit the grid with `grid=`, or use another `response`.",
    ),
    Case(
        "too few for a phantom",
        lambda _: explain(doing_at_the_end(lambda predictions, at: predictions[~at])),
        PredictionError,
        "No predictions of phantom observations of 'age' (grid value 75.0, row 0 of X): model() returned shape "
        "(131,) for 132 rows; expected (132,). Wrap the model in a function that returns that.",
    ),
    Case(
        "texts for a phantom",
        lambda _: explain(
            doing_at_the_end(lambda predictions, at: predictions.astype("U9") if at.any() else predictions)
        ),
        PredictionError,
        "No predictions of phantom observations of 'age' (grid value 75.0, row 0 of X): model() must return "
        "numbers; it returned dtype <U9. Wrap the model in a function that returns a number per row.",
    ),
    Case(
        "infinite everywhere",
        lambda _: explain(lambda rows: wealth(rows) * np.inf),
        PredictionError,
        "The model must return finite numbers; it returned inf on a phantom observation of 'age' (grid value "
        "20.0, row 0 of X). Limit the grid with `grid=`, or use another `response`.",
    ),
    Case(
        "predictions whose squares are no numbers",
        lambda _: explain(doing_at_the_end(lambda predictions, at: np.where(at, -1e300, predictions))),
        PredictionError,
        "The model must return numbers from -1e+140 to 1e+140; it returned -1e+300 on a phantom observation of 'age' "
        "(grid value 75.0, row 0 of X). Explain a function that scales them down, such as "
        "`lambda X: model.predict(X) / 1e200`.",
    ),
    Case(
        "slopes whose squares are no numbers",
        lambda _: explain(lambda rows: (rows["income"] > 0).to_numpy(), X.assign(income=np.arange(N) * 1e-200)),
        PredictionError,
        "Predictions must change by at most 1e+140 per unit of a feature; they change by more between values of "
        "'income' that are 1e-200 apart. Write the feature in a smaller unit, or space its values with `grid=`.",
    ),
    Case(
        "predictions beyond what browsers get",
        lambda _: ice.ICEExplorer(explain(lambda rows: wealth(rows) * 1e100)),
        PredictionError,
        "An explorer shows numbers from -1e+38 to 1e+38; the predictions of 'age' reach 1.65e+101. Explain a function "
        "that scales predictions down, such as `lambda X: model.predict(X) / 1e100`, or leave the feature out with "
        "`features=`.",
    ),
    Case(
        "figures beyond what browsers get",
        lambda folder: explain(
            lambda rows: (rows["income"] > 0).to_numpy(), X.assign(income=[0.0, 1e-60, *range(1, N - 1)])
        ).save(folder / "x.html"),
        PredictionError,
        "An explorer shows numbers from -1e+38 to 1e+38; the metrics of 'income' reach 1.3e+60. Explain a function "
        "that scales predictions down, such as `lambda X: model.predict(X) / 1e100`, or leave the feature out with "
        "`features=`.",
    ),
    Case(
        "one number for all rows",
        lambda _: explain(lambda rows: 1.0),
        PredictionError,
        "model() returned shape () for 2 rows; expected (2,). Wrap the model in a function that returns that.",
    ),
    Case(
        "too few numbers",
        lambda _: explain(lambda rows: wealth(rows)[:1]),
        PredictionError,
        "model() returned shape (1,) for 2 rows; expected (2,). Wrap the model in a function that returns that.",
    ),
    Case(
        "a column of numbers",
        lambda _: explain(lambda rows: wealth(rows)[:, None]),
        PredictionError,
        "model() returned shape (2, 1) for 2 rows; expected (2,). Wrap it: `lambda X: model(X).ravel()`.",
    ),
    Case(
        "three axes",
        lambda _: explain(lambda rows: np.zeros((len(rows), 2, 2))),
        PredictionError,
        "model() returned shape (2, 2, 2) for 2 rows; expected (2,). Wrap the model in a function that returns that.",
    ),
    Case(
        "texts",
        lambda _: explain(lambda rows: np.full(len(rows), "a")),
        PredictionError,
        "model() must return numbers; it returned dtype <U1. Wrap the model in a function that returns a "
        "number per row.",
    ),
    Case(
        "complex numbers",
        lambda _: explain(lambda rows: wealth(rows) + 1j),
        PredictionError,
        "model() must return numbers; it returned dtype complex128. Wrap the model in a function that returns "
        "a number per row.",
    ),
    Case(
        "nothing returned",
        lambda _: explain(lambda rows: None),
        PredictionError,
        "model() must return a number per row; it returned None. End it with `return` and the predictions.",
    ),
    # X
    Case(
        "X is None",
        lambda _: explain(wealth, None),
        InputTypeError,
        "X must be a DataFrame, a two-dimensional numpy array or a sparse matrix; got NoneType. Pass the "
        "observations to explain the model on.",
    ),
    Case(
        "X is lists",
        lambda _: explain(wealth, [[1, 2]]),
        InputTypeError,
        "X must be a DataFrame, a two-dimensional numpy array or a sparse matrix; got list. Convert it, for "
        "example `np.asarray(X)`.",
    ),
    Case(
        "X is a series",
        lambda _: explain(wealth, X["age"]),
        InputTypeError,
        "X must be a DataFrame, a two-dimensional numpy array or a sparse matrix; got Series. Pass a table: a row "
        "is `X.iloc[[0]]`, a column `X[['name']]`.",
    ),
    Case(
        "X is a matrix, as `todense` makes one",
        lambda _: explain(wealth, NUMBERS.to_numpy().view(np.matrix)),
        InputTypeError,
        "X must be a DataFrame, a two-dimensional numpy array or a sparse matrix; got matrix. Convert it, for "
        "example `np.asarray(X)`.",
    ),
    Case(
        "X is an array with a mask",
        lambda _: explain(wealth, np.ma.masked_less(NUMBERS.to_numpy(), 0)),
        InputTypeError,
        "X must be a DataFrame, a two-dimensional numpy array or a sparse matrix; got MaskedArray. Pass "
        "`X.filled(np.nan)`.",
    ),
    Case(
        "X is a table of Dask",
        lambda _: explain(wealth, type("DataFrame", (), {"__module__": "dask.dataframe", "compute": list})()),
        InputTypeError,
        "X must be a DataFrame, a two-dimensional numpy array or a sparse matrix; got DataFrame of dask. Pass "
        "`X.compute()`.",
    ),
    Case(
        "X is a table of Spark",
        lambda _: explain(
            wealth, type("DataFrame", (), {"__module__": "pyspark.sql", "collect": list, "toPandas": list})()
        ),
        InputTypeError,
        "X must be a DataFrame, a two-dimensional numpy array or a sparse matrix; got DataFrame of pyspark. Pass "
        "`X.toPandas()`.",
    ),
    Case(
        "model and X swapped",
        lambda _: explain(X, wealth),
        InputTypeError,
        "X must be a DataFrame, a two-dimensional numpy array or a sparse matrix; got function. The model "
        "comes first: `explain(model, X)`.",
    ),
    Case(
        "no rows",
        lambda _: explain(X=X.iloc[:0]),
        InputDataError,
        "X must have at least one row and one column; got shape (0, 7). Pass the observations to explain the model on.",
    ),
    Case(
        "no columns",
        lambda _: explain(X=X[[]]),
        InputDataError,
        "X must have at least one row and one column; got shape (12, 0). Pass the observations to explain the "
        "model on.",
    ),
    Case(
        "one axis",
        lambda _: explain(X=np.arange(3.0)),
        InputDataError,
        "X must have two dimensions, observations × features; got an array of shape (3,). Reshape it: one "
        "feature is `X.reshape(-1, 1)`, one row `X.reshape(1, -1)`.",
    ),
    Case(
        "an array of objects",
        lambda _: explain(X=NUMBERS.to_numpy().astype(object)),
        InputDataError,
        "An array X must hold numbers or booleans; got dtype object. Pass a DataFrame with one dtype per column.",
    ),
    Case(
        "a name twice",
        lambda _: explain(X=pd.concat([NUMBERS, NUMBERS[["age"]]], axis=1)),
        InputDataError,
        "Column names must be different from each other; 'age' names more than one column of X. Rename one of them.",
    ),
    Case(
        "names alike as text",
        lambda _: explain(X=NUMBERS.set_axis([1, "1"], axis=1)),
        InputDataError,
        "Column names must be different from each other; '1' names more than one column of X. Rename one of them.",
    ),
    Case(
        "a column of lists",
        lambda _: explain(X=TAGGED, features=["tags"]),
        InputDataError,
        "A feature must hold numbers, booleans, categories, texts, dates or timedeltas; 'tags' has dtype "
        "object and holds other objects. Leave it out of `features=`: it stays available to colour by.",
    ),
    Case(
        "nothing but lists",
        lambda _: explain(X=TAGGED[["tags"]]),
        InputDataError,
        "X must have at least one column that holds numbers, booleans, categories, texts, dates or timedeltas; "
        "its columns are 'tags'. Turn one into such a column in front of the model.",
    ),
    Case(
        "infinite values",
        lambda _: explain(X=X.assign(income=np.where(np.arange(N) < 2, np.inf, 1.0))),
        InputDataError,
        "A feature must hold finite numbers; 'income' holds infinite values in 2 rows: 0, 1. Replace them, or "
        "leave the feature out with `features=`.",
    ),
    Case(
        "an infinite value",
        lambda _: explain(X=X.assign(income=np.where(np.arange(N) == 5, -np.inf, 1.0))),
        InputDataError,
        "A feature must hold finite numbers; 'income' holds infinite values in 1 row: 5. Replace them, or "
        "leave the feature out with `features=`.",
    ),
    Case(
        "values whose squares are no numbers",
        lambda _: explain(X=X.assign(income=np.where(np.arange(N) == 5, -1e300, 1.0))),
        InputDataError,
        "A feature must hold numbers from -1e+140 to 1e+140; 'income' holds -1e+300 in row 5. Replace it if it stands "
        "for a missing value, or leave the feature out with `features=`.",
    ),
    Case(
        "all missing",
        lambda _: explain(X=X.assign(income=np.nan), features=["income"]),
        InputDataError,
        "A feature must hold at least one value; 'income' is missing in every row that has weight. Leave it "
        "out with `features=`.",
    ),
    Case(
        "groups are sought in a text",
        lambda _: ice.find_groups("data.csv"),
        InputTypeError,
        "X must be a DataFrame, a two-dimensional numpy array or a sparse matrix; got str. Pass the "
        "observations to explain the model on.",
    ),
    # features
    Case(
        "no features",
        lambda _: explain(features=[]),
        InvalidOptionError,
        "`features` must name at least one feature; got an empty list. Leave it out for all of them.",
    ),
    Case(
        "feature spelt wrongly",
        lambda _: explain(features=["incme"]),
        UnknownFeatureError,
        "No column named 'incme' in X. Did you mean 'income'? X has 7 columns: 'age', 'income', 'city', "
        "'since', 'red', 'blue', 'green'.",
    ),
    Case(
        "feature that is not there",
        lambda _: explain(features=["weight"]),
        UnknownFeatureError,
        "No column named 'weight' in X. X has 7 columns: 'age', 'income', 'city', 'since', 'red', 'blue', 'green'.",
    ),
    Case(
        "feature behind the last",
        lambda _: explain(features=[9]),
        UnknownFeatureError,
        "No column named 9 in X. X has 7 columns: 'age', 'income', 'city', 'since', 'red', 'blue', 'green'.",
    ),
    Case(
        "feature in a list",
        lambda _: explain(features=[["age"]]),
        UnknownFeatureError,
        "A column of X must be given by its name; got a value of type list. Columns are 'age', 'income', 'city', "
        "'since', 'red', 'blue', 'green'.",
    ),
    Case(
        "features in a mapping",
        lambda _: explain(features={"age": 1}),
        InvalidOptionError,
        "`features` must be a list of names; got {'age': 1}. Pass `list(…)` of it, or leave it out.",
    ),
    Case(
        "member of a group as a feature",
        lambda _: explain(groups=COLORS, features=["red"]),
        InvalidOptionError,
        "A column of a group moves with the others; 'red' belongs to 'color'. Name 'color' instead, or leave "
        "the column out of `groups`.",
    ),
    # groups and categories
    Case(
        "groups without a name",
        lambda _: explain(groups=["red", "blue"]),
        InvalidOptionError,
        "`groups` must be a mapping of names to lists of columns; got ['red', 'blue']. Write `groups={'city': "
        "['city_a', 'city_b']}`, or leave it out.",
    ),
    Case(
        "group of a text",
        lambda _: explain(groups={"color": "red"}),
        InvalidOptionError,
        "`groups` must be a mapping of names to lists of columns; got {'color': 'red'}. Write `groups={'city': "
        "['city_a', 'city_b']}`, or leave it out.",
    ),
    Case(
        "group with an unknown member",
        lambda _: explain(groups={"color": ["red", "bleu"]}),
        UnknownFeatureError,
        "No column named 'bleu' in X. Did you mean 'blue'? X has 7 columns: 'age', 'income', 'city', 'since', "
        "'red', 'blue', 'green'.",
    ),
    Case(
        "group named as a column",
        lambda _: explain(groups={"age": ["red", "blue"]}),
        InvalidOptionError,
        "`groups` must have names of their own; 'age' is the name of a column or of another group. Choose "
        "another name for the group.",
    ),
    Case(
        "group of one",
        lambda _: explain(groups={"color": ["red"]}),
        InvalidOptionError,
        "`groups` must give each group at least two columns; got 'red' for 'color'. A single column of 0 and 1 "
        "is a feature as it is.",
    ),
    Case(
        "group of none",
        lambda _: explain(groups={"color": []}),
        InvalidOptionError,
        "`groups` must give each group at least two columns; got none for 'color'. A single column of 0 and 1 "
        "is a feature as it is.",
    ),
    Case(
        "groups overlap",
        lambda _: explain(groups={"warm": ["red", "green"], "cold": ["blue", "green"]}),
        InvalidOptionError,
        "A column can be in one group, once; 'green' is in 'warm' and in 'cold'. Remove it from one place.",
    ),
    Case(
        "member twice",
        lambda _: explain(groups={"color": ["red", "red"]}),
        InvalidOptionError,
        "A column can be in one group, once; 'red' is twice in 'color'. Remove it from one place.",
    ),
    Case(
        "group of numbers",
        lambda _: explain(groups={"color": ["red", "age"]}),
        InvalidOptionError,
        "The columns of a group must hold 0 and 1 only; 'age' of 'color' holds 20.0 in row 0. Leave the column "
        "out of the group.",
    ),
    Case(
        "group of texts",
        lambda _: explain(groups={"color": ["red", "city"]}),
        InvalidOptionError,
        "The columns of a group must hold 0 and 1 only; 'city' of 'color' holds 'Oslo' in row 0. Leave the "
        "column out of the group.",
    ),
    Case(
        "group with missing values",
        lambda _: explain(X=X.assign(blue=np.nan), groups={"color": ["red", "blue"]}),
        InvalidOptionError,
        "The columns of a group must hold 0 and 1 only; 'blue' of 'color' holds nan in row 0. Leave the column "
        "out of the group.",
    ),
    Case(
        "two ones in a row",
        lambda _: explain(X=X.assign(blue=1), groups={"color": ["red", "blue"]}),
        InvalidOptionError,
        "At most one column of a group can be 1 in a row; 'red' and 'blue' of 'color' are both 1 in row 0. "
        "Leave one of them out of the group, or explain the columns without it.",
    ),
    Case(
        "category spelt wrongly",
        lambda _: explain(categorical=["citi"]),
        UnknownFeatureError,
        "No column named 'citi' in X. Did you mean 'city'? X has 7 columns: 'age', 'income', 'city', 'since', "
        "'red', 'blue', 'green'.",
    ),
    Case(
        "category of lists",
        lambda _: explain(X=TAGGED, categorical=["tags"]),
        InputDataError,
        "A feature must hold numbers, booleans, categories, texts, dates or timedeltas; 'tags' has dtype "
        "object and holds other objects. Leave it out of `categorical=`: it stays available to colour by.",
    ),
    Case(
        "category in a mapping",
        lambda _: explain(categorical={"age": 1}),
        InvalidOptionError,
        "`categorical` must be a list of names; got {'age': 1}. Pass `list(…)` of it, or leave it out.",
    ),
    Case(
        "category in a group",
        lambda _: explain(groups={"cold": ["blue", "green"]}, categorical=["blue"]),
        InvalidOptionError,
        "A column of a group moves with the others; 'blue' belongs to 'cold'. Name 'cold' instead, or leave "
        "the column out of `groups`.",
    ),
    # output and response
    Case(
        "no class chosen",
        lambda _: explain(three_classes(), NUMBERS),
        OutputError,
        "The model returns 3 classes, so one must be chosen. Pass `output='high'` (or 'low', 'mid').",
    ),
    Case(
        "class spelt wrongly",
        lambda _: explain(three_classes(), NUMBERS, output="hihg"),
        OutputError,
        "`output` must be one of 'high', 'low', 'mid', or a position from 0 to 2; got 'hihg'. Did you mean 'high'?",
    ),
    Case(
        "class that is not there",
        lambda _: explain(two_classes(), NUMBERS, output="maybe"),
        OutputError,
        "`output` must be one of 'no', 'yes', or a position from 0 to 1; got 'maybe'.",
    ),
    Case(
        "class behind the last",
        lambda _: explain(three_classes(), NUMBERS, output=3),
        OutputError,
        "`output` must be one of 'high', 'low', 'mid', or a position from 0 to 2; got 3.",
    ),
    Case(
        "class of a regressor",
        lambda _: explain(line(), NUMBERS, output=0),
        OutputError,
        "`output` chooses among several outputs; the model has one, got output=0. Leave `output` out.",
    ),
    Case(
        "no output chosen",
        lambda _: explain(lambda rows: rows[["age", "income"]].to_numpy()),
        OutputError,
        "The model returns 2 outputs, so one must be chosen. Pass `output=0` (or 1).",
    ),
    Case(
        "no label chosen",
        lambda _: explain(Labels(), NUMBERS),
        OutputError,
        "The model returns 2 classes, so one must be chosen. Pass `output='old'` (or 'young').",
    ),
    Case(
        "label spelt wrongly",
        lambda _: explain(Labels(), NUMBERS, output="yuong"),
        OutputError,
        "`output` must be a label that the model predicts for the first rows of X, 'old', 'young'; "
        "got 'yuong'. Did you mean 'young'? For another one pass a function that returns 1 where it is "
        "predicted, else 0.",
    ),
    Case(
        "response that is none",
        lambda _: explain(two_classes(), NUMBERS, response="proba"),
        InvalidOptionError,
        "`response` must be 'auto', 'predict_proba', 'decision_function', 'predict' or 'log_odds'; got 'proba'.",
    ),
    Case(
        "response that the model lacks",
        lambda _: explain(machine(), NUMBERS, response="predict_proba"),
        InvalidOptionError,
        "`response='predict_proba'` needs a model with predict_proba; SVC has none. Use `response=\"auto\"`, "
        "or pass a function that returns what you want to explain.",
    ),
    Case(
        "response of a function",
        lambda _: explain(response="predict"),
        InvalidOptionError,
        "`response` chooses among the methods of an estimator; got 'predict' with a plain function. Leave "
        "`response` out and let the function return what you want to explain.",
    ),
    Case(
        "log-odds of a regressor",
        lambda _: explain(line(), NUMBERS, response="log_odds"),
        InvalidOptionError,
        "`response='log_odds'` needs a model with predict_proba; LinearRegression has none. Use "
        '`response="auto"`, or pass a function that returns what you want to explain.',
    ),
    Case(
        "infinite log-odds",
        lambda _: explain(pure_tree(), NUMBERS, response="log_odds"),
        PredictionError,
        "Log-odds need probabilities between 0 and 1; the model returned a probability of 0 for a phantom observation "
        "of 'age' (grid value 20.0, row 0 of X). Use `response=\"predict_proba\"`, or pass a function that keeps "
        "probabilities from 0 and 1, for example `lambda X: logit(model.predict_proba(X)[:, 1].clip(0.001, 0.999))` "
        "with `scipy.special.logit`.",
    ),
    # decay, convention
    Case(
        "decay 0",
        lambda _: explain(decay=0),
        InvalidOptionError,
        "`decay` must be greater than 0 and at most 1; got 0. Use `decay=1` to weight all phantom observations "
        "equally.",
    ),
    Case(
        "decay 1.5",
        lambda _: explain(decay=1.5),
        InvalidOptionError,
        "`decay` must be greater than 0 and at most 1; got 1.5. Use `decay=1` to weight all phantom "
        "observations equally.",
    ),
    Case(
        "decay as text",
        lambda _: explain(decay="0.75"),
        InvalidOptionError,
        "`decay` must be greater than 0 and at most 1; got '0.75'. Use `decay=1` to weight all phantom "
        "observations equally.",
    ),
    Case(
        "decay True",
        lambda _: explain(decay=True),
        InvalidOptionError,
        "`decay` must be greater than 0 and at most 1; got True. Use `decay=1` to weight all phantom "
        "observations equally.",
    ),
    Case(
        "decay NaN",
        lambda _: explain(decay=np.nan),
        InvalidOptionError,
        "`decay` must be greater than 0 and at most 1; got nan. Use `decay=1` to weight all phantom "
        "observations equally.",
    ),
    Case(
        "decay as a list",
        lambda _: explain(decay=[0.5]),
        InvalidOptionError,
        "`decay` must be greater than 0 and at most 1; got [0.5]. Use `decay=1` to weight all phantom "
        "observations equally.",
    ),
    Case(
        "convention spelt wrongly",
        lambda _: explain(convention="equation"),
        InvalidOptionError,
        "`convention` must be 'stable', 'equations' or 'published'; got 'equation'. Did you mean 'equations'?",
    ),
    Case(
        "convention that is none",
        lambda _: explain(convention="paper"),
        InvalidOptionError,
        "`convention` must be 'stable', 'equations' or 'published'; got 'paper'.",
    ),
    Case(
        "conventions in an array",
        lambda _: explain(convention=np.array(["stable", "published"])),
        InvalidOptionError,
        "`convention` must be 'stable', 'equations' or 'published'; got array(['stable', 'published'], dtype='<U9').",
    ),
    # how it is computed
    Case(
        "engine spelt wrongly",
        lambda _: explain(engine="trees"),
        InvalidOptionError,
        "`engine` must be 'auto', 'brute', 'tree', 'linear', 'kernel' or 'network'; got 'trees'. Did you mean 'tree'?",
    ),
    Case(
        "engine that is none",
        lambda _: explain(engine="gpu"),
        InvalidOptionError,
        "`engine` must be 'auto', 'brute', 'tree', 'linear', 'kernel' or 'network'; got 'gpu'.",
    ),
    Case(
        "trees of a line",
        lambda _: explain(line(), NUMBERS, engine="tree"),
        InvalidOptionError,
        '`engine="tree"` needs a model that it computes exactly. LinearRegression is not a supported '
        'tree ensemble. Use `engine="auto"`.',
    ),
    Case(
        "line of a tree",
        lambda _: explain(tree(), NUMBERS, engine="linear"),
        InvalidOptionError,
        '`engine="linear"` needs a model that it computes exactly. DecisionTreeRegressor is not a supported '
        'linear model. Use `engine="auto"`.',
    ),
    Case(
        "kernels of a tree",
        lambda _: explain(tree(), NUMBERS, engine="kernel"),
        InvalidOptionError,
        '`engine="kernel"` needs a model that it computes exactly. DecisionTreeRegressor is not a supported '
        'model with radial kernels. Use `engine="auto"`.',
    ),
    Case(
        "negative seed",
        lambda _: explain(random_state=-1),
        InvalidOptionError,
        "`random_state` must be an integer of at least 0; got -1. Use `random_state=0` for the default seed.",
    ),
    Case(
        "seed None",
        lambda _: explain(random_state=None),
        InvalidOptionError,
        "`random_state` must be an integer of at least 0; got None. Use `random_state=0` for the default seed.",
    ),
    Case(
        "memory lots",
        lambda _: explain(memory_limit="lots"),
        InvalidOptionError,
        "`memory_limit` must be a positive number of bytes or a text such as '500MB' or '2GB'; got 'lots'. The "
        "default is '1GB'.",
    ),
    Case(
        "memory 0",
        lambda _: explain(memory_limit=0),
        InvalidOptionError,
        "`memory_limit` must be a positive number of bytes or a text such as '500MB' or '2GB'; got 0. The "
        "default is '1GB'.",
    ),
    Case(
        "no threads",
        lambda _: explain(n_jobs=0),
        InvalidOptionError,
        "`n_jobs` must be a number of threads of at least 1, or -1 for one per processor; got 0. Leave it out for one.",
    ),
    Case(
        "threads as text",
        lambda _: explain(n_jobs="all"),
        InvalidOptionError,
        "`n_jobs` must be a number of threads of at least 1, or -1 for one per processor; got 'all'. Leave it "
        "out for one.",
    ),
    Case(
        "progress as text",
        lambda _: explain(progress="yes"),
        InvalidOptionError,
        "`progress` must be None, True, False or a function of (done, total, label); got 'yes'. Use "
        "`progress=False` for silence.",
    ),
    Case(
        "sample 0",
        lambda _: explain(sample=0),
        InvalidOptionError,
        "`sample` must be a count from 1 to the number of observations or a fraction greater than 0 and less "
        "than 1; got 0 for 12 observations. Use `sample=None` for all of them.",
    ),
    Case(
        "sample 2.5",
        lambda _: explain(sample=2.5),
        InvalidOptionError,
        "`sample` must be a count from 1 to the number of observations or a fraction greater than 0 and less "
        "than 1; got 2.5 for 12 observations. Use `sample=None` for all of them.",
    ),
    Case(
        "sample as text",
        lambda _: explain(sample="half"),
        InvalidOptionError,
        "`sample` must be a count from 1 to the number of observations or a fraction greater than 0 and less "
        "than 1; got 'half' for 12 observations. Use `sample=None` for all of them.",
    ),
    Case(
        "sample larger than X",
        lambda _: explain(sample=13),
        InvalidOptionError,
        "`sample` must be a count from 1 to the number of observations or a fraction greater than 0 and less "
        "than 1; got 13 for 12 observations. Use `sample=None` for all of them.",
    ),
    Case(
        "grid_size 1",
        lambda _: explain(grid_size=1),
        InvalidOptionError,
        "`grid_size` must be an integer of at least 2; got 1. Leave it out for the default.",
    ),
    Case(
        "grid_size as text",
        lambda _: explain(grid_size="many"),
        InvalidOptionError,
        "`grid_size` must be an integer of at least 2; got 'many'. Leave it out for the default.",
    ),
    Case(
        "option spelt wrongly",
        lambda _: explain(grids="uniform"),
        UnknownOptionError,
        "explain() has no option 'grids'. Did you mean 'grid'? Its options are features, groups, categorical, "
        "output, response, grid, grid_size, sample, random_state, sample_weight, decay, scale, convention, "
        "engine, n_jobs, memory_limit, like, keep_curves, progress, budget, client.",
    ),
    Case(
        "option that is none",
        lambda _: explain(zoom=2),
        UnknownOptionError,
        "explain() has no option 'zoom'. Its options are features, groups, categorical, output, response, "
        "grid, grid_size, sample, random_state, sample_weight, decay, scale, convention, engine, n_jobs, "
        "memory_limit, like, keep_curves, progress, budget, client.",
    ),
    Case(
        "budget of no time",
        lambda _: explain(budget=0),
        InvalidOptionError,
        "`budget` must be a positive number of seconds; got 0. Leave it out to use all rows, however long that takes.",
    ),
    Case(
        "budget that is a text",
        lambda _: explain(budget="5 s"),
        InvalidOptionError,
        "`budget` must be a positive number of seconds; got '5 s'. Leave it out to use all rows, however long that "
        "takes.",
    ),
    Case(
        "budget of an explorer",
        lambda _: ice.ICEExplorer(wealth, X, budget=5),
        UnknownOptionError,
        "ICEExplorer() has no option 'budget': it shows samples of the rows until the result is there. "
        "Leave it out, or write `ICEExplorer(explain(model, X, budget=…))`.",
    ),
    # weights
    Case(
        "too few weights",
        lambda _: explain(sample_weight=[1] * 11),
        InvalidOptionError,
        "`sample_weight` must be finite numbers of at least 0, one per observation; got 11 weights for 12 "
        "observations. Leave it out to weigh all observations alike.",
    ),
    Case(
        "weights in a table",
        lambda _: explain(sample_weight=np.ones((N, 1))),
        InvalidOptionError,
        "`sample_weight` must be finite numbers of at least 0, one per observation; got shape (12, 1) for 12 "
        "observations. Leave it out to weigh all observations alike.",
    ),
    Case(
        "a negative weight",
        lambda _: explain(sample_weight=[1] * 5 + [-1] + [1] * 6),
        InvalidOptionError,
        "`sample_weight` must be finite numbers of at least 0, one per observation; got -1.0 in row 5. Leave "
        "it out to weigh all observations alike.",
    ),
    Case(
        "a weight NaN",
        lambda _: explain(sample_weight=[1] * 11 + [np.nan]),
        InvalidOptionError,
        "`sample_weight` must be finite numbers of at least 0, one per observation; got nan in row 11. Leave "
        "it out to weigh all observations alike.",
    ),
    Case(
        "all weights 0",
        lambda _: explain(sample_weight=np.zeros(N)),
        InvalidOptionError,
        "`sample_weight` must sum to more than 1, because weights are frequencies; got a sum of 0.0. Multiply "
        "the weights, for example so that they sum to the number of observations.",
    ),
    Case(
        "weights that sum to 0.5",
        lambda _: explain(sample_weight=[0.25, 0.25] + [0] * 10),
        InvalidOptionError,
        "`sample_weight` must sum to more than 1, because weights are frequencies; got a sum of 0.5. Multiply "
        "the weights, for example so that they sum to the number of observations.",
    ),
    Case(
        "weights by name",
        lambda _: explain(sample_weight="income"),
        InvalidOptionError,
        "`sample_weight` must be finite numbers of at least 0, one per observation; got 'income'. Leave it out "
        "to weigh all observations alike.",
    ),
    Case(
        "complex weights",
        lambda _: explain(sample_weight=np.array([1j, 2])),
        InvalidOptionError,
        "`sample_weight` must be finite numbers of at least 0, one per observation; got array([0.+1.j, "
        "2.+0.j]). Leave it out to weigh all observations alike.",
    ),
    Case(
        "sampled weights too light",
        lambda _: explain(sample_weight=np.full(N, 0.125), sample=2),
        InvalidOptionError,
        "`sample_weight` of the sampled observations must sum to more than 1; got a sum of 0.25 for 'age'. Use "
        "a larger `sample`, or multiply the weights.",
    ),
    # the grid
    Case(
        "grid spelt wrongly",
        lambda _: explain(grid="observd"),
        InvalidOptionError,
        "`grid` must be 'observed', 'quantile', 'uniform', 'random' or 'thresholds', or a mapping of features "
        "to values; got 'observd'. Did you mean 'observed'? For one feature write `grid={'name': values}`.",
    ),
    Case(
        "grid as a number",
        lambda _: explain(grid=5),
        InvalidOptionError,
        "`grid` must be 'observed', 'quantile', 'uniform', 'random' or 'thresholds', or a mapping of features "
        "to values; got 5. For one feature write `grid={'name': values}`.",
    ),
    Case(
        "grid as an array",
        lambda _: explain(grid=np.array([1.0, 2.0])),
        InvalidOptionError,
        "`grid` must be 'observed', 'quantile', 'uniform', 'random' or 'thresholds', or a mapping of features "
        "to values; got array([1., 2.]). For one feature write `grid={'name': values}`.",
    ),
    Case(
        "grid of an unknown feature",
        lambda _: explain(grid={"agee": [1, 2]}),
        UnknownFeatureError,
        "No column named 'agee' in X. Did you mean 'age'? X has 7 columns: 'age', 'income', 'city', 'since', "
        "'red', 'blue', 'green'.",
    ),
    Case(
        "grid of a member of a group",
        lambda _: explain(groups={"cold": ["blue", "green"]}, grid={"green": [0, 1]}),
        InvalidOptionError,
        "A column of a group moves with the others; 'green' belongs to 'cold'. Name 'cold' instead, or leave "
        "the column out of `groups`.",
    ),
    Case(
        "unsorted grid",
        lambda _: explain(grid={"income": [2, 1]}),
        InvalidOptionError,
        "`grid` must give each feature increasing finite values; got 2.0 before 1.0 for 'income'. Pass "
        "`np.unique(values)`.",
    ),
    Case(
        "a grid value twice",
        lambda _: explain(grid={"income": [1, 1, 2]}),
        InvalidOptionError,
        "`grid` must give each feature increasing finite values; got 1.0 before 1.0 for 'income'. Pass "
        "`np.unique(values)`.",
    ),
    Case(
        "empty grid",
        lambda _: explain(grid={"income": []}),
        InvalidOptionError,
        "`grid` must give each feature increasing finite values; got an array of shape (0,) for 'income'. Pass "
        "a one-dimensional list or array of at least one.",
    ),
    Case(
        "infinite grid",
        lambda _: explain(grid={"income": [1, np.inf]}),
        InvalidOptionError,
        "`grid` must give each feature increasing finite values; got inf for 'income'. Remove it from the list.",
    ),
    Case(
        "grid with NaN",
        lambda _: explain(grid={"income": [np.nan]}),
        InvalidOptionError,
        "`grid` must give each feature increasing finite values; got nan for 'income'. Remove it from the list.",
    ),
    Case(
        "grid beyond floats",
        lambda _: explain(grid={"income": [0, 10**400]}),
        InvalidOptionError,
        "`grid` must give each feature increasing finite values; got [0, "
        "1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000… for "
        "'income'. Pass a list or an array of numbers.",
    ),
    Case(
        "grid too wide for floats",
        lambda _: explain(grid={"income": [-1e308, 1e308]}),
        InvalidOptionError,
        "`grid` must give each feature increasing finite values; got -1e+308, more than 1e+140, for 'income'. "
        "Remove it from the list.",
    ),
    Case(
        "grid of texts",
        lambda _: explain(grid={"income": ["low", "high"]}),
        InvalidOptionError,
        "`grid` must give each feature increasing finite values; got ['low', 'high'] for 'income'. Pass a list "
        "or an array of numbers.",
    ),
    Case(
        "grid of complex numbers",
        lambda _: explain(grid={"income": [1j]}),
        InvalidOptionError,
        "`grid` must give each feature increasing finite values; got [1j] for 'income'. Pass a list or an "
        "array of numbers.",
    ),
    Case(
        "grid with two axes",
        lambda _: explain(grid={"income": [[1, 2]]}),
        InvalidOptionError,
        "`grid` must give each feature increasing finite values; got an array of shape (1, 2) for 'income'. "
        "Pass a one-dimensional list or array of at least one.",
    ),
    Case(
        "grid of a number alone",
        lambda _: explain(grid={"income": 5}),
        InvalidOptionError,
        "`grid` must give each feature increasing finite values; got 5 for 'income'. Pass a list or an array "
        "of numbers.",
    ),
    Case(
        "level spelt wrongly",
        lambda _: explain(grid={"city": ["Rom"]}),
        InvalidOptionError,
        "`grid` must give a category levels that occur in X or are declared by its dtype; got 'Rom' for 'city'. "
        "Did you mean 'Rome'? Its levels are 'Oslo', 'Rome', 'Lima'.",
    ),
    Case(
        "level that is not there",
        lambda _: explain(grid={"city": ["Paris"]}),
        InvalidOptionError,
        "`grid` must give a category levels that occur in X or are declared by its dtype; got 'Paris' for 'city'. "
        "Its levels are 'Oslo', 'Rome', 'Lima'.",
    ),
    Case(
        "a level twice",
        lambda _: explain(grid={"city": ["Rome", "Rome"]}),
        InvalidOptionError,
        "`grid` must give each level once; got 'Rome' twice for 'city'. Remove one of them.",
    ),
    Case(
        "no level",
        lambda _: explain(grid={"city": []}),
        InvalidOptionError,
        "`grid` must give a category at least one level; got none for 'city'. Its levels are 'Oslo', 'Rome', 'Lima'.",
    ),
    Case(
        "grid that is no date",
        lambda _: explain(grid={"since": ["someday"]}),
        InvalidOptionError,
        "`grid` must give each feature increasing finite values; got ['someday'] for 'since'. Pass a list of dates.",
    ),
    Case(
        "numbers for dates",
        lambda _: explain(grid={"since": [1, 2]}),
        InvalidOptionError,
        "`grid` must give each feature increasing finite values; got [1, 2] for 'since'. Pass a list of dates.",
    ),
    Case(
        "unsorted dates",
        lambda _: explain(grid={"since": ["2020-01-05", "2020-01-02"]}),
        InvalidOptionError,
        "`grid` must give each feature increasing finite values; got 2020-01-05 before 2020-01-02 for 'since'. "
        "Pass `np.unique(values)`.",
    ),
    Case(
        "thresholds of a line",
        lambda _: explain(line(), NUMBERS, grid="thresholds"),
        InvalidOptionError,
        '`grid="thresholds"` needs a tree model. LinearRegression is not a supported tree ensemble. '
        'Use `grid="observed"`.',
    ),
    Case(
        "thresholds behind a mix of columns",
        lambda _: explain(mixed_tree(), NUMBERS, grid="thresholds"),
        InvalidOptionError,
        '`grid="thresholds"` needs a column of numbers that the model sees as it is, or scaled. The transformers in '
        'front of DecisionTreeRegressor combine or encode all of them. Use `grid="observed"`.',
    ),
    # the scale
    Case(
        "scale spelt wrongly",
        lambda _: explain(scale="conditionl"),
        InvalidOptionError,
        "`scale` must be 'marginal' or 'conditional', or a mapping of features to values; got 'conditionl'. "
        "Did you mean 'conditional'? For one feature write `scale={'name': values}`.",
    ),
    Case(
        "scale as an array",
        lambda _: explain(scale=np.array([1.0, 2.0])),
        InvalidOptionError,
        "`scale` must be 'marginal' or 'conditional', or a mapping of features to values; got array([1., 2.]). "
        "For one feature write `scale={'name': values}`.",
    ),
    Case(
        "scale of an unknown feature",
        lambda _: explain(scale={"height": 1}),
        UnknownFeatureError,
        "No column named 'height' in X. X has 7 columns: 'age', 'income', 'city', 'since', 'red', 'blue', 'green'.",
    ),
    Case(
        "scale too short",
        lambda _: explain(scale={"income": [1, 2]}),
        InvalidOptionError,
        "`scale` must give positive finite standard deviations, one number or one per observation; got shape "
        "(2,) for 12 observations as the scale of 'income'. Use `scale=\"marginal\"` for the standard "
        "deviation of the column.",
    ),
    Case(
        "scale -1",
        lambda _: explain(scale={"income": -1}),
        InvalidOptionError,
        "`scale` must give positive finite standard deviations, one number or one per observation; got -1.0 as "
        "the scale of 'income'. Use `scale=\"marginal\"` for the standard deviation of the column.",
    ),
    Case(
        "scale as a word",
        lambda _: explain(scale={"income": "wide"}),
        InvalidOptionError,
        "`scale` must give positive finite standard deviations, one number or one per observation; got 'wide' "
        "as the scale of 'income'. Use `scale=\"marginal\"` for the standard deviation of the column.",
    ),
    Case(
        "scale None",
        lambda _: explain(scale={"income": None}),
        InvalidOptionError,
        "`scale` must give positive finite standard deviations, one number or one per observation; got None as "
        "the scale of 'income'. Use `scale=\"marginal\"` for the standard deviation of the column.",
    ),
    Case(
        "scale of a category",
        lambda _: explain(scale={"city": 1.0}),
        InvalidOptionError,
        "`scale` must give standard deviations of features with an order; got one for 'city', an unordered "
        'category, whose levels are all as far from each other. Leave it out, or use `scale="conditional"`.',
    ),
    # a result
    Case(
        "result spelt wrongly",
        lambda _: result()["incme"],
        UnknownFeatureError,
        "No feature named 'incme' was explained. Did you mean 'income'? There are 7 features: 'age', 'income', "
        "'city', 'since', 'red', 'blue', 'green'.",
    ),
    Case(
        "result that is not there",
        lambda _: result()[9],
        UnknownFeatureError,
        "No feature named 9 was explained. There are 7 features: 'age', 'income', 'city', 'since', 'red', "
        "'blue', 'green'.",
    ),
    Case(
        "table sorted by what is none",
        lambda _: result().table(sort_by="impct"),
        InvalidOptionError,
        "`sort_by` must be 'impact', 'in_distribution_impact', 'direction', 'heterogeneity', 'non_linearity', "
        "'missing_impact', 'support', 'largest_step_share', 'scale', 'n_grid' or 'kind'; got 'impct'. Did "
        "you mean 'impact'?",
    ),
    Case(
        "table with decay 2",
        lambda _: result().table(decay=2),
        InvalidOptionError,
        "`decay` must be greater than 0 and at most 1; got 2. Use `decay=1` to weight all phantom observations "
        "equally.",
    ),
    Case(
        "table in what is no unit",
        lambda _: result().table(unit="percent"),
        InvalidOptionError,
        "`unit` must be 'prediction', 'sd' or 'share'; got 'percent'.",
    ),
    Case(
        "profile of one decay",
        lambda _: result().decay_profile(0.5),
        InvalidOptionError,
        "`decays` must be a list of decays; got 0.5. For one decay write `[decay]`.",
    ),
    Case(
        "profile with a bad decay",
        lambda _: result().decay_profile([0.5, -0.1]),
        InvalidOptionError,
        "`decay` must be greater than 0 and at most 1; got -0.1. Use `decay=1` to weight all phantom "
        "observations equally.",
    ),
    Case(
        "profile of what is none",
        lambda _: result().decay_profile([0.5], metric="suport"),
        InvalidOptionError,
        "`metric` must be 'in_distribution_impact' or 'support'; got 'suport'. Did you mean 'support'?",
    ),
    Case(
        "profile of a feature with a bad decay",
        lambda _: result()["age"].decay_profile([0.5, 3]),
        InvalidOptionError,
        "`decay` must be greater than 0 and at most 1; got 3. Use `decay=1` to weight all phantom observations "
        "equally.",
    ),
    Case(
        "profile of a feature at one decay",
        lambda _: result()["age"].decay_profile(0.25),
        InvalidOptionError,
        "`decays` must be a list of decays; got 0.25. For one decay write `[decay]`.",
    ),
    Case(
        "profile of a feature of what is none",
        lambda _: result()["age"].decay_profile([0.5], metric="impact"),
        InvalidOptionError,
        "`metric` must be 'in_distribution_impact' or 'support'; got 'impact'.",
    ),
    Case(
        "metrics with decay 0.0",
        lambda _: result()["age"].metrics(decay=0.0),
        InvalidOptionError,
        "`decay` must be greater than 0 and at most 1; got 0.0. Use `decay=1` to weight all phantom "
        "observations equally.",
    ),
    Case(
        "likelihood with decay 1.2",
        lambda _: result()["age"].likelihood(1.2),
        InvalidOptionError,
        "`decay` must be greater than 0 and at most 1; got 1.2. Use `decay=1` to weight all phantom "
        "observations equally.",
    ),
    Case(
        "a row behind the last",
        lambda _: result()["age"].rows([0, 99]),
        InvalidOptionError,
        "`positions` must be row positions of X, from 0 to 11; got 99. Rows are addressed by position, not by "
        "index label; `X.index.get_indexer(labels)` has the positions.",
    ),
    Case(
        "a row before the first",
        lambda _: result()["age"].rows([-1]),
        InvalidOptionError,
        "`positions` must be row positions of X, from 0 to 11; got -1. Rows are addressed by position, not by "
        "index label; `X.index.get_indexer(labels)` has the positions.",
    ),
    Case(
        "rows by label",
        lambda _: result()["age"].rows(["c1"]),
        InvalidOptionError,
        "`positions` must be row positions of X, from 0 to 11; got ['c1']. Rows are addressed by position, not "
        "by index label; `X.index.get_indexer(labels)` has the positions.",
    ),
    Case(
        "rows by mask",
        lambda _: result()["age"].rows([True, False]),
        InvalidOptionError,
        "`positions` as a mask must have one value for each of the 12 rows of X; got 2. "
        "Pass a mask of these rows, or their positions.",
    ),
    Case(
        "rows of different lengths",
        lambda _: result()["age"].rows([[1], [1, 2]]),
        InvalidOptionError,
        "`positions` must be row positions of X, from 0 to 11; got [[1], [1, 2]]. Rows are addressed by "
        "position, not by index label; `X.index.get_indexer(labels)` has the positions.",
    ),
    Case(
        "predictions behind the last",
        lambda _: result()["age"].predictions([12]),
        InvalidOptionError,
        "`positions` must be row positions of X, from 0 to 11; got 12. Rows are addressed by position, not by "
        "index label; `X.index.get_indexer(labels)` has the positions.",
    ),
    Case(
        "rows of X behind the last",
        lambda _: result()._table_rows([13]),
        InvalidOptionError,
        "`positions` must be row positions of X, from 0 to 11; got 13. Rows are addressed by position, not by "
        "index label; `X.index.get_indexer(labels)` has the positions.",
    ),
    Case(
        "row of X as a number",
        lambda _: result()._table_rows(1),
        InvalidOptionError,
        "`positions` must be row positions of X, from 0 to 11; got 1. Rows are addressed by position, not by "
        "index label; `X.index.get_indexer(labels)` has the positions.",
    ),
    Case(
        "labels of rows that are not whole",
        lambda _: result()._row_labels([1.5]),
        InvalidOptionError,
        "`positions` must be row positions of X, from 0 to 11; got [1.5]. Rows are addressed by position, not "
        "by index label; `X.index.get_indexer(labels)` has the positions.",
    ),
    Case(
        "slopes of a category",
        lambda _: result()["city"].slopes,
        InvalidOptionError,
        "Slopes need a feature with an order; 'city' is an unordered category. Use `centered_curves`, the "
        "change of each curve since one of the levels.",
    ),
    Case(
        "anchor that is none",
        lambda _: result()["age"].centered_curves("middle"),
        InvalidOptionError,
        "`anchor` must be 'min', 'max', 'median', 'own' or a finite value of the feature; got 'middle'. The "
        "nearest grid value is used for a number.",
    ),
    Case(
        "anchor NaN",
        lambda _: result()["age"].centered_curves(np.nan),
        InvalidOptionError,
        "`anchor` must be 'min', 'max', 'median', 'own' or a finite value of the feature; got nan. The nearest "
        "grid value is used for a number.",
    ),
    Case(
        "anchor in a list",
        lambda _: result()["age"].centered_curves([1]),
        InvalidOptionError,
        "`anchor` must be 'min', 'max', 'median', 'own' or a finite value of the feature; got [1]. The nearest "
        "grid value is used for a number.",
    ),
    Case(
        "anchor that is no level",
        lambda _: result()["city"].centered_curves("Rom"),
        InvalidOptionError,
        "`anchor` of a category must be 'min', 'max', 'median', 'own' or a level on its grid; got 'Rom' for "
        "'city'. Did you mean 'Rome'? Its grid is 'Oslo', 'Rome', 'Lima'.",
    ),
    Case(
        "anchor that is no date",
        lambda _: result()["since"].centered_curves("spring"),
        InvalidOptionError,
        "`anchor` must be 'min', 'max', 'median', 'own' or a finite value of the feature; got 'spring'. The "
        "nearest grid value is used for a number.",
    ),
    Case(
        "lines -1",
        lambda _: result()["age"].draw(-1),
        InvalidOptionError,
        "`max_lines` must be an integer of at least 0; got -1. Use `max_lines=1000` for the default.",
    ),
    Case(
        "line drawn that is not there",
        lambda _: result()["age"].draw(3, include=[14]),
        InvalidOptionError,
        "`include` must be row positions of X, from 0 to 11; got 14. Rows are addressed by position, not by "
        "index label; `X.index.get_indexer(labels)` has the positions.",
    ),
    Case(
        "line drawn by label",
        lambda _: result()["age"].draw(3, include=["a"]),
        InvalidOptionError,
        "`include` must be row positions of X, from 0 to 11; got ['a']. Rows are addressed by position, not by "
        "index label; `X.index.get_indexer(labels)` has the positions.",
    ),
    Case(
        "column spelt wrongly",
        lambda _: result()._column("sinc"),
        UnknownFeatureError,
        "No column named 'sinc' in X. Did you mean 'since'? X has 7 columns: 'age', 'income', 'city', 'since', "
        "'red', 'blue', 'green'.",
    ),
    # pictures
    Case(
        "picture of what is not there",
        lambda _: result().plot("weight"),
        UnknownFeatureError,
        "No feature named 'weight' was explained. There are 7 features: 'age', 'income', 'city', 'since', "
        "'red', 'blue', 'green'.",
    ),
    Case(
        "picture of no kind",
        lambda _: result().plot("age", "pdp"),
        InvalidOptionError,
        "`kind` must be 'ice', 'c-ice' or 'd-ice'; got 'pdp'.",
    ),
    Case(
        "picture coloured by what is not there",
        lambda _: result().plot("age", color_by="colour"),
        UnknownFeatureError,
        "No column named 'colour' in X. X has 7 columns: 'age', 'income', 'city', 'since', 'red', 'blue', 'green'.",
    ),
    Case(
        "picture with decay 4",
        lambda _: result().plot("age", decay=4),
        InvalidOptionError,
        "`decay` must be greater than 0 and at most 1; got 4. Use `decay=1` to weight all phantom observations "
        "equally.",
    ),
    Case(
        "picture anchored at what is none",
        lambda _: result().plot("age", "c-ice", anchor="mean"),
        InvalidOptionError,
        "`anchor` must be 'min', 'max', 'median', 'own' or a finite value of the feature; got 'mean'. The "
        "nearest grid value is used for a number.",
    ),
    Case(
        "picture of half a line",
        lambda _: result().plot("age", max_lines=0.5),
        InvalidOptionError,
        "`max_lines` must be an integer of at least 0; got 0.5. Use `max_lines=1000` for the default.",
    ),
    Case(
        "picture with an unknown option",
        lambda _: result().plot("age", colour_by="city"),
        UnknownOptionError,
        "plot() has no option 'colour_by'. Did you mean 'color_by'? Its options are kind, color_by, "
        "decay, anchor, max_lines, ax, title, legend, palette, line_kw, mean_kw, share_axis, effects.",
    ),
    Case(
        "picture on a text",
        lambda _: draw_on_a_text(),
        InputTypeError,
        "`ax` must be a matplotlib Axes; got str. Pass one of `plt.subplots()`, or leave it out for a new figure.",
    ),
    Case(
        "ranking by what is none",
        lambda _: result().plot_impact(rank_by="impct"),
        InvalidOptionError,
        "`rank_by` must be 'impact', 'in_distribution_impact', 'heterogeneity', 'non_linearity' or "
        "'missing_impact'; got 'impct'. Did you mean 'impact'?",
    ),
    Case(
        "ranking of nothing",
        lambda _: result().plot_impact(max_features=0),
        InvalidOptionError,
        "`max_features` must be an integer of at least 1; got 0. Use `max_features=30` for the default.",
    ),
    Case(
        "ranking with an unknown option",
        lambda _: result().plot_impact(ranked_by="impact"),
        UnknownOptionError,
        "plot_impact() has no option 'ranked_by'. Did you mean 'rank_by'? Its options are ax, decay, rank_by, unit, "
        "ci, max_features, title, legend.",
    ),
    # the explorer
    Case(
        "explorer without X",
        lambda _: ice.ICEExplorer(wealth),
        InputTypeError,
        "ICEExplorer needs the observations to explain the model on; got a model alone. Call `ICEExplorer(model, X)`.",
    ),
    Case(
        "explorer of an explanation and X",
        lambda _: ice.ICEExplorer(result(), X),
        InputTypeError,
        "ICEExplorer(explanation) takes nothing else but y, because an explanation brings its data and its options; "
        "got X as well. Pass that to `explain`.",
    ),
    Case(
        "explorer of an explanation with options",
        lambda _: ice.ICEExplorer(result(), decay=0.5),
        InputTypeError,
        "ICEExplorer(explanation) takes nothing else but y, because an explanation brings its data and its options; "
        "got decay as well. Pass that to `explain`.",
    ),
    Case(
        "explorer with a target of other rows",
        lambda _: ice.ICEExplorer(wealth, X, np.arange(3)),
        InvalidOptionError,
        "`y` must hold one value per observation; got 3 for 12 observations. Pass the targets of the rows of X, in "
        "their order.",
    ),
    Case(
        "explorer of numbers with labels as their target",
        lambda _: ice.ICEExplorer(result(), y=X["city"]),
        InvalidOptionError,
        "`y` must be finite numbers, because the model predicts numbers; got 'Oslo' in row 0. Pass the target that "
        "the model was fitted on; missing values may stay.",
    ),
    Case(
        "explorer of classes with labels of others",
        lambda _: ice.ICEExplorer(two_classes(), NUMBERS, X["city"]),
        InvalidOptionError,
        "`y` must hold labels of the classes, 'no', 'yes'; got 'Oslo' and no label among them. Pass the labels that "
        "the model was fitted on.",
    ),
    Case(
        "explorer with an unknown option",
        lambda _: ice.ICEExplorer(wealth, X, sampel=3),
        UnknownOptionError,
        "ICEExplorer() has no option 'sampel'. Did you mean 'sample'? Its options are features, groups, "
        "categorical, output, response, grid, grid_size, sample, random_state, sample_weight, decay, scale, "
        "convention, engine, n_jobs, memory_limit, like, keep_curves, progress, client, state.",
    ),
    Case(
        "what is set on an explorer, given as an option",
        lambda _: ice.ICEExplorer(wealth, X, feature="age"),
        UnknownOptionError,
        "ICEExplorer() has no option 'feature': it is set on an explorer that is there. Write "
        "`x = ICEExplorer(model, X)`, then `x.feature = 'age'`.",
    ),
    Case(
        "state that is a list",
        lambda _: ice.ICEExplorer(wealth, X, state=["age"]),
        InvalidOptionError,
        "`state` must be a dict that `state()` of an explorer returned; got ['age']. Pass `state=x.state()`.",
    ),
    Case(
        "state that is a text",
        lambda _: ice.ICEExplorer(wealth, X, state='{"version": 1}'),
        InvalidOptionError,
        "`state` must be a dict that `state()` of an explorer returned; got '{\"version\": 1}'. Read a text of "
        "JSON with `json.loads`.",
    ),
    Case(
        "state without version",
        lambda _: ice.ICEExplorer(wealth, X, state={"feature": "age"}),
        InvalidOptionError,
        "`state['version']` must be 1 or 2; got none. Pass a whole state, and read one of a newer release with that "
        "release.",
    ),
    Case(
        "state of a version to come",
        lambda _: ice.ICEExplorer(wealth, X, state={"version": 3}),
        InvalidOptionError,
        "`state['version']` must be 1 or 2; got 3. Pass a whole state, and read one of a newer release with that "
        "release.",
    ),
    Case(
        "state with an entry of nobody's",
        lambda _: ice.ICEExplorer(wealth, X, state={"version": 2, "colour_by": "age"}),
        InvalidOptionError,
        "`state` must have no other entries than `state()` of an explorer writes; got 'colour_by'. Did you mean "
        "'color_by'? Leave it out.",
    ),
    Case(
        "state of today with a weighting",
        lambda _: ice.ICEExplorer(wealth, X, state={"version": 2, "convention": "equations", "weighting": "length"}),
        InvalidOptionError,
        "`state` must have no other entries than `state()` of an explorer writes; got 'weighting'. Leave it out.",
    ),
    Case(
        "state that opens a number",
        lambda _: ice.ICEExplorer(wealth, X, state={"version": 2, "feature": 3}),
        InvalidOptionError,
        "`state['feature']` must be text; got 3. Leave it out for the default.",
    ),
    Case(
        "state that selects by name",
        lambda _: ice.ICEExplorer(result(), state={"version": 2, "selection": ["Ada"]}),
        InvalidOptionError,
        "`state['selection']` must be a list of integers of at least 0; got ['Ada']. Leave it out for the default.",
    ),
    Case(
        "state of no kind",
        lambda _: ice.ICEExplorer(wealth, X, state={"version": 2, "kind": "cice"}),
        InvalidOptionError,
        "`kind` must be 'ice', 'c-ice' or 'd-ice'; got 'cice'. Did you mean 'c-ice'?",
    ),
    Case(
        "state whose view is a list",
        lambda _: ice.ICEExplorer(wealth, X, state={"version": 2, "view": []}),
        InvalidOptionError,
        "`state['view']` must be a dict; got []. Leave it out for the default.",
    ),
    Case(
        "state whose view has an entry of nobody's",
        lambda _: ice.ICEExplorer(wealth, X, state={"version": 2, "view": {"lefty": "map"}}),
        InvalidOptionError,
        "`state['view']` must have no other entries than `state()` of an explorer writes; got 'lefty'. Did you "
        "mean 'left'? Leave it out.",
    ),
    Case(
        "state whose view is nowhere",
        lambda _: ice.ICEExplorer(wealth, X, state={"version": 2, "view": {"left": "below"}}),
        InvalidOptionError,
        "`state['view']['left']` must be 'bars', 'map' or 'interactions'; got 'below'. Leave it out for the default.",
    ),
    Case(
        "explorer with decay 2.5",
        lambda _: ice.ICEExplorer(wealth, X, decay=2.5),
        InvalidOptionError,
        "`decay` must be greater than 0 and at most 1; got 2.5. Use `decay=1` to weight all phantom "
        "observations equally.",
    ),
    Case(
        "open what is not there",
        lambda _: with_trait("feature", "ages"),
        UnknownFeatureError,
        "No column named 'ages' in X. Did you mean 'age'? X has 7 columns: 'age', 'income', 'city', 'since', "
        "'red', 'blue', 'green'.",
    ),
    Case(
        "colour by what is not there",
        lambda _: with_trait("color_by", "town"),
        UnknownFeatureError,
        "No column named 'town' in X. X has 7 columns: 'age', 'income', 'city', 'since', 'red', 'blue', 'green'.",
    ),
    Case(
        "show no kind",
        lambda _: with_trait("kind", "c_ice"),
        InvalidOptionError,
        "`kind` must be 'ice', 'c-ice' or 'd-ice'; got 'c_ice'. Did you mean 'c-ice'?",
    ),
    Case(
        "decay -1",
        lambda _: with_trait("decay", -1),
        InvalidOptionError,
        "`decay` must be greater than 0 and at most 1; got -1. Use `decay=1` to weight all phantom "
        "observations equally.",
    ),
    Case(
        "rank by what is none",
        lambda _: with_trait("rank_by", "direction"),
        InvalidOptionError,
        "`rank_by` must be 'impact', 'in_distribution_impact', 'heterogeneity', 'non_linearity' or "
        "'missing_impact'; got 'direction'.",
    ),
    Case(
        "count by no convention",
        lambda _: with_trait("convention", "publishd"),
        InvalidOptionError,
        "`convention` must be 'stable', 'equations' or 'published'; got 'publishd'. Did you mean 'published'?",
    ),
    Case(
        "anchor of a view that is none",
        lambda _: with_trait("anchor", "own value"),
        InvalidOptionError,
        "`anchor` must be 'min', 'max', 'median', 'own' or a finite value of the feature; got 'own value'. The "
        "nearest grid value is used for a number.",
    ),
    Case(
        "no lines",
        lambda _: with_trait("max_lines", 0),
        InvalidOptionError,
        "`max_lines` must be an integer of at least 1; got 0. Use `max_lines=1000` for the default.",
    ),
    Case(
        "select behind the last",
        lambda _: with_trait("selection", [99]),
        InvalidOptionError,
        "`selection` must be row positions of X, from 0 to 11; got 99. Rows are addressed by position, not by "
        "index label; `X.index.get_indexer(labels)` has the positions.",
    ),
    Case(
        "select by a mask of other rows",
        lambda _: with_trait("selection", [True, False]),
        InvalidOptionError,
        "`selection` as a mask must have one value for each of the 12 rows of X; got 2. "
        "Pass a mask of these rows, or their positions.",
    ),
    Case(
        "select by text",
        lambda _: with_trait("selection", "abc"),
        InvalidOptionError,
        "`selection` must be row positions of X, from 0 to 11; got 'abc'. Rows are addressed by position, not by "
        "index label; `X.index.get_indexer(labels)` has the positions.",
    ),
    Case(
        "output where there is one",
        lambda _: with_trait("output", "yes"),
        OutputError,
        "`output` chooses among several outputs; the model has one, got output='yes'. Leave `output` out.",
    ),
    Case(
        "output that is not there",
        lambda _: with_trait("output", "perhaps", two_classes(), NUMBERS),
        InvalidOptionError,
        "`output` must be 'no' or 'yes'; got 'perhaps'.",
    ),
    Case(
        "output of an explanation",
        lambda _: with_trait("output", "no", explain(two_classes(), NUMBERS)),
        InvalidOptionError,
        "`output` must stay what the explanation has, 'yes'; got 'no'. Call `ICEExplorer(model, X)` for an "
        "explorer that can explain another.",
    ),
    Case(
        "response of an explanation",
        lambda _: with_trait("response", "predict", explain(two_classes(), NUMBERS)),
        InvalidOptionError,
        "`response` must stay what the explanation has, 'predict_proba'; got 'predict'. Call "
        "`ICEExplorer(model, X)` for an explorer that can explain another.",
    ),
    Case(
        "response of a function in a view",
        lambda _: with_trait("response", "predict_proba"),
        InvalidOptionError,
        "`response` chooses among the methods of an estimator; got 'predict_proba' with a plain function. "
        "Leave `response` out and let the function return what you want to explain.",
    ),
    Case(
        "response that is none in a view",
        lambda _: with_trait("response", "proba", two_classes(), NUMBERS),
        InvalidOptionError,
        "`response` must be 'predict_proba', 'decision_function', 'predict' or 'log_odds'; got 'proba'.",
    ),
    Case(
        "a closed explorer",
        lambda _: read_closed(),
        Cancelled,
        "An explorer must be open to be read; this one is closed and no longer holds its model and data. "
        "Create a new one.",
    ),
    # files
    Case(
        "unknown suffix",
        lambda folder: save(folder / "view.jpg"),
        ExportError,
        "`path` must end in '.svg', '.png', '.pdf', '.html', '.csv', '.parquet', '.json' or '.ice'; got "
        "'{folder}/view.jpg'. The suffix chooses the format.",
    ),
    Case(
        "no suffix",
        lambda _: save("view"),
        ExportError,
        "`path` must end in '.svg', '.png', '.pdf', '.html', '.csv', '.parquet', '.json' or '.ice'; got 'view'. "
        "The suffix chooses the format.",
    ),
    Case(
        "path None",
        lambda _: save(None),
        InputTypeError,
        '`path` must be a text or a Path; got NoneType. Write for example `"view.svg"`.',
    ),
    Case(
        "file that is there",
        lambda folder: save(folder / "there.svg"),
        ExportError,
        "`path` must not exist yet; there is a file at '{folder}/there.svg'. Pass `overwrite=True` to replace it.",
    ),
    Case(
        "folder of that name",
        lambda folder: save(folder / "folder.svg", overwrite=True),
        ExportError,
        "`path` must be that of a file; there is a folder at '{folder}/folder.svg'. Choose another name.",
    ),
    Case(
        "folder that is not there",
        lambda folder: save(folder / "nowhere" / "view.svg"),
        ExportError,
        "`path` must be in a folder that is there; '{folder}/nowhere/view.svg' is in none. Make the folder, or "
        "choose another.",
    ),
    Case(
        "save what is not there",
        lambda folder: save(folder / "view.svg", "curves"),
        UnknownFeatureError,
        "No feature named 'curves' was explained. There are 2 features: 'age', 'income'.",
    ),
    Case(
        "too narrow",
        lambda folder: save(folder / "view.svg", width=10),
        InvalidOptionError,
        "`width` must be from 60 to 600 mm, a number of mm or a text with its unit; got 10. "
        'Write for example `width="89mm"` or `width="3.5in"`, or leave it out for 180.',
    ),
    Case(
        "width as text",
        lambda folder: save(folder / "view.svg", "panel", width="wide"),
        InvalidOptionError,
        "`width` must be from 60 to 600 mm, a number of mm or a text with its unit; got 'wide'. "
        'Write for example `width="89mm"` or `width="3.5in"`, or leave it out for 120.',
    ),
    Case(
        "too coarse",
        lambda folder: save(folder / "view.png", dpi=5),
        InvalidOptionError,
        "`dpi` must be from 50 to 1200 dots per inch; got 5. Leave it out for 300.",
    ),
    Case(
        "letters too small to read",
        lambda folder: save(folder / "view.svg", font_size=2),
        InvalidOptionError,
        "`font_size` must be from 4 to 24 pt, as letters are measured; got 2. Leave it out for 7.2.",
    ),
    Case(
        "letters too large for the width",
        lambda folder: save(folder / "view.svg", width="89mm", font_size=14.4),
        InvalidOptionError,
        "`width` must be at least 120 mm for letters of 14.4 pt; got 89 mm. Use smaller letters, or a wider figure.",
    ),
    Case(
        "title that is no text",
        lambda folder: save(folder / "view.svg", title=3),
        InvalidOptionError,
        "`title` must be True, False or a text; got 3. Use `title=True` for the usual words, or give your own.",
    ),
    Case(
        "caption that is no text",
        lambda folder: save(folder / "view.svg", caption=3),
        InvalidOptionError,
        "`caption` must be True, False or a text; got 3. Use `caption=True` for the usual words, or give your own.",
    ),
    Case(
        "all features in one picture",
        lambda folder: save(folder / "all.svg", "all"),
        ExportError,
        "`path` must hold '{feature}' where a .svg of each feature is wanted; got '{folder}/all.svg'. Write for "
        "example 'figures/{feature}.svg', or use '.pdf', which has a page for each.",
    ),
    Case(
        "unknown option of plot_all",
        lambda _: result().plot_all(columns=2),
        UnknownOptionError,
        "plot_all() has no option 'columns'. Did you mean 'n_columns'? Its options are kind, color_by, decay, rank_by, "
        "anchor, max_lines, max_features, n_columns, share_y, title, legend, palette, line_kw, mean_kw.",
    ),
    Case(
        "no columns of panels",
        lambda _: result().plot_all(n_columns=0),
        InvalidOptionError,
        "`n_columns` must be an integer of at least 1; got 0. Use `n_columns=3` for the default.",
    ),
    Case(
        "static picture that is neither on nor off",
        lambda _: ice.ICEExplorer(wealth, NUMBERS, static_picture="svg"),
        InvalidOptionError,
        "`static_picture` must be True, False or 'wait'; got 'svg'. Leave it out for True.",
    ),
    Case(
        "unknown option of save",
        lambda folder: result().save(folder / "view.svg", colour_by="city"),
        UnknownOptionError,
        "save() has no option 'colour_by'. Did you mean 'color_by'? Its options are what, feature, kind, "
        "color_by, decay, rank_by, unit, anchor, max_lines, selection, width, font_size, dpi, title, caption, "
        "overwrite, spreadsheet.",
    ),
    Case(
        "width of 5,001 digits",
        lambda folder: save(folder / "view.svg", width=10**5000),
        InvalidOptionError,
        "`width` must be from 60 to 600 mm, a number of mm or a text with its unit; got an integer of about 5,001 "
        'digits. Write for example `width="89mm"` or `width="3.5in"`, or leave it out for 180.',
    ),
    Case(
        "lines of 5,001 digits",
        lambda folder: save(folder / "view.svg", max_lines=10**5000),
        InvalidOptionError,
        "`max_lines` must be an integer from 1 to 1e+40; got an integer of about 5,001 digits. Leave it out for as "
        "many as the view shows.",
    ),
    Case(
        "feature of 5,001 digits",
        lambda folder: save(folder / "view.svg", 10**5000),
        UnknownFeatureError,
        "No feature named an integer of about 5,001 digits was explained. There are 2 features: 'age', 'income'.",
    ),
    Case(
        "a name of a thousand letters",
        lambda _: result()["x" * 1000],
        UnknownFeatureError,
        f"No feature named '{'x' * 199}… was explained. There are 7 features: 'age', 'income', 'city', 'since', 'red', "
        "'blue', 'green'.",
    ),
    Case(
        "overwrite that is neither on nor off",
        lambda folder: save(folder / "view.svg", overwrite="no"),
        InvalidOptionError,
        "`overwrite` must be True or False; got 'no'. Leave it out for False.",
    ),
    Case(
        "selection that is no list",
        lambda folder: result().save(folder / "view.svg", selection=3.5),
        InvalidOptionError,
        "`selection` must be row positions of X, from 0 to 11; got 3.5. Rows are addressed by position, not by index "
        "label; `X.index.get_indexer(labels)` has the positions.",
    ),
    Case(
        "spreadsheet that is none",
        lambda folder: save(folder / "view.svg", spreadsheet=True),
        ExportError,
        "`spreadsheet=True` needs a `path` that ends in '.csv'; got '{folder}/view.svg'. Leave it out for other "
        "formats.",
    ),
    Case(
        "NUL in a path",
        lambda folder: save(folder / "a\0.svg"),
        ExportError,
        "`path` must be a name that the system can write; '{folder}/a\\x00.svg' holds '\\x00'. Leave that character "
        "out.",
    ),
    Case(
        "half a character in a path",
        lambda folder: ice.provenance(folder / "a\ud800.svg"),
        ExportError,
        "`path` must be a name that the system can write; '{folder}/a\\ud800.svg' holds '\\ud800'. Leave that "
        "character out.",
    ),
    Case(
        "provenance of a folder",
        ice.provenance,
        ExportError,
        "`path` must be that of a file; there is a folder at '{folder}'. Choose another name.",
    ),
    Case(
        "provenance of no file",
        lambda folder: ice.provenance(folder / "nowhere.svg"),
        ExportError,
        "`path` must be that of a file; there is none at '{folder}/nowhere.svg'. Check its name and its folder.",
    ),
    Case(
        "provenance of another file",
        lambda folder: ice.provenance(folder / "there.svg"),
        ExportError,
        "`path` must be a file that an explorer or an explanation saved; '{folder}/there.svg' does not say where it "
        "comes from. Save it again, and keep it as it is written: some programs drop what is not shown.",
    ),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to write to, with a file and a folder in it, and no browser to talk to."""
    monkeypatch.setattr(comm, "create_comm", Wire)
    (tmp_path / "there.svg").write_text("drawn before", encoding="utf-8")
    (tmp_path / "folder.svg").mkdir()
    return tmp_path


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_what_is_wrong_is_said_in_whole_sentences(case, folder):
    """The error is the one that the docs promise, with exactly this message."""
    with pytest.raises(ICEExplorerError) as caught:
        case.call(folder)
    assert str(caught.value) == case.message.replace("{folder}", str(folder))
    assert type(caught.value) is case.error


def test_the_catalogue_is_long_and_says_something_else_of_each():
    """No two share a name or a message, and every message is whole sentences in one line."""
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)
    assert len({case.message for case in CASES}) == len(CASES)
    assert [case.name for case in CASES if not case.message.endswith((".", "?"))] == []
    assert [case.name for case in CASES if "\n" in case.message] == []


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (ExportError, ValueError),
        (InputDataError, ValueError),
        (InputTypeError, TypeError),
        (InvalidOptionError, ValueError),
        (OutputError, ValueError),
        (PredictionError, ValueError),
        (UnknownFeatureError, KeyError),
        (UnknownOptionError, TypeError),
    ],
)
def test_every_error_is_also_one_of_pythons_own(error, builtin):
    """`except` of ValueError, TypeError or KeyError catches ours."""
    assert issubclass(error, ICEExplorerError)
    assert issubclass(error, builtin)


def test_the_catalogue_has_errors_of_every_kind():
    """Each class that a wrong call can raise is raised here."""
    assert {case.error for case in CASES} == {
        Cancelled,
        ExportError,
        InputDataError,
        InputTypeError,
        InvalidOptionError,
        OutputError,
        PredictionError,
        UnknownFeatureError,
        UnknownOptionError,
    }


def test_the_models_own_error_stays_chained():
    """Its traceback is what tells the user where in the model to look."""
    with pytest.raises(PredictionError) as at_once:
        explain(lambda rows: 1 / 0)
    with pytest.raises(PredictionError) as on_a_phantom:
        explain(doing_at_the_end(raising))
    assert isinstance(at_once.value.__cause__, ZeroDivisionError)
    assert isinstance(on_a_phantom.value.__cause__, ValueError)
    assert str(on_a_phantom.value.__cause__) == "too old"
