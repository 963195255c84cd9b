"""Wrong calls and their errors: the class, and the words of the message that tell one mistake from another.

Whatever the mistake, a message has one form: what must hold, what came, and what to do, in one line.
"""

import copy
import pickle
import re
from contextlib import closing
from decimal import Decimal
from functools import cache

import comm
import numpy as np
import pandas as pd
import pytest
from kernel_end import Wire
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import ice_explorer as ice
from ice_explorer import cluster, errors
from ice_explorer.errors import Cancelled, DataError, ICEExplorerError, ModelNeededError, OptionError, PredictionError

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
LISTS = X.assign(tags=[["a"]] * N)
COLORS = {"color": ["red", "blue", "green"]}
COLD = {"cold": ["blue", "green"]}
HUGE = 10**5000


def wealth(rows):
    return rows["age"].to_numpy() / 10 + rows["income"].to_numpy()


def at_75(fault):
    """A model that does something else to the oldest age of the first row."""
    return lambda rows: fault(wealth(rows), ((rows["age"] == 75) & (rows["income"] == 3.0)).to_numpy())


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
def classes(n):
    names = np.array(["no", "yes"] if n == 2 else ["low", "mid", "high"])
    return LogisticRegression(max_iter=1000).fit(NUMBERS, names[np.arange(N) % n])


@cache
def tree(kind=DecisionTreeRegressor):
    return kind(random_state=0).fit(NUMBERS, wealth(NUMBERS) if kind is DecisionTreeRegressor else np.arange(N) % 2)


def mixed_tree():
    return make_pipeline(PCA(), DecisionTreeRegressor(random_state=0)).fit(NUMBERS, wealth(NUMBERS))


@cache
def e():
    return ice.explain(wealth, X, progress=False)


def explain(model=wealth, X=X, **options):
    return ice.explain(model, X, **{"progress": False, **options})


def explain_numbers(model, X=NUMBERS, **options):
    return explain(model, X, **options)


def explorer(*arguments, **options):
    """Make an explorer, which should fail."""
    ice.ICEExplorer(*(arguments or (wealth, X)), **options).close()


def state(**entries):
    explorer(state={"version": 2, **entries})


def set_trait(name, value, *arguments):
    """Set a trait of an explorer."""
    with closing(ice.ICEExplorer(*(arguments or (wealth, X)))) as x:
        x.explanation  # noqa: B018 - so that nothing runs beside the test
        setattr(x, name, value)


def save(*arguments, **options):
    with closing(ice.ICEExplorer(wealth, NUMBERS)) as x:
        x.save(*arguments, **options)


def with_explorer(act):
    with closing(ice.ICEExplorer(wealth, NUMBERS)) as x:
        act(x)


def read_closed():
    x = ice.ICEExplorer(wealth, NUMBERS)
    x.close()
    return x.table


def compare(X=NUMBERS, **models):
    ice.explain(models, X, progress=False)


def table_of(package, *members):
    """A table that another package would have."""
    return type("DataFrame", (), {"__module__": package, **dict.fromkeys(members, list)})()


# Options of `explain` by what they must be, with values that are not.
VALUES = {
    "decay": {"be greater than 0 and at most 1": [0, -0.5, 1.5, "0.75", True, np.nan, np.inf, [0.5]]},
    "convention": {"be 'step' or 'paper'": ["steps", np.array(["step", "paper"])]},
    "method": {"be 'auto', 'brute', 'tree', 'linear' or 'kernel'": ["trees", "gpu"]},
    "random_state": {"be an integer of at least 0": [-1, None]},
    "memory_limit": {
        "be a positive number of bytes or a text such as '500MB' or '2GB'": [
            "lots", "", "GB", "1XB", "-1MB", "1", 0, -5, None, True, np.nan, np.inf
        ]
    },
    "n_jobs": {"be a number of threads of at least 1, or -1 for one per processor": [0, "all"]},
    "progress": {"be None, True, False or a function of (done, total, label)": ["yes"]},
    "sample": {
        "be a count from 1 to the number of observations or a fraction greater than 0 and less than 1": [
            0, 2.5, "half", 13
        ]
    },
    "grid_size": {"be an integer of at least 2": [1, "many"]},
    "budget": {"be a positive number of seconds": [0, "5 s"]},
    "features": {"be a list of names": [{"age": 1}]},
    "categorical_features": {"be a list of names": [{"age": 1}]},
    "groups": {"be 'auto' or a mapping of names to lists of columns or `Moves`": [["red", "blue"], {"color": "red"}]},
    "grid": {
        "be 'observed', 'quantile', 'uniform' or 'thresholds', or a mapping of features to values": [
            "observd", 5, np.array([1.0, 2.0])
        ]
    },
    "distance": {
        "be 'marginal' or 'conditional', or a mapping of features to values": ["conditionl", 3.0, np.array([1.0, 2.0])]
    },
    "sample_weight": {"be finite numbers of at least 0, one per observation": ["income", np.array([1j, 2])]},
    "response": {"be 'auto', 'predict_proba', 'decision_function', 'predict' or 'log_odds'": ["proba"]},
}  # fmt: skip

IN_THE_ORDER = "Pass `X[model.feature_names_in_]`"
OF_FIT = "columns that the model was fitted on, in their order; "
MODELS = {
    DataError: {
        "be a function of X; got NoneType. Pass `lambda X": lambda: explain(None),
        "got the class LinearRegression. Make a model of it": lambda: explain(LinearRegression, NUMBERS),
        f"{OF_FIT}'income' is missing. Add what is missing": lambda: explain(line(), X[["age"]]),
        f"it was not fitted on 'size'. {IN_THE_ORDER}": lambda: explain(line(), NUMBERS.assign(size=1.0)),
        "'income' is missing. Rename 'Income' to 'income'": lambda: explain(
            line(), NUMBERS.rename(columns={"income": "Income"})
        ),
        f"got the order 'income', 'age'. {IN_THE_ORDER}": lambda: explain(line(), X[["income", "age"]]),
        "as many columns as the model was fitted on, 2; got 1.": lambda: explain(
            LinearRegression().fit(NUMBERS.to_numpy(), wealth(NUMBERS)), NUMBERS.to_numpy()[:, :1]
        ),
    },
    PredictionError: {
        "must be fitted; this LinearRegression is not. Call": lambda: explain(LinearRegression(), NUMBERS),
        "failed on the first rows of X: ZeroDivisionError: division by zero. Check": lambda: explain(lambda _: 1 / 0),
        "phantom observations of 'age' (grid values 20.0 to 75.0, rows 0 to 11 of X): ValueError: too old. Limit": (
            lambda: explain(at_75(raising))
        ),
        "it returned nan on a phantom observation of 'age' (grid value 75.0, row 0 of X)": lambda: explain(
            at_75(lambda predictions, there: np.where(there, np.nan, predictions))
        ),
        "rows 0 to 11 of X): model() returned shape (131,) for 132 rows; expected (132,)": lambda: explain(
            at_75(lambda predictions, there: predictions[~there])
        ),
        "rows 0 to 11 of X): model() must return numbers; it returned dtype <U9": lambda: explain(
            at_75(lambda predictions, there: predictions.astype("U9") if there.any() else predictions)
        ),
        "it returned inf on a phantom observation of 'age'": lambda: explain(lambda rows: wealth(rows) * np.inf),
        "from -1e+140 to 1e+140; it returned -1e+300 on a phantom": lambda: explain(
            at_75(lambda predictions, there: np.where(there, -1e300, predictions))
        ),
        "the predictions of 'age' reach 1.65e+101": lambda: explorer(explain(lambda rows: wealth(rows) * 1e100)),
        "the metrics of 'income' reach 1.3e+60": lambda: explain(
            lambda rows: (rows["income"] > 0).to_numpy(),
            X.assign(income=[0.0, 1e-60, *range(1, N - 1)]),
            convention="paper",
        ).save("x.html"),
        "returned shape () for 2 rows; expected (2,). Wrap": lambda: explain(lambda _: 1.0),
        "returned shape (1,) for 2 rows": lambda: explain(lambda rows: wealth(rows)[:1]),
        "returned shape (2, 2, 2) for 2 rows": lambda: explain(lambda rows: np.zeros((len(rows), 2, 2))),
        "must return numbers; it returned dtype <U1": lambda: explain(lambda rows: np.full(len(rows), "a")),
        "must return numbers; it returned dtype complex128": lambda: explain(lambda rows: wealth(rows) + 1j),
        "must return numbers; it returned None. Wrap": lambda: explain(lambda _: None),
        "returned a probability of 0 for a phantom observation of 'age' (grid value 20.0, row 0 of X). Use `respo": (
            lambda: explain_numbers(tree(DecisionTreeClassifier), response="log_odds")
        ),
    },
    OptionError: {
        "or a position from 0 to 2; got 'hihg'. Did you mean 'high'?": lambda: explain_numbers(
            classes(3), output="hihg"
        ),
        "'no', 'yes', or a position from 0 to 1; got 'maybe'.": lambda: explain_numbers(classes(2), output="maybe"),
        "or a position from 0 to 2; got 3.": lambda: explain_numbers(classes(3), output=3),
        "the model has one, got output=0. Leave": lambda: explain_numbers(line(), output=0),
        "one of 'old', 'young'; got 'yuong'. Did you mean 'young'? Only labels predicted for the first rows": lambda: (
            explain_numbers(Labels(), output="yuong")
        ),
        "got output='yes'. Leave": lambda: set_trait("output", "yes"),
        "needs a model with predict_proba; SVC has none": lambda: explain_numbers(
            SVC().fit(NUMBERS, np.arange(N) % 2), response="predict_proba"
        ),
        "methods of an estimator; got 'predict' with a plain function": lambda: explain(response="predict"),
        "needs a model with predict_proba; LinearRegression": lambda: explain_numbers(line(), response="log_odds"),
        "LinearRegression is not a supported tree ensemble. Use `method": lambda: explain_numbers(
            line(), method="tree"
        ),
        "The response 'predict' of DecisionTreeRegressor is not a linear model": lambda: explain_numbers(
            tree(), method="linear"
        ),
        "is not a sum of RBF kernels": lambda: explain_numbers(tree(), method="kernel"),
        "needs a tree model applied directly to X, without transformers. LinearRegression": lambda: explain_numbers(
            line(), grid="thresholds"
        ),
        "without transformers. This one is preceded by": lambda: explain_numbers(mixed_tree(), grid="thresholds"),
    },
}
TABLES = {
    DataError: {
        "got a sum of 0.25 for 'age'. Use a larger `sample`": lambda: explain(
            sample_weight=np.full(N, 0.125), sample=2
        ),
        "explain the model on; got NoneType. Call `explain(model, X)`": lambda: explain(X=None),
        "got list. Convert it, for example `np.asarray(X)`": lambda: explain(X=[[1, 2]]),
        "got Series. Pass a table: a row is `X.iloc[[0]]`, a column": lambda: explain(X=X["age"]),
        "got matrix. Convert it": lambda: explain(X=NUMBERS.to_numpy().view(np.matrix)),
        "got MaskedArray. Pass `X.filled(np.nan)`": lambda: explain(X=np.ma.masked_less(NUMBERS.to_numpy(), 0)),
        "got DataFrame of dask. Pass `X.compute()`": lambda: explain(X=table_of("dask.dataframe", "compute")),
        "got DataFrame of pyspark. Pass `X.toPandas()`": lambda: explain(
            X=table_of("pyspark.sql", "collect", "toPandas")
        ),
        "got function. The model comes first: `explain(model, X)`": lambda: explain(X, wealth),
        "got shape (0, 7). Pass the observations": lambda: explain(X=X.iloc[:0]),
        "got shape (12, 0)": lambda: explain(X=X[[]]),
        "got an array of shape (3,). Reshape it: one feature is": lambda: explain(X=np.arange(3.0)),
        "got dtype object. Pass a DataFrame": lambda: explain(X=NUMBERS.to_numpy().astype(object)),
        "got dtype <U1. Pass a DataFrame": lambda: explain(X=np.array([["a", "b"]])),
        "'age' names more than one column": lambda: explain(X=pd.concat([NUMBERS, X[["age"]]], axis=1)),
        "'1' names more than one column": lambda: explain(X=NUMBERS.set_axis([1, "1"], axis=1)),
        "'tags' has dtype object and holds other objects. Leave it out of `features=`": lambda: explain(
            X=LISTS, features=["tags"]
        ),
        "holds other objects. Leave it out of `categorical_features=`": lambda: explain(
            X=LISTS, categorical_features=["tags"]
        ),
        "its columns are 'tags'. Turn one into": lambda: explain(X=LISTS[["tags"]]),
        "its columns are 'a', 'b'. Turn": lambda: explain(X=pd.DataFrame({"a": [np.nan, np.nan], "b": None})),
        "'income' holds infinite or larger ones in 2 rows: 0, 1. Replace them": lambda: explain(
            X=X.assign(income=np.where(np.arange(N) < 2, np.inf, 1.0))
        ),
        "from -1e+140 to 1e+140; 'income' holds infinite or larger ones in 1 row: 5": lambda: explain(
            X=X.assign(income=np.where(np.arange(N) == 5, -1e300, 1.0))
        ),
        **{
            f"'cell' {what}": lambda cell=cell, others=others: explain(
                X=X.assign(cell=pd.Series([cell, *others[1:]], dtype=object))
            )
            for what, cell, others in (
                ("holds infinite or larger ones in 1 row: 0. Replace", 10**400, list(range(N))),
                ("holds infinite or larger ones in 1 row: 0", -(10**400), [Decimal(1)] * N),
                ("holds Decimal('sNaN'). Write None", Decimal("sNaN"), [Decimal(1)] * N),
                ("holds an integer of about 5,001 digits. Turn", HUGE, ["a", "b"] * (N // 2)),
            )
        },
        "'income' is missing in every row that has weight": lambda: explain(
            X=X.assign(income=np.nan), features=["income"]
        ),
    },
}
IN_X = "X has 7 columns: 'age', 'income', 'city', 'since', 'red', 'blue', 'green'."
OF_GROUPS = "belongs to 'cold'. Name 'cold' instead"
NAMES = {
    KeyError: {
        f"No column named 'incme' in X. Did you mean 'income'? {IN_X}": lambda: explain(features=["incme"]),
        f"No column named 'weight' in X. {IN_X}": lambda: explain(features=["weight"]),
        f"No column named 9 in X. {IN_X}": lambda: explain(features=[9]),
        "must be given by its name; got a value of type list": lambda: explain(features=[["age"]]),
        "'bleu' in X. Did you mean 'blue'?": lambda: explain(groups={"color": ["red", "bleu"]}),
        "'citi' in X. Did you mean 'city'?": lambda: explain(categorical_features=["citi"]),
        "'agee' in X. Did you mean 'age'?": lambda: explain(grid={"agee": [1, 2]}),
        "'height' in X": lambda: explain(distance={"height": 1}),
        "'incme' was explained. Did you mean 'income'? There are 7 features": lambda: e()["incme"],
        "No feature named 9 was explained": lambda: e()[9],
        f"named '{'x' * 199}… was explained": lambda: e()["x" * 1000],
        "'sinc' in X. Did you mean 'since'?": lambda: e()._column("sinc"),
        "'weight' was explained. There are 7": lambda: e().plot("weight"),
        "'colour' in X": lambda: e().plot("age", color_by="colour"),
        "'agg' in X. Did you mean 'age'?": lambda: e().two_way("age", "agg"),
        "'rad' in X. Did you mean 'red'?": lambda: e().table(by="rad"),
        "'zz' was explained": lambda: e().interactions(["age", "zz"]),
        "'y' was explained": lambda: e().effects("y"),
        "'X4' was explained": lambda: e().drivers("X4"),
        "'ages' in X. Did you mean 'age'?": lambda: set_trait("feature", "ages"),
        "'town' in X": lambda: set_trait("color_by", "town"),
        "'curves' was explained. There are 2": lambda: save("view.svg", "curves"),
        "an integer of about 5,001 digits was explained": lambda: save("view.svg", HUGE),
    },
    OptionError: {
        "ICEExplorer() has no option 'budget'.": lambda: explorer(wealth, X, budget=5),
        "plot() has no option 'colour_by'. Did you mean 'color_by'?": lambda: e().plot("age", colour_by="city"),
        "plot() has no option 'ranked_by'. Did you mean": lambda: e().plot(ranked_by="impact"),
        "plot() has no option 'columns'. Did you mean 'n_col": lambda: e().plot(["age"], columns=2),
        "ICEExplorer() has no option 'sampel'. Did you mean 'sample'?": lambda: explorer(wealth, X, sampel=3),
        "summarise() has no option 'progress'.": lambda: cluster.summarise(wealth, X, 0, progress=True),
        "no option 'feature': it is set on the explorer": lambda: explorer(wealth, X, feature="age"),
        "must name at least one feature; got an empty list": lambda: explain(features=[]),
        "'red' belongs to 'color'. Name 'color' instead": lambda: explain(groups=COLORS, features=["red"]),
        f"'blue' {OF_GROUPS}": lambda: explain(groups=COLD, categorical_features=["blue"]),
        f"'green' {OF_GROUPS}": lambda: explain(groups=COLD, grid={"green": [0, 1]}),
        "'green' belongs to 'cold'. Name the group": lambda: explain(groups=COLD).two_way("age", "green"),
        "'age' is the name of a column or of another group": lambda: explain(groups={"age": ["red", "blue"]}),
        "at least two columns; got 'red' for 'color'": lambda: explain(groups={"color": ["red"]}),
        "at least two columns; got none for 'color'": lambda: explain(groups={"color": []}),
        "'green' is in 'warm' and in 'cold'. Remove it": lambda: explain(groups={"warm": ["red", "green"], **COLD}),
        "'red' is twice in 'color'": lambda: explain(groups={"color": ["red", "red"]}),
        "0 and 1 only; 'age' of 'color' holds 20.0 in row 0": lambda: explain(groups={"color": ["red", "age"]}),
        "'city' of 'color' holds 'Oslo' in row 0": lambda: explain(groups={"color": ["red", "city"]}),
        "'blue' of 'color' holds nan in row 0": lambda: explain(X=X.assign(blue=np.nan), groups=COLORS),
        "'red' and 'blue' of 'color' are both 1 in row 0": lambda: explain(X=X.assign(blue=1), groups=COLORS),
    },
}
ON_A_CLUSTER = {"budget": 5, "distance": "conditional", "sample": 10, "grid": "thresholds"}
VALUES_OF_GRID = "increasing finite values; got"
OPTIONS = {
    **{
        f"{name}={value!r} needs all rows in one place, but X is on a cluster": lambda name=name, value=value: (
            cluster.summarise(wealth, X, 0, **{name: value})
        )
        for name, value in ON_A_CLUSTER.items()
    },
    "`distance` needs all rows in one place": lambda: cluster.summarise(wealth, X, 0, distance={"a": 1.0}),
    "got 2.0 before 1.0 for 'income'. Pass `np.unique": lambda: explain(grid={"income": [2, 1]}),
    "got 1.0 before 1.0 for 'income'": lambda: explain(grid={"income": [1, 1, 2]}),
    "got [] for 'income'. Pass a list of numbers": lambda: explain(grid={"income": []}),
    "got [1, 2] for 'income'": lambda: explain(grid={"income": [[1, 2]]}),
    f"{VALUES_OF_GRID} inf for 'income'. Pass a list of numbers from -1e+140 to": lambda: explain(
        grid={"income": [1, np.inf]}
    ),
    f"{VALUES_OF_GRID} nan for 'income'. Pass a list of": lambda: explain(grid={"income": [np.nan]}),
    f"{VALUES_OF_GRID} -1e+308 for 'income'. Pass a": lambda: explain(grid={"income": [-1e308, 1e308]}),
    "00… for 'income'. Pass a list of numbers": lambda: explain(grid={"income": [0, 10**400]}),
    "got 'low' for 'income'": lambda: explain(grid={"income": ["low", "high"]}),
    "got 1j for 'income'": lambda: explain(grid={"income": [1j]}),
    "got 5 for 'income'": lambda: explain(grid={"income": 5}),
    "got 'abc' for 'income'": lambda: explain(grid={"income": "abc"}),
    "got 'Rom' for 'city'. Did you mean 'Rome'? Its levels are": lambda: explain(grid={"city": ["Rom"]}),
    "got 'Paris' for 'city'. Its levels are 'Lima', 'Oslo', 'Rome'": lambda: explain(grid={"city": ["Paris"]}),
    "each one once; got 'Rome' for 'city'": lambda: explain(grid={"city": ["Rome", "Rome"]}),
    "got [] for 'city'": lambda: explain(grid={"city": []}),
    "got 'someday' for 'since'. Pass a list of dates": lambda: explain(grid={"since": ["someday"]}),
    "got 1 for 'since'": lambda: explain(grid={"since": [1, 2]}),
    "2020-01-05 before 2020-01-02 for 'since'": lambda: explain(grid={"since": ["2020-01-05", "2020-01-02"]}),
    "got shape (2,) for 12 observations as the distance of 'income'": lambda: explain(distance={"income": [1, 2]}),
    "got -1.0 as the distance of 'income'. Use `distance": lambda: explain(distance={"income": -1}),
    "got 0.0 as the distance of 'income'": lambda: explain(distance={"income": 0}),
    "got 'wide' as the distance of 'income'": lambda: explain(distance={"income": "wide"}),
    "got None as the distance of 'income'": lambda: explain(distance={"income": None}),
    "got one for 'city', an unordered category": lambda: explain(distance={"city": 1.0}),
    "whose grids are used; got `grid_size` as well": lambda: explain(grid=e(), grid_size=5),
    "features of the explanation in `grid`. No column named 'age' in X": lambda: explain(
        X=X.rename(columns={"age": "Age"}), grid=e()
    ),
    "'sex' is not explained there. Use `features=`": lambda: explain(X=X.assign(sex=1), grid=e(), features=["sex"]),
}
POSITIONS = "must be row positions of X, from 0 to 11; got"
BY_POSITION = "Rows are addressed by position, not by index label; `X.index.get_indexer(labels)`"
RESULTS = {
    "`rank_by` must be 'in_distribution_impact', 'impact', 'direction', 'heterogeneity', 'non_linearity', "
    "'missing_impact' or 'support'; got "
    "'impct'. Did you mean 'impact'?": lambda: e().table(rank_by="impct"),
    "at most 1; got 2.": lambda: e().table(decay=2),
    "`unit` must be 'prediction', 'sd' or 'share'; got 'percent'": lambda: e().table(unit="percent"),
    "a column or group of X, or one label for each of its 12 rows; got": lambda: e().table(by=["age", "city"]),
    "at most 20 groups; 'n' has 24 values. Pass labels of intervals": lambda: explain(
        X=pd.concat([X, X], ignore_index=True).assign(n=range(2 * N)), features=["age"]
    ).table(by="n"),
    "row 0 has the label 11 in by and 0 in X. Pass `by.loc[X.index]`": lambda: e().table(by=X["city"].iloc[::-1]),
    **{
        f"`ci` must be greater than 0 and less than 1; got {ci!r}": lambda ci=ci: e().table(ci=ci)
        for ci in (0, 1, 95, "0.95", True, np.nan)
    },
    "at most 1; got -0.1.": lambda: e().table([0.5, -0.1]),
    "`decay` must be one number where `by`, `ci` or `unit` is given; got [0.5": lambda: e().table([0.5, 1.0], ci=0.9),
    "at most 1; got 0.0.": lambda: e()["age"].metrics(decay=0.0),
    "at most 1; got 1.2.": lambda: e()["age"].likelihood(1.2),
    f"`rows` {POSITIONS} 99. {BY_POSITION}": lambda: e()["age"].compute_curves([0, 99]),
    f"`rows` {POSITIONS} -1": lambda: e()["age"].compute_curves([-1]),
    f"`rows` {POSITIONS} ['c1']": lambda: e()["age"].compute_curves(["c1"]),
    "one value for each of the 12 rows of X; got 2. Pass a mask": lambda: e()["age"].compute_curves([True, False]),
    f"`rows` {POSITIONS} [[1], [1, 2]]": lambda: e()["age"].compute_curves([[1], [1, 2]]),
    f"`positions` {POSITIONS} 12": lambda: e()["age"]._predictions([12]),
    f"`positions` {POSITIONS} 13": lambda: e()._table_rows([13]),
    f"`positions` {POSITIONS} 1. Rows": lambda: e()._table_rows(1),
    f"`positions` {POSITIONS} [1.5]": lambda: e()._row_labels([1.5]),
    f"`rows` {POSITIONS} 40": lambda: e().to_frame("age", rows=[40]),
    f"`include` {POSITIONS} 14": lambda: e()["age"]._draw(3, include=[14]),
    f"`include` {POSITIONS} ['a']": lambda: e()["age"]._draw(3, include=["a"]),
    f"`row` {POSITIONS} 12": lambda: e().what_if(12),
    "an order; 'city' is an unordered category. Use `centered_curves`": lambda: e()["city"].slopes,
    "unordered category. Use `centered_curves`, the change": lambda: e().to_frame("city", "d-ice"),
    "one feature; got an empty list. Leave": lambda: e().to_frame([]),
    "'own' or a finite value of the feature; got 'middle'": lambda: e()["age"].centered_curves("middle"),
    "finite value of the feature; got nan": lambda: e()["age"].centered_curves(np.nan),
    "finite value of the feature; got None": lambda: e()["age"].centered_curves(None),
    "finite value of the feature; got [1]": lambda: e()["age"].centered_curves([1]),
    "got 'Rom' for 'city'. Did you mean 'Rome'? Its grid is": lambda: e()["city"].centered_curves("Rom"),
    "finite value of the feature; got 'spring'": lambda: e()["since"].centered_curves("spring"),
    "`max_lines` must be an integer of at least 0; got -1": lambda: e()["age"]._draw(-1),
    "`kind` must be 'ice', 'c-ice', 'd-ice' or 'effects'; got 'pdp'": lambda: e().plot("age", "pdp"),
    "at most 1; got 4.": lambda: e().plot("age", decay=4),
    "finite value of the feature; got 'mean'": lambda: e().plot("age", "c-ice", anchor="mean"),
    "integer of at least 0; got 0.5": lambda: e().plot("age", max_lines=0.5),
    "or 'missing_impact'; got 'impct'. Did you mean 'impact'?": lambda: e().plot(rank_by="impct"),
    "`max_features` must be an integer of at least 1; got 0": lambda: e().plot(max_features=0),
    "`n_columns` must be an integer of at least 1; got 0": lambda: e().plot(["age"], n_columns=0),
    "features of a pair must differ; got 'age' twice": lambda: e().two_way("age", "age"),
    "`grid_size` must be an integer of at least 2; got 1. Leave it out for 20": lambda: e().two_way(
        "age", "city", grid_size=1
    ),
    "`sample` must be an integer of at least 1; got 0": lambda: e().two_way("age", "city", sample=0),
    "`sample` must be an integer of at least 2; got 1": lambda: e().interactions(sample=1),
    "`n` must be an integer of at least 1; got 0": lambda: e()["age"].correlated(n=0),
    "'partial_dependence', 'ale' or 'm_plot'; got 'pd'": lambda: e().effects("age", kinds="pd"),
    "at least 2; got 1. Leave it out for 40": lambda: e().effects("age", grid_size=1),
    "a number other than 0, or of dates and durations": lambda: e().marginal_effects("age", 0),
    "got 'Rom' for 'city'. Did you mean 'Rome'? Its levels": lambda: e().marginal_effects("city", "Rom"),
    "a level of a feature that has levels; got None for 'city'": lambda: e().marginal_effects("city"),
    "timedelta; got 'ten' for 'age'": lambda: e().marginal_effects("age", "ten"),
    "axis of numbers for a derivative; got 'city'": lambda: e().marginal_effects("city", "Rome", "derivative"),
    "'forward' or 'derivative'; got 'slope'": lambda: e().marginal_effects("age", 1, "slope"),
    "`y` must be given for 'permutation' and 'loco'; got None": lambda: e().importances(measures="loco"),
    "'partial_dependence', 'shap' or 'loco'; got 'gain'": lambda: e().importances(measures="gain"),
    "`n_repeats` must be an integer of at least 1; got 0": lambda: e().importances(n_repeats=0),
    "or a function of (model, X, y); got 'rmse2'": lambda: e().importances(wealth(X), scoring="rmse2"),
    "got 'loco'. LOCO fits the model again, so it needs an estimator": lambda: e().importances(wealth(X), "loco"),
}
EXPLORERS = {
    DataError: {
        "got a model alone. Call `ICEExplorer(model, X)`": lambda: explorer(wealth),
        "takes nothing else, because": lambda: explorer(e(), X),
        "got decay as well. Pass that to `explain`": lambda: explorer(e(), decay=0.5),
    },
    OptionError: {
        "`static_picture` must be True or False; got 'svg'": lambda: explorer(wealth, X, static_picture="svg"),
        "`state()` of an explorer returned; got ['age']": lambda: explorer(wealth, X, state=["age"]),
        "Read a text of JSON with `json.loads`": lambda: explorer(wealth, X, state='{"version": 1}'),
        "`state['version']` must be 2; got array([2, 2])": lambda: explorer(
            wealth, X, state={"version": np.array([2, 2])}
        ),
        "or 'missing_impact'; got array([1., 2.])": lambda: explorer(
            wealth, X, state={"version": 2, "rank_by": np.array([1.0, 2.0])}
        ),
        "`distance` must be 'marginal' or 'conditional'; got array([1., 2.])": lambda: set_trait(
            "distance", np.array([1.0, 2.0])
        ),
        "`model=array([1., 2.])` needs several models": lambda: set_trait("model", np.array([1.0, 2.0])),
        "`state['version']` must be 2; got none": lambda: explorer(wealth, X, state={"feature": "age"}),
        "must be 2; got 3. Pass a whole state": lambda: state(version=3),
        "got 'colour_by'. Did you mean 'color_by'? Leave it out": lambda: state(colour_by="age"),
        "explorer writes; got 'weighting'": lambda: state(convention="paper", weighting="length"),
        "`state['feature']` must be as `state()` of an explorer writes it; got 3": lambda: state(feature=3),
        "`state['selection']` must be as `state()` of an explorer writes it": lambda: state(selection=["Ada"]),
        "or 'd-ice'; got 'cice'. Did you mean 'c-ice'?": lambda: state(kind="cice"),
        "`state['view']` must be as `state()` of an explorer writes it; got []": lambda: state(view=[]),
        "got 'lefty'. Did you mean 'left'?": lambda: state(view={"lefty": "bars"}),
        "`state['view']['left']` must be as `state()` of an explorer writes it": lambda: state(view={"left": "below"}),
        "at most 1; got 2.5.": lambda: explorer(wealth, X, decay=2.5),
        "or 'd-ice'; got 'c_ice'. Did you mean 'c-ice'?": lambda: set_trait("kind", "c_ice"),
        "at most 1; got -1.": lambda: set_trait("decay", -1),
        "or 'missing_impact'; got 'direction'": lambda: set_trait("rank_by", "direction"),
        "got 'papr'. Did you mean 'paper'?": lambda: set_trait("convention", "papr"),
        "finite value of the feature; got 'own value'": lambda: set_trait("anchor", "own value"),
        "an integer of at least 1; got 0. Use `max_lines": lambda: set_trait("max_lines", 0),
        f"`selection` {POSITIONS} 99": lambda: set_trait("selection", [99]),
        "`selection` as a mask must have one value for each of the 12": lambda: set_trait("selection", [True, False]),
        "`selection` must have the index of X; row 0 has the label 11": lambda: set_trait(
            "selection", (X["age"] > 40)[::-1]
        ),
        f"`selection` {POSITIONS} 'abc'": lambda: set_trait("selection", "abc"),
        "must be 'no' or 'yes'; got 'perhaps'": lambda: set_trait("output", "perhaps", classes(2), NUMBERS),
        "must stay what the explanation has, 'yes'; got 'no'": lambda: set_trait(
            "output", "no", explain_numbers(classes(2))
        ),
        "the explanation has, 'predict_proba'; got 'predict'": lambda: set_trait(
            "response", "predict", explain_numbers(classes(2))
        ),
        "methods of an estimator; got 'predict_proba' with": lambda: set_trait("response", "predict_proba"),
        "'predict' or 'log_odds'; got 'proba'": lambda: set_trait("response", "proba", classes(2), NUMBERS),
    },
    ICEExplorerError: {
        "cannot be copied or pickled, because it computes in a thread": lambda: with_explorer(pickle.dumps),
        "copied or pickled, because it computes in a thread and is shown": lambda: with_explorer(copy.copy),
        "on a page. Use `x.explanation`, or": lambda: with_explorer(pickle.dumps),
    },
    Cancelled: {
        "this one is closed and no longer holds its model and data. Create": read_closed,
    },
}
THAT_MANY = "2 to 4 models by name; got a dict of"
COMPARED = {
    DataError: {
        "explain the models on; got NoneType. Call `explain(models, X)`": lambda: compare(X=None, a=line(), b=tree()),
        "'a' must be a model; got an explanation": lambda: compare(X=None, a=e(), b=line()),
        **{
            f"as text that is not empty; got {name!r}": lambda name=name: ice.explain(
                {"a": line(), name: line()}, NUMBERS
            )
            for name in (1, "", " ", None)
        },
    },
    OptionError: {
        "'a' has 'predict_proba', 'b' 'predict'": lambda: compare(a=classes(2), b=line()),
        "Pass `response='decision_function'`, which all": lambda: compare(
            a=classes(2), b=RidgeClassifier().fit(NUMBERS, classes(2).predict(NUMBERS))
        ),
        "'a' has 'no', 'yes', 'b' 0, 1": lambda: compare(a=classes(2), b=tree(DecisionTreeClassifier)),
        "'a' has 'no', 'yes', 'b' one": lambda: compare(a=classes(2), b=wealth),
        f"{THAT_MANY} 0. Choose": compare,
        f"{THAT_MANY} 1. Pass a single model": lambda: compare(a=line()),
        f"{THAT_MANY} 5. Choose": lambda: compare(**dict.fromkeys("abcde", line())),
    },
}
DATA = {
    DataError: {
        "got 11 weights for 12 observations. Leave it out": lambda: explain(sample_weight=[1] * 11),
        "got 1 weight for 12 observations": lambda: explain(sample_weight=[1]),
        "got shape (12, 1) for 12 observations": lambda: explain(sample_weight=np.ones((N, 1))),
        "got -1.0 in row 5. Leave it out to weigh": lambda: explain(sample_weight=[1] * 5 + [-1] + [1] * 6),
        "got nan in row 11. Leave it out to weigh": lambda: explain(sample_weight=[1] * 11 + [np.nan]),
        "weights are frequencies; got a sum of 0.0. Multiply": lambda: explain(sample_weight=np.zeros(N)),
        "weights are frequencies; got a sum of 0.5": lambda: explain(sample_weight=[0.25, 0.25] + [0] * 10),
        "'city' must declare the levels that it has in the explanation in `grid`": lambda: explain(
            X=X.astype({"city": "category"}),
            grid=explain(X=X.assign(city=pd.Categorical(X["city"], ["Oslo", "Rome", "Lima", "Bern"]))),
        ),
        "kind that it has in the explanation in `grid`, numeric; got boolean": lambda: explain(
            X=X.assign(age=X["age"] > 40), grid=e()
        ),
        "one value per observation; got 3 for 12 observations": lambda: explorer(wealth, X, np.arange(3)),
        "because the model predicts numbers; got 'Oslo' in row 0": lambda: explorer(wealth, X, X["city"]),
        "labels of the classes, 'no', 'yes'; got 'Oslo' and": lambda: explorer(classes(2), NUMBERS, X["city"]),
    },
}
SUFFIXES = "'.svg', '.png', '.pdf', '.html', '.csv', '.parquet', '.json' or '.ice'; got"
FILES = {
    OptionError: {
        "`path` must be a text or a Path; got NoneType": lambda: save(None),
        "`ax` must be a matplotlib Axes; got str": lambda: e().plot("age", ax="here"),
        f"{SUFFIXES} 'view.jpg'": lambda: save("view.jpg"),
        f"{SUFFIXES} 'view'": lambda: save("view"),
        "there is a file at 'there.svg'. Pass `overwrite=True`": lambda: save("there.svg"),
        "'folder.svg' the system says: Not a regular file": lambda: save("folder.svg", overwrite=True),
        "'nowhere/view.svg' the system says: No such file": lambda: save("nowhere/view.svg"),
        "'.pdf' to hold a figure of each feature; got 'all.svg'": lambda: save("all.svg", "all"),
        "got 'a\\x00.svg'. Leave out NUL": lambda: save("a\0.svg"),
        "got 'a\\ud800.ice'. Leave out NUL": lambda: ice.load("a\ud800.ice"),
        "'.' the system says: Not a regular file": lambda: ice.load("."),
        "'nowhere.ice' the system says: No such file": lambda: ice.load("nowhere.ice"),
        "a number of mm or a text with its unit, such as '89mm'; got 10": lambda: save("view.svg", width=10),
        "such as '89mm'; got 'wide'": lambda: save("view.svg", "panel", width="wide"),
        "got an integer of about 5,001 digits. Leave it out": lambda: save("view.svg", width=HUGE),
        "`dpi` must be from 50 to 1200 dots per inch; got 5": lambda: save("view.png", dpi=5),
        "`title` must be a text, True or None; got 3": lambda: save("view.svg", title=3),
        "`max_lines` must be an integer from 1 to 1e+40; got an integer of about": lambda: save(
            "view.svg", max_lines=HUGE
        ),
        "`overwrite` must be True or False; got 'no'": lambda: save("view.svg", overwrite="no"),
    },
}
TOPICS = (MODELS, TABLES, NAMES, DATA, {OptionError: OPTIONS | RESULTS}, COMPARED, EXPLORERS, FILES)
CASES = [
    pytest.param(error, words, call, id=words[:70])
    for topic in TOPICS
    for error, calls in topic.items()
    for words, call in calls.items()
]
RULES = [
    pytest.param(option, rule, value, id=f"{option}={value!r}")
    for option, rules in VALUES.items()
    for rule, values in rules.items()
    for value in values
]


def assert_form(error):
    """Assert what all messages are: what must hold and what came, then what to do or to choose from, in one line."""
    message = str(error)
    assert len(message.splitlines()) == 1
    assert message.endswith((".", "?"))
    assert re.search(r"[;:] |, so |^No | has no | missing |\. [A-Z]", message), "what must hold, and what came"
    assert re.search(r"[.?)] [A-Z`]| or .*; got ", message), "what to do"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder to write to, with a file and a folder in it, and no browser to talk to."""
    monkeypatch.setattr(comm, "create_comm", Wire)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.svg").write_text("drawn before", encoding="utf-8")
    (tmp_path / "folder.svg").mkdir()


@pytest.mark.parametrize(("error", "words", "call"), CASES)
def test_a_wrong_call_is_an_error_that_says_what_is_wrong(error, words, call):
    """Its class is the documented one, and its message names the fault in the form that all have."""
    with pytest.raises(ICEExplorerError) as caught:
        call()
    assert words in str(caught.value)
    assert isinstance(caught.value, error)
    assert_form(caught.value)


@pytest.mark.parametrize(("option", "rule", "value"), RULES)
def test_an_option_of_explain_says_what_it_must_be(option, rule, value):
    """A value that it cannot have is quoted."""
    model = (classes(2), NUMBERS) if option == "response" else ()
    with pytest.raises(DataError if option == "sample_weight" else OptionError) as caught:
        explain(*model, **{option: value})
    assert str(caught.value).startswith(f"`{option}` must {rule}; got {value!r}")
    assert_form(caught.value)


def test_there_are_six_classes_and_what_pythons_protocols_need():
    """`except` of ValueError catches mistakes, and `except ICEExplorerError` everything."""
    assert len(errors.__all__) == 6
    for name in errors.__all__:
        error = getattr(errors, name)
        assert issubclass(error, ICEExplorerError)
        assert issubclass(error, ValueError) == (error not in {Cancelled, ICEExplorerError})
    assert issubclass(ModelNeededError, PredictionError)
    calls = {
        KeyError: lambda: e()["wage"],
        AttributeError: lambda: ice.explian,
    }
    for builtin, call in calls.items():
        with pytest.raises(OptionError) as caught:
            call()
        assert isinstance(caught.value, builtin)
        again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - written in the line itself
        assert (type(again), str(again)) == (type(caught.value), str(caught.value))
    assert e().get("wage") is None


def test_the_models_own_error_stays_chained():
    """Its traceback is what tells the user where in the model to look."""
    with pytest.raises(PredictionError) as at_once:
        explain(lambda rows: 1 / 0)
    with pytest.raises(PredictionError) as on_a_phantom:
        explain(at_75(raising))
    assert isinstance(at_once.value.__cause__, ZeroDivisionError)
    assert str(on_a_phantom.value.__cause__) == "too old"
