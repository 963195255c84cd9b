"""Tables of all kinds, models and options for the tests marked `fuzz`.

Whatever container a table is in, `Frame.matrix` holds the same rows as numbers: what the models compute with, and
what the plain loops of `oracles.py` take.
"""

import datetime as dt
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from typing import Any

import catboost
import lightgbm
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse
import xgboost
from hypothesis import strategies as st
from sklearn import ensemble, linear_model, neighbors, neural_network, pipeline, preprocessing, svm, tree

TEXTS = ("", "10", "=1+1", "a b", "blue", "red", "Ärger")  # in the order of levels, as their codes are
RANKS = ("low", "mid", "high")
CODES = {text: 0.75 * at for at, text in enumerate(TEXTS)} | {text: float(at) for at, text in enumerate(RANKS)}
DAY = dt.datetime(2020, 1, 1)  # noqa: DTZ001 - of a clock on the wall
STAND_IN = -1.25  # for what is missing

NUMBERS = st.one_of(
    st.integers(-3, 3).map(float),
    st.integers(-20, 20).map(lambda v: v / 4),
    st.tuples(st.integers(-2, 2), st.integers(0, 2)).map(lambda p: p[0] + p[1] * 2.0**-20),
)
EXTREMES = st.sampled_from([1e15, -1e15, 1e100, -3e80, 1e-200, 5e-324, 0.0, -0.0, 1.0])
# By kind: the values of a column, and which containers can hold it.
KINDS: dict[str, tuple[st.SearchStrategy[Any], str]] = {
    "float": (NUMBERS, "array sparse pandas polars arrow"),
    "extreme": (EXTREMES, "array pandas polars"),
    "constant": (st.just(2.5), "array sparse pandas polars arrow"),
    "integer": (st.integers(-4, 4), "array pandas polars arrow"),
    "boolean": (st.booleans(), "pandas polars arrow"),
    "text": (st.sampled_from(TEXTS), "pandas polars arrow"),
    "category": (st.sampled_from(TEXTS), "pandas polars"),
    "ordered": (st.sampled_from(RANKS), "pandas polars"),
    "moment": (st.integers(0, 6).map(lambda v: DAY + dt.timedelta(hours=12 * v)), "pandas polars arrow"),
    "duration": (st.integers(-2, 4).map(lambda v: dt.timedelta(hours=6 * v)), "pandas polars arrow"),
    "decimal": (st.integers(-8, 8).map(lambda v: Decimal(v) / 4), "polars arrow"),
}
UNORDERED = {"text", "category"}
NAMES = ("age", "b", "", " ", "x0", "City, or town", "π", "0", "target")


def number(value: Any) -> float:
    """Turn one value of any container into a number."""
    if value is None or value is pd.NaT or value is pd.NA:
        return math.nan
    if isinstance(value, str):
        return CODES[value]
    if isinstance(value, (np.datetime64, np.timedelta64)):
        value = pd.Timestamp(value) if isinstance(value, np.datetime64) else pd.Timedelta(value)
    if isinstance(value, dt.timedelta):
        return value / dt.timedelta(days=1)
    if isinstance(value, dt.datetime):
        return (value.replace(tzinfo=None) - DAY) / dt.timedelta(days=1)
    return float(value)


def matrix_of(rows: Any) -> np.ndarray:
    """Turn rows in any container into numbers, NaN where missing."""
    if isinstance(rows, np.ndarray):
        return rows.astype(float)
    if scipy.sparse.issparse(rows):
        return np.asarray(rows.toarray(), dtype=float)
    if isinstance(rows, pd.DataFrame):
        columns = [rows.iloc[:, at].tolist() for at in range(rows.shape[1])]
    elif isinstance(rows, pl.DataFrame):
        columns = [column.to_list() for column in rows.get_columns()]
    else:
        columns = [column.to_pylist() for column in rows.columns]
    return np.column_stack([[number(value) for value in column] for column in columns])


@dataclass(frozen=True)
class Frame:
    """A table, and what is known of its columns."""

    rows: Any
    names: tuple[Any, ...]
    kinds: tuple[str, ...]
    container: str
    values: tuple[tuple[Any, ...], ...]

    @property
    def matrix(self) -> np.ndarray:
        return matrix_of(self.rows)

    def __repr__(self) -> str:
        columns = ", ".join(f"{name!r}: {kind} {list(v)}" for name, kind, v in zip(*self._parts, strict=True))
        return f"<{self.container} {{{columns}}}>"

    @property
    def _parts(self) -> tuple[Any, Any, Any]:
        return self.names, self.kinds, self.values


def _pandas_column(kind: str, values: Sequence[Any], *, nullable: bool) -> Any:
    if kind in {"ordered", "category"}:
        levels = RANKS if kind == "ordered" else TEXTS
        return pd.Series(pd.Categorical(values, categories=levels, ordered=kind == "ordered"))
    numbers = "Float64" if nullable else "float64"
    dtypes: dict[str, Any] = {
        "float": numbers, "extreme": numbers, "constant": numbers, "moment": "datetime64[us]",
        "duration": "timedelta64[us]", "text": object if nullable else None,
    }  # fmt: skip
    if nullable or None in values:
        dtypes |= {"integer": "Int64", "boolean": "boolean"}
    return pd.Series(list(values), dtype=dtypes.get(kind))


def _polars_column(name: str, kind: str, values: Sequence[Any]) -> Any:
    dtypes = {
        "float": pl.Float64, "extreme": pl.Float64, "constant": pl.Float64, "integer": pl.Int8, "boolean": pl.Boolean,
        "text": pl.String, "category": pl.Categorical, "ordered": pl.Enum(RANKS), "moment": pl.Datetime("us"),
        "duration": pl.Duration("us"), "decimal": pl.Decimal(10, 2),
    }  # fmt: skip
    return pl.Series(name, list(values), dtype=dtypes[kind])


def _arrow_column(kind: str, values: Sequence[Any]) -> Any:
    types = {
        "float": pa.float64(), "constant": pa.float32(), "integer": pa.int16(), "boolean": pa.bool_(),
        "text": pa.string(), "moment": pa.timestamp("us"), "duration": pa.duration("us"),
        "decimal": pa.decimal128(10, 2),
    }  # fmt: skip
    return pa.array(list(values), types[kind])


@st.composite
def _columns(draw: st.DrawFn, container: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Draw kinds and values of 1 to 4 columns of 1 to 12 rows; rows and columns may be repeated."""
    known = [kind for kind, (_, holders) in KINDS.items() if container in holders]
    kinds = draw(st.lists(st.sampled_from(known), min_size=1, max_size=4))
    n_rows = draw(st.integers(1, 12))
    may_miss = container in {"pandas", "polars", "arrow"} or (container == "array" and "integer" not in kinds)
    values = []
    for kind in kinds:
        element = KINDS[kind][0]
        if may_miss and draw(st.integers(0, 3)) == 0:
            element = st.one_of(st.none(), element) if draw(st.integers(0, 9)) else st.none()
        values.append(tuple(draw(st.lists(element, min_size=n_rows, max_size=n_rows))))
    if draw(st.integers(0, 3)) == 0:  # rows once more
        order = draw(st.lists(st.integers(0, n_rows - 1), min_size=1, max_size=12))
        values = [tuple(column[at] for at in order) for column in values]
    if len(kinds) > 1 and draw(st.integers(0, 5)) == 0:  # a column once more
        kinds[-1], values[-1] = kinds[0], values[0]
    return kinds, values


@st.composite
def _matrices(draw: st.DrawFn, container: str, kinds: list[str], values: list[tuple[Any, ...]]) -> Any:
    numbers = np.column_stack([[number(value) for value in column] for column in values])
    if container == "sparse":
        return scipy.sparse.csr_matrix(numbers)
    if set(kinds) == {"integer"}:
        return numbers.astype(np.int32)
    return numbers.astype(np.float32) if draw(st.integers(0, 4)) == 0 and "extreme" not in kinds else numbers


@st.composite
def frames(draw: st.DrawFn, containers: Sequence[str] = ("array", "sparse", "pandas", "polars", "arrow")) -> Frame:
    """Tables of any kind."""
    container = draw(st.sampled_from(containers))
    kinds, values = draw(_columns(container))
    names: tuple[Any, ...] = tuple(draw(st.permutations(NAMES)))[: len(kinds)]
    if container in {"array", "sparse"}:
        rows = draw(_matrices(container, kinds, values))
        names = tuple(f"x{at}" for at in range(len(kinds)))
    elif container == "pandas":
        nullable = draw(st.booleans())
        if draw(st.integers(0, 4)) == 0:
            names = tuple(range(5, 5 + len(kinds)))
        rows = pd.concat([_pandas_column(*pair, nullable=nullable) for pair in zip(kinds, values, strict=True)], axis=1)
        rows.columns = list(names)
        if draw(st.booleans()):
            rows.index = [f"row {at // 2}" for at in range(len(rows))]
    elif container == "polars":
        columns = [_polars_column(*parts) for parts in zip(names, kinds, values, strict=True)]
        rows = pl.DataFrame({column.name: column for column in columns})
    else:
        rows = pa.table([_arrow_column(*pair) for pair in zip(kinds, values, strict=True)], list(names))
    return Frame(rows, names, tuple(kinds), container, tuple(values))


# --- functions of the rows ------------------------------------------------------------------------


def _filled(numbers: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(numbers), STAND_IN, numbers)


def _linear(numbers: np.ndarray, a: float, b: float, c: float) -> np.ndarray:
    total = np.full(len(numbers), a)
    for at in range(numbers.shape[1]):
        total = total + (b + c * at) * numbers[:, at]
    return total


def _interaction(numbers: np.ndarray, a: float, b: float, c: float) -> np.ndarray:
    return a * numbers[:, 0] * numbers[:, -1] + b * np.abs(numbers[:, 0] - c)


def _steps(numbers: np.ndarray, a: float, b: float, c: float) -> np.ndarray:
    left, low = numbers[:, 0] <= c, numbers[:, -1] <= b
    return np.where(left, np.where(low, a, 0.5 * a), np.where(low, -a, b))


def _smooth(numbers: np.ndarray, a: float, b: float, c: float) -> np.ndarray:
    return a / (1.0 + np.square(numbers[:, 0] - c) + np.square(b * numbers[:, -1]))


def _flat(numbers: np.ndarray, a: float, _b: float, _c: float) -> np.ndarray:
    return np.full(len(numbers), a)


FUNCTIONS = (_linear, _interaction, _steps, _smooth, _flat)
PARAMETERS = st.tuples(*[st.sampled_from([-2.5, -1.0, -0.25, 0.0, 0.5, 1.0, 3.0])] * 3)


@dataclass(frozen=True)
class Function:
    """A function of the rows that treats each alone, with elementwise arithmetic alone.

    With `n_outputs` it returns a column for each.
    """

    of_numbers: Callable[..., np.ndarray]
    parameters: tuple[float, float, float]
    n_outputs: int = 1
    output: int = 0

    def __repr__(self) -> str:
        return f"{self.of_numbers.__name__}{self.parameters} {self.output} of {self.n_outputs}"

    def plain(self, numbers: np.ndarray) -> np.ndarray:
        """Predict a matrix; the output that is explained."""
        with np.errstate(all="ignore"):
            found = self.of_numbers(_filled(np.asarray(numbers, dtype=float)), *self.parameters)
        return found * (1 + self.output)

    def __call__(self, rows: Any) -> np.ndarray:
        with np.errstate(all="ignore"):
            found = self.of_numbers(_filled(matrix_of(rows)), *self.parameters)
        return found if self.n_outputs == 1 else np.column_stack([found * (1 + at) for at in range(self.n_outputs)])


@st.composite
def functions(draw: st.DrawFn) -> Function:
    n_outputs = draw(st.sampled_from([1, 1, 1, 3]))
    return Function(draw(st.sampled_from(FUNCTIONS)), draw(PARAMETERS), n_outputs, draw(st.integers(0, n_outputs - 1)))


# --- fitted models --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fit:
    """How to fit a model, and what it takes."""

    make: Callable[[], Any]
    target: str = "number"
    takes_missing: bool = False
    is_single: bool = False


def _xgb(kind: str) -> Callable[[], Any]:
    return lambda: getattr(xgboost, kind)(n_estimators=3, max_depth=3, n_jobs=1)


def _lgb(kind: str) -> Callable[[], Any]:
    return lambda: getattr(lightgbm, kind)(n_estimators=3, min_child_samples=1, min_data_in_bin=1, n_jobs=1, verbose=-1)


def _cat(kind: str) -> Callable[[], Any]:
    return lambda: getattr(catboost, kind)(
        iterations=3, depth=2, thread_count=1, verbose=False, allow_writing_files=False
    )


FITS: dict[str, Fit] = {
    "ridge": Fit(linear_model.Ridge),
    "scaled ridge": Fit(lambda: pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.Ridge())),
    "poisson": Fit(linear_model.PoissonRegressor, "count"),
    "logistic": Fit(linear_model.LogisticRegression, "two"),
    "logistic of three": Fit(linear_model.LogisticRegression, "three"),
    "polynomial": Fit(lambda: pipeline.make_pipeline(preprocessing.PolynomialFeatures(2), linear_model.Ridge())),
    "tree": Fit(lambda: tree.DecisionTreeRegressor(random_state=0), takes_missing=True),
    "tree of three": Fit(lambda: tree.DecisionTreeClassifier(random_state=0), "three", takes_missing=True),
    "forest": Fit(lambda: ensemble.RandomForestRegressor(3, random_state=0), takes_missing=True),
    "forest of two": Fit(lambda: ensemble.RandomForestClassifier(3, random_state=0), "two", takes_missing=True),
    "scaled forest": Fit(
        lambda: pipeline.make_pipeline(
            preprocessing.StandardScaler(), ensemble.RandomForestRegressor(3, random_state=0)
        )
    ),
    "extra trees": Fit(lambda: ensemble.ExtraTreesRegressor(3, random_state=0), takes_missing=True),
    "boosting": Fit(lambda: ensemble.GradientBoostingRegressor(n_estimators=3, random_state=0)),
    "boosting of three": Fit(lambda: ensemble.GradientBoostingClassifier(n_estimators=2, random_state=0), "three"),
    "histograms": Fit(
        lambda: ensemble.HistGradientBoostingRegressor(max_iter=3, min_samples_leaf=1, random_state=0),
        takes_missing=True,
    ),
    "histograms of two": Fit(
        lambda: ensemble.HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=1, random_state=0),
        "two",
        takes_missing=True,
    ),
    "xgboost": Fit(_xgb("XGBRegressor"), takes_missing=True, is_single=True),
    "xgboost of three": Fit(_xgb("XGBClassifier"), "three codes", takes_missing=True, is_single=True),
    "lightgbm": Fit(_lgb("LGBMRegressor"), takes_missing=True),
    "lightgbm of two": Fit(_lgb("LGBMClassifier"), "two", takes_missing=True),
    "catboost": Fit(_cat("CatBoostRegressor"), takes_missing=True),
    "support vectors": Fit(svm.SVR),
    "network": Fit(lambda: neural_network.MLPRegressor((3,), max_iter=3, random_state=0), is_single=True),
    "neighbours": Fit(lambda: neighbors.KNeighborsRegressor(1)),
    "two targets": Fit(linear_model.LinearRegression, "numbers"),
    "forest of two targets": Fit(lambda: ensemble.RandomForestRegressor(2, random_state=0), "numbers"),
}


def target_of(kind: str, numbers: np.ndarray) -> np.ndarray:
    """Make a target that depends on the rows; every class occurs where there are rows enough."""
    row = np.arange(len(numbers))
    score = np.tanh(_filled(numbers)).sum(axis=1) + 0.1 * (row % 5)
    if kind == "two":
        return np.array(["no", "yes"])[row % 2]
    if kind in {"three", "three codes"}:
        return row % 3 if kind == "three codes" else np.array(["a", "b", "c"])[row % 3]
    if kind == "count":
        return row % 4
    return np.column_stack([score, -(score**2)]) if kind == "numbers" else score


def quiet(call: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call something whose library warns of tiny tables."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return call(*args, **options)


# --- options --------------------------------------------------------------------------------------

MEMORY = st.sampled_from([1, 300, 5000, 40_000, "1MB", "1GB"])
JOBS = st.sampled_from([None, 1, 2, 3, -1])
DECAYS = st.sampled_from([1.0, 0.75, 0.5, 0.01, 1e-6])


def distinct(frame: Frame, at: int) -> list[Any]:
    """Values of a column that occur, but for missing ones, in order."""
    present = [value for value in frame.values[at] if value is not None]
    return sorted(set(present)) if present else []


@st.composite
def _grids(draw: st.DrawFn, frame: Frame) -> Any:
    grid = draw(st.sampled_from(["quantile", "uniform", "mapping"]))
    if grid != "mapping":
        return grid
    at = draw(st.integers(0, len(frame.names) - 1))
    values = distinct(frame, at)
    if frame.kinds[at] == "float":
        values = draw(st.lists(NUMBERS, min_size=1, max_size=5, unique=True).map(sorted))
    return {frame.names[at]: values} if values else "observed"


@st.composite
def _weights(draw: st.DrawFn, n_rows: int) -> list[float]:
    weight = st.sampled_from([0, 1, 2]) if draw(st.booleans()) else st.sampled_from([0.0, 0.25, 1.0, 2.5, 7.0])
    return draw(st.lists(weight, min_size=n_rows, max_size=n_rows))


@st.composite
def _scales(draw: st.DrawFn, frame: Frame) -> Any:
    if draw(st.integers(0, 7)) == 0:  # which takes long
        return "conditional"
    return {draw(st.sampled_from(frame.names)): draw(st.sampled_from([0.001, 0.5, 4.0]))}


@st.composite
def options_of(draw: st.DrawFn, frame: Frame) -> dict[str, Any]:
    """Valid options that move figures."""
    n_rows = len(frame.values[0])
    coded = [name for name, kind in zip(frame.names, frame.kinds, strict=True) if kind in {"integer", "text"}]
    sometimes: list[tuple[str, int, st.SearchStrategy[Any]]] = [
        ("grid", 2, _grids(frame)),
        ("grid_size", 2, st.integers(2, 7)),
        ("sample", 4, st.one_of(st.integers(1, n_rows), st.sampled_from([0.1, 0.5, 0.99]))),
        ("sample_weight", 3, _weights(n_rows)),
        ("distance", 5, _scales(frame)),
        ("categorical_features", 4, st.lists(st.sampled_from(coded or frame.names), min_size=1, max_size=1)),
        ("features", 5, st.lists(st.sampled_from(frame.names), min_size=1, unique=True)),
    ]
    options = {name: draw(values) for name, one_in, values in sometimes if draw(st.integers(1, one_in)) == 1}
    if isinstance(options.get("grid"), str):  # whose default of 100 values takes long
        options.setdefault("grid_size", draw(st.integers(2, 12)))
    convention = draw(st.sampled_from(["step", "paper"]))
    return {**options, "decay": draw(DECAYS), "convention": convention}


@st.composite
def ways(draw: st.DrawFn) -> dict[str, Any]:
    """Options that change how figures are computed, and no figure."""
    return {
        "memory_limit": draw(MEMORY),
        "n_jobs": draw(JOBS),
        "method": draw(st.sampled_from(["auto", "auto", "brute", "tree", "linear", "kernel"])),
    }


# --- what goes wrong ------------------------------------------------------------------------------

ODD: tuple[Any, ...] = (
    None, True, -1, 0, 1.5, math.nan, math.inf, "", "step", "observed", [], {}, (), [1, [2]], {"age": None},
    {"age": [1, "a"]}, np.nan, b"x", object(), 10**400, -(10**400), np.array([[1.0]]), np.ma.array([1.0], mask=[True]),
    {None: 1}, {1, 2}, range(3), "1 TB", "\x00", "\ud800", Decimal("NaN"), DAY, pd.NA, pd.NaT,
    complex(1, 2), lambda: None, [None], ["age", "age"], "x0", ["x0"], np.int64(2), np.float32(0.5),
)  # fmt: skip
OPTIONS = (
    "features", "groups", "categorical_features", "output", "response", "grid", "grid_size", "sample", "random_state",
    "sample_weight", "decay", "distance", "convention", "method", "n_jobs", "memory_limit", "progress", "nonsense",
)  # fmt: skip


ERRORS: tuple[type[Exception], ...] = (
    ValueError, TypeError, KeyError, IndexError, ZeroDivisionError, RuntimeError, NotImplementedError, MemoryError,
    RecursionError, StopIteration, AttributeError, OSError, FloatingPointError, UnicodeError,
)  # fmt: skip


def _raises(error: type[Exception], threshold: float) -> Callable[[Any], Any]:
    def model(rows: Any) -> Any:
        numbers = _filled(matrix_of(rows))
        if (numbers[:, 0] >= threshold).any():
            raise error
        return numbers[:, 0]

    return model


def _returns(make: Callable[[np.ndarray], Any], threshold: float) -> Callable[[Any], Any]:
    """Return odd things where any row is beyond a threshold."""

    def model(rows: Any) -> Any:
        numbers = _filled(matrix_of(rows))
        return make(numbers[:, 0]) if (numbers[:, 0] >= threshold).any() else numbers[:, 0]

    return model


RETURNED: dict[str, Callable[[np.ndarray], Any]] = {
    "None": lambda values: None,
    "NaN": lambda values: np.full(len(values), np.nan),
    "infinite": lambda values: np.full(len(values), -np.inf),
    "huge": lambda values: np.full(len(values), 1e300),
    "large": lambda values: values * 1e130,
    "a number": lambda values: 1.0,
    "too few": lambda values: values[1:],
    "too many": lambda values: np.append(values, 0.0),
    "a column": lambda values: values[:, None],
    "two columns": lambda values: np.column_stack([values, values]),
    "three axes": lambda values: values[:, None, None],
    "texts": lambda values: ["high"] * len(values),
    "objects": lambda values: np.array([object()] * len(values)),
    "complex": lambda values: values + 1j,
    "a mask": lambda values: np.ma.array(values, mask=True),
    "ragged": lambda values: [[1.0], *([[1.0, 2.0]] * len(values))],
    "whole numbers": lambda values: np.zeros(len(values), dtype=np.int64),
    "large whole numbers": lambda values: [10**200] * len(values),
    "booleans": lambda values: values > 0,
    "a dictionary": lambda values: {"a": values},
    "a generator": lambda values: (value for value in values),
    "a set": lambda values: set(values.tolist()),
    "dates": lambda values: np.zeros(len(values), "M8[D]"),
    "decimals": lambda values: [Decimal("1.5")] * len(values),
    "a series": pd.Series,
    "a frame": lambda values: pd.DataFrame({"a": values}),
    "a polars series": pl.Series,
    "nullable": lambda values: pd.Series([pd.NA] * len(values), dtype="Float64"),
    "single precision": lambda values: values.astype(np.float32),
}


@dataclass
class Random:
    """Returns noise, or noise in some rows, or what depends on the other rows or on earlier calls."""

    kind: str
    generator: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    n_calls: int = 0

    def __call__(self, rows: Any) -> np.ndarray:
        numbers = _filled(matrix_of(rows))
        self.n_calls += 1
        found = numbers.sum(axis=1)
        if self.kind == "noise":
            return self.generator.normal(size=len(found))
        if self.kind == "rare noise":
            return found + (self.generator.random(len(found)) < 0.1)
        if self.kind == "drift":
            return found + self.n_calls
        return found - found.mean()


@st.composite
def bad_models(draw: st.DrawFn) -> tuple[str, Any]:
    """Models that fail, return what is no prediction, or are none."""
    threshold = draw(st.sampled_from([-1e9, 0.0, 1.0, 2.0]))
    kind = draw(st.sampled_from(["raises", "returns", "random", "none"]))
    if kind == "raises":
        error = draw(st.sampled_from(ERRORS))
        return f"raises {error.__name__} from {threshold} on", _raises(error, threshold)
    if kind == "returns":
        name = draw(st.sampled_from(sorted(RETURNED)))
        return f"returns {name} from {threshold} on", _returns(RETURNED[name], threshold)
    if kind == "random":
        name = draw(st.sampled_from(["noise", "rare noise", "drift", "batch"]))
        return f"random: {name}", Random(name)
    return "no model", draw(st.sampled_from(ODD))


@cache
def good_model() -> Function:
    return Function(_interaction, (1.0, 0.5, 0.5))
