"""Models of every family, fitted by the library itself, against what the library itself predicts."""

import re

import model_families as families
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import dummy, ensemble, linear_model, neural_network, svm
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ice_explorer as ice
from ice_explorer.adapters.models.libraries.containers import as_matrix
from ice_explorer.adapters.models.predict import make_predictor

GRID = {"grid": "quantile", "grid_size": 6}


def explained(model, rows, **options):
    return families.quietly(ice.explain, model, rows, progress=False, **{**GRID, **options})


def skip_without(case):
    if not case.installed:
        pytest.skip(f"needs {case.needs}, which `make test-heavy` installs")


@pytest.fixture(scope="module")
def fitted():
    """Models by case, fitted once."""
    kept = {}

    def of(case):
        skip_without(case)
        if str(case) not in kept:
            kept[str(case)] = case.fit()
        return kept[str(case)]

    return of


@pytest.mark.parametrize("case", families.CASES, ids=str)
def test_curves_are_those_of_the_library(case, fitted):
    """Each value of each curve is what the library returns for that phantom, by the engine named."""
    model, rows, ask = fitted(case)
    e = explained(model, rows, **case.options)
    assert e.engine == case.engine, e.notes
    assert families.largest_difference(e, ask, rows) <= (2e-6 if case.is_single_precision else 1e-12)


@pytest.mark.parametrize("case", families.CASES, ids=str)
def test_one_call_gives_all_outputs(case, fitted):
    """Columns of all outputs are the outputs, each as if it had been chosen, whatever the response."""
    model, rows, _ = fitted(case)
    chosen = families.quietly(predictor_of, model, rows, **case.options)
    assert not chosen.outputs or chosen.outputs[chosen.position] == chosen.output
    for response in chosen.responses or ("auto",):
        options = {**case.options, "response": response}
        p = families.quietly(predictor_of, model, rows, **options)
        returned = families.quietly(p.all_outputs, rows)
        together = returned if p.rescale is None else p.rescale(returned)
        assert p.asked == ("predict_proba" if p.rescale else p.response)
        assert p.rescale is None or response == "log_odds"
        assert together.shape == (len(rows), max(1, len(p.outputs)))
        for position, output in enumerate(p.outputs):
            other = families.quietly(predictor_of, model, rows, **{**options, "output": output})
            assert (other.output, other.position, other.response) == (output, position, p.response)
            assert_array_equal(families.quietly(other.predict, rows), together[:, position])
        if not p.outputs:
            assert_array_equal(families.quietly(p.predict, rows), together[:, 0])


def predictor_of(model, rows, output=None, response="auto"):
    first = rows[:10]
    return make_predictor(model, first, len(first), output=output, response=response)


# Two rows, two classes ---------------------------------------------------------------------------


TWO = families.X.iloc[:2]


def two_rows(model, y, **options):
    """Explain a fitted model on two rows."""
    return explained(families.quietly(model.fit, families.X, y), TWO, **options)


@pytest.mark.parametrize("response", ["predict_proba", "decision_function", "log_odds", "predict"])
def test_two_rows_and_two_classes_are_not_mixed_up(response):
    """What an array means does not depend on how long it is."""
    model = linear_model.LogisticRegression(max_iter=1000).fit(families.X, families.YES)
    f = explained(model, TWO, response=response, engine="brute")["age"]
    ask = {
        "predict_proba": families.proba(1),
        "decision_function": families.decision,
        "log_odds": families.log_odds(1),
        "predict": families.is_label("yes"),
    }[response]
    expected = families.asked_directly(lambda rows: ask(model, rows), TWO, "age", f.grid)
    assert_allclose(f.curves, expected, rtol=1e-9, atol=1e-12)


def test_as_many_rows_as_outputs_are_not_mixed_up():
    """Two rows of two outputs with classes of their own, three rows of three classes, two of a function's columns."""
    forest = ensemble.RandomForestClassifier(**families.FOREST).fit(families.X, families.two_flags())
    f = explained(forest, TWO, output=(1, 1))["age"]
    expected = families.asked_directly(lambda rows: forest.predict_proba(rows)[1][:, 1], TWO, "age", f.grid)
    assert_allclose(f.curves, expected, rtol=0, atol=1e-12)

    def columns(rows):
        return np.column_stack([rows["age"], -rows["age"]])

    f = explained(columns, TWO, output=1)["age"]
    assert_allclose(f.curves, np.tile(-f.grid, (2, 1)))
    three = families.X.iloc[:3]
    model = svm.SVC().fit(families.X, families.SIZE)
    f = explained(model, three, output="small", response="decision_function")["age"]
    expected = families.asked_directly(lambda rows: model.decision_function(rows)[:, 2], three, "age", f.grid)
    assert_allclose(f.curves, expected, rtol=0, atol=1e-12)


def test_one_row_will_do():
    """Its curves are those of the library as well."""
    model = families.quietly(linear_model.LogisticRegression().fit, families.X, families.YES)
    f = explained(model, families.X.iloc[:1], grid={"age": [20.0, 30.0]}, features=["age"])["age"]
    expected = families.asked_directly(lambda rows: model.predict_proba(rows)[:, 1], families.X.iloc[:1], "age", f.grid)
    assert_allclose(f.curves, expected, rtol=0, atol=1e-12)


# Which output, which response --------------------------------------------------------------------


def message(error, model, rows=families.X, **options):
    """The message for a wrong choice."""
    with pytest.raises(error) as caught:
        explained(model, rows, **options)
    return str(caught.value)


@pytest.fixture(scope="module")
def forest_of_two():
    """A forest that tells two classes apart in its first output and three in its second."""
    return ensemble.RandomForestClassifier(**families.FOREST).fit(families.X, families.two_labels())


def test_classes_of_several_outputs_are_chosen_as_pairs(forest_of_two):
    """The output alone will do where it has two classes, with a note."""
    assert message(ice.errors.OutputError, forest_of_two) == (
        "The model returns 5 classes of 2 outputs, so one must be chosen. "
        "Pass `output=(0, 'no')` (or (0, 'yes'), (1, 'large'), (1, 'medium'), (1, 'small'))."
    )
    assert message(ice.errors.OutputError, forest_of_two, output=1) == (
        "The model returns 3 classes of output 1, so one must be chosen. "
        "Pass `output=(1, 'large')` (or (1, 'medium'), (1, 'small'))."
    )
    for wrong in ((1, "huge"), 7, "yes", True):
        assert message(ice.errors.OutputError, forest_of_two, output=wrong) == (
            "`output` must be an output and one of its classes, (0, 'no'), (0, 'yes'), (1, 'large'), (1, 'medium'), "
            f"(1, 'small'); got {wrong!r}. For example `output=(1, 'small')`."
        )
    e = explained(forest_of_two, families.X, output=0)
    assert e.output_label == "probability of yes, output 0"
    assert e.notes[0] == "Explained class: (0, 'yes'), the second of two. Pass `output=(0, 'no')` for the other."
    assert explained(forest_of_two, families.X, output=[1, "large"]).output_label == "probability of large, output 1"


def test_two_labels_that_may_both_hold_are_not_two_sides_of_one():
    """A network of two labels has two columns and no positive class."""
    model = neural_network.MLPClassifier(hidden_layer_sizes=4, max_iter=20, random_state=0)
    families.quietly(model.fit, families.X, families.two_flags())
    assert message(ice.errors.OutputError, model) == (
        "The model returns 2 labels, so one must be chosen. Pass `output=0` (or 1)."
    )
    f = explained(model, families.X, output=1, response="predict")["age"]
    expected = families.asked_directly(lambda rows: model.predict(rows)[:, 1], families.X, "age", f.grid)
    assert_array_equal(f.curves, expected)


def test_labels_of_a_native_model_are_not_two_sides_of_one_either():
    """Its predict gives margins, so that the loss must say what the two columns are."""
    import catboost

    quiet = {"verbose": 0, "allow_writing_files": False, "iterations": 5, "thread_count": 1}
    model = catboost.CatBoost({"loss_function": "MultiLogloss", **quiet}).fit(families.X, families.two_flags())
    assert message(ice.errors.OutputError, model) == (
        "The model returns 2 labels, so one must be chosen. Pass `output=0` (or 1)."
    )
    e = explained(model, families.X, output=0)
    expected = model.predict(families.X, prediction_type="Probability")[:, 0]
    assert_allclose(e["age"].predictions(range(families.N)), expected, rtol=0, atol=1e-12)


def test_every_class_is_listed():
    """All twelve are listed, because one must be chosen."""
    model = linear_model.RidgeClassifier().fit(families.X, np.arange(families.N) % 12)
    assert message(ice.errors.OutputError, model) == (
        "The model returns 12 classes, so one must be chosen. Pass `output=0` (or 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)."
    )


class Crisp:
    """A classifier that says nothing but the label."""

    def predict(self, rows):
        return np.where(rows["age"] > 26, "old", "young")


def test_labels_of_a_model_that_lists_none_are_those_it_predicts():
    """Curves are indicators, partial dependence is the share of rows."""
    e = explained(Crisp(), families.X, output="old")
    assert e.output_label == "predicted as old (1) or not (0)"
    assert set(np.unique(e["age"].curves)) == {0.0, 1.0}
    assert_allclose(e["income"].partial_dependence, (families.X["age"] > 26).mean())
    assert message(ice.errors.OutputError, Crisp()) == (
        "The model returns 2 classes, so one must be chosen. Pass `output='old'` (or 'young')."
    )
    assert message(ice.errors.OutputError, Crisp(), output="olds") == (
        "`output` must be a label that the model predicts for the first rows of X, 'old', 'young'; "
        "got 'olds'. Did you mean 'old'? For another one pass a function that returns 1 where it is predicted, else 0."
    )


def test_partial_dependence_of_predicted_classes_is_their_share():
    """Over the classes it adds to one."""
    model = svm.LinearSVC(random_state=0).fit(families.X, families.SIZE)
    shares = [
        explained(model, families.X, output=label, response="predict")["income"].partial_dependence
        for label in model.classes_
    ]
    assert_allclose(np.sum(shares, axis=0), 1.0, rtol=0, atol=1e-12)


def test_scores_of_pairs_of_classes_are_refused_with_the_shape_wanted():
    """A column per pair is not a column per class."""
    model = svm.SVC(decision_function_shape="ovo").fit(families.X, np.arange(families.N) % 4)
    assert message(ice.errors.PredictionError, model, output=1, response="decision_function") == (
        "decision_function() returned shape (2, 6) for 2 rows; expected (2, 4). "
        "Wrap the model in a function that returns that."
    )


def test_the_positive_class_of_a_booster_is_noted():
    """Its classes are 0 and 1, whatever its library calls them."""
    for case in families.BOOSTING:
        if case.model in {"Booster, binary:logistic", "Booster, binary", "CatBoost, Logloss"}:
            model, rows, _ = case.fit()
            e = explained(model, rows)
            assert e.output_label == "probability of 1"
            assert e.notes[0] == "Explained class: 1, the second of two. Pass `output=0` for the other."
            other = explained(model, rows, output=0)
            for name in e.features:
                assert_allclose(other[name].curves, 1 - e[name].curves, rtol=0, atol=1e-6)
            scores = [explained(model, rows, output=label, response="decision_function") for label in (0, 1)]
            assert {e.engine for e in scores} == {"tree"}
            assert_array_equal(scores[0]["age"].curves, -scores[1]["age"].curves)
            assert_allclose(1 / (1 + np.exp(-scores[1]["age"].curves)), e["age"].curves, rtol=0, atol=1e-6)


def test_log_odds_need_probabilities(fitted):
    """A booster of numbers has none, nor has a least-squares fit."""
    for case in families.CASES:
        if case.model in {"Booster, regression", "CatBoost, RMSE", "OLS by formula", "module of one unit"}:
            if not case.installed:
                continue
            model, rows, _ = fitted(case)
            assert message(ice.errors.InvalidOptionError, model, rows, response="log_odds") == (
                f"`response='log_odds'` needs a model with predict_proba; {type(model).__name__} has none. "
                'Use `response="auto"`, or pass a function that returns what you want to explain.'
            )


@pytest.mark.parametrize("engine", ["auto", "brute"])
def test_infinite_log_odds_are_named_with_their_place(engine):
    """A forest that is certain has no finite log-odds, and nothing is clipped."""
    model = ensemble.RandomForestClassifier(3, random_state=0).fit(families.X, families.YES)
    said = message(ice.errors.PredictionError, model, response="log_odds", engine=engine)
    pattern = (
        r"Log-odds need probabilities between 0 and 1; the model returned a probability of ([01]) for a phantom "
        r"observation of 'age' \(grid value (\S+), row (\d+) of X\)\. Use `response=\"predict_proba\"`, or pass a "
        r"function that keeps .*"
    )
    probability, age, row = re.fullmatch(pattern, said).groups()
    phantom = families.X.iloc[[int(row)]].assign(age=float(age))
    assert model.predict_proba(phantom)[0, 1] == float(probability)


def test_responses_offered():
    """What a picker can show: names that `response=` takes."""
    assert predictor_of(Crisp(), families.X, output="old").responses == ("predict",)
    assert predictor_of(lambda rows: rows["age"], families.X).responses == ()
    lone = predictor_of(dummy.DummyClassifier().fit(families.X, ["yes"] * families.N), families.X)
    assert (lone.output, lone.position, lone.outputs) == ("yes", 0, ())
    model = families.quietly(linear_model.LogisticRegression().fit, families.X, families.YES)
    p = predictor_of(model, families.X)
    assert (p.outputs, p.responses) == (
        ("no", "yes"), ("predict_proba", "decision_function", "predict", "log_odds")
    )  # fmt: skip


# What goes wrong on a phantom --------------------------------------------------------------------


UNLUCKY = 5
OF_ONE_EACH = {
    case.family: case
    for case in reversed(families.CASES)
    if case.model
    in {
        "LogisticRegression of two classes", "XGBRegressor", "Booster, regression", "LGBMRegressor", "CatBoost, RMSE",
        "CatBoostRegressor", "OLS by formula", "one number per row", "module of one unit", "regressor with a signature",
    }
}  # fmt: skip


class Unlucky:
    """Calls a method, and returns a wrong value for one phantom: row 5 of X with the highest age."""

    def __init__(self, method, fault):
        self.method = method
        self.fault = fault
        self.place = families.X.iloc[UNLUCKY]

    def __call__(self, rows, *args, **options):
        returned = self.method(rows, *args, **options)
        held = rows.get_data() if hasattr(rows, "get_data") else rows
        if isinstance(held, pd.DataFrame):
            held = held[["age", "income", "rooms"]]
        matrix = as_matrix(held)
        hit = (matrix[:, 0] == families.X["age"].max()) & np.isclose(matrix[:, 1], self.place["income"])
        hit &= matrix[:, 2] == self.place["rooms"]
        return self.fault(returned, hit) if hit.any() else returned


def unlucky(model, fault):
    """The model with one of its methods replaced."""
    if not hasattr(model, "predict") and not hasattr(model, "forward"):
        return Unlucky(model, fault)
    for name in ("predict_proba", "predict", "forward"):
        if hasattr(model, name):
            object.__setattr__(model, name, Unlucky(getattr(model, name), fault))
            return model
    return None


def fails(returned, hit):
    raise RuntimeError("not that one")


def is_missing(returned, hit):
    returned = returned.clone() if hasattr(returned, "clone") else np.array(returned, dtype=float)
    returned[hit] = np.nan
    return returned


def is_short(returned, hit):
    return returned[:-1]


@pytest.fixture(scope="module")
def place():
    """Row 5 with the highest age is one phantom of the data, of that row alone."""
    X = families.X
    alike = (X["income"] == X["income"].iloc[UNLUCKY]) & (X["rooms"] == X["rooms"].iloc[UNLUCKY])
    assert alike.sum() == 1
    assert X["age"].iloc[UNLUCKY] < X["age"].max()
    return f"grid value {float(X['age'].max())!r}, row {UNLUCKY} of X"


@pytest.mark.parametrize("family", OF_ONE_EACH)
@pytest.mark.parametrize("fault", [fails, is_missing, is_short])
def test_what_goes_wrong_on_a_phantom_is_named(family, fault, place):
    """Feature, grid value and row, and the model's own error chained."""
    case = OF_ONE_EACH[family]
    skip_without(case)
    model, rows, _ = case.fit()
    model = unlucky(model, fault)
    with pytest.raises(ice.errors.PredictionError) as caught:
        explained(model, rows, engine="brute", features=["age"], **case.options)
    said = str(caught.value)
    if fault is fails:
        assert said == (
            f"The model failed on phantom observations of 'age' ({place}): RuntimeError: not that one. "
            "Limit the grid with `grid=`, or leave the feature out with `features=`."
        )
        assert str(caught.value.__cause__) == "not that one"
    elif fault is is_missing:
        assert said == (
            f"The model must return finite numbers; it returned nan on a phantom observation of 'age' ({place}). "
            "Limit the grid with `grid=`, or use another `response`."
        )
    else:
        assert said.startswith(f"No predictions of phantom observations of 'age' ({place}): ")
        assert "() returned shape (" in said
        assert isinstance(caught.value.__cause__, ice.errors.PredictionError)


def test_what_no_array_can_be_made_of_is_refused():
    """As what numpy says of a tensor that carries a gradient."""

    class Tensor:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("call detach() first")

    assert message(ice.errors.PredictionError, lambda rows: Tensor()) == (
        "model() must return an array of numbers; it returned Tensor, which numpy cannot read "
        "(RuntimeError: call detach() first). Wrap the model in a function that returns a number per row."
    )


def test_numbers_written_as_text_are_no_numbers():
    """They are read by nobody in silence."""
    assert message(ice.errors.PredictionError, lambda rows: np.array(["1.5"] * len(rows), dtype=object)) == (
        "model() must return numbers; it returned dtype object. "
        "Wrap the model in a function that returns a number per row."
    )


def test_probabilities_of_several_outputs_must_come_by_output():
    """One table for all of them cannot be taken apart where there are three classes."""

    class Flat:
        classes_ = (np.array([0, 1]), np.array([0, 1, 2]))

        def predict(self, rows):
            return np.zeros((len(rows), 2))

        def predict_proba(self, rows):
            return np.zeros((len(rows), 5))

    assert message(ice.errors.PredictionError, Flat(), output=(0, 1)) == (
        "predict_proba() must return a list of 2 arrays, one per output with a column per class; it returned "
        "something else. Wrap the model in a function that returns one number per row."
    )


# Libraries with ways of their own ----------------------------------------------------------------


def test_results_of_statsmodels_take_the_columns_of_their_fit():
    """It would take one column for another; the constant is not added in silence."""
    import statsmodels.api as sm

    results = sm.OLS(families.NUMBER, sm.add_constant(families.X)).fit()
    fitted = "'const', 'age', 'income', 'rooms'"
    wanted = f"X must have the columns that the model was fitted on, in their order: {fitted}; got "
    constant = " Pass those. `statsmodels.api.add_constant(X)` puts the constant in front."
    with_constant = sm.add_constant(families.X)
    said = {
        wanted + "'age', 'income', 'rooms'." + constant: families.X,
        wanted + "3 columns." + constant: families.X.to_numpy(),
        wanted + "'age', 'income', 'rooms', 'const'. Pass those.": with_constant[["age", "income", "rooms", "const"]],
    }
    for expected, rows in said.items():
        assert message(ice.errors.InputDataError, results, rows) == expected


def zero_inflated(rows, infl):
    import statsmodels.api as sm

    return families.quietly(sm.ZeroInflatedPoisson(families.COUNT, rows, exog_infl=infl).fit, disp=0)


def test_a_zero_inflated_model_gets_the_columns_of_both_tables():
    """Columns that only the probability of a zero has stand behind the others; nothing is taken from the fit."""
    import statsmodels.api as sm

    both = sm.add_constant(families.X)
    exog, infl = ["const", "income"], ["const", "rooms"]
    results = zero_inflated(both[exog], both[infl])
    rows = both[["const", "income", "rooms"]]
    e = explained(results, rows)
    assert families.largest_difference(e, lambda X: results.predict(X[exog], exog_infl=X[infl]), rows) <= 1e-12
    assert message(ice.errors.InputDataError, results, both) == (
        "X must have the columns that the model was fitted on, in their order: 'const', 'income', 'rooms'; "
        "got 'const', 'age', 'income', 'rooms'. Pass those."
    )


def test_a_zero_inflated_model_whose_columns_are_not_in_x_is_refused():
    """Without them statsmodels would take those of the rows of the fit, whatever is predicted."""
    import statsmodels.api as sm

    both = sm.add_constant(families.X)
    rows = both[["const", "income"]]
    instead = (
        " Add them behind the others, or pass a function: "
        "`lambda X: results.predict(X[exog_columns], exog_infl=X[exog_infl_columns])`."
    )
    said = "X must have the columns of `exog_infl`, by name, because ZeroInflatedPoisson was fitted with them"
    got = "; got 'const', 'income'."
    for infl, named in ((both[["const", "rooms"]], ": 'const', 'rooms'"), (both[["const", "rooms"]].to_numpy(), "")):
        assert message(ice.errors.InputDataError, zero_inflated(rows, infl), rows) == said + named + got + instead


def test_results_with_further_parameters_take_arrays_by_their_number_of_columns():
    """Names of further parameters stand before and behind those of the columns, and are none."""
    import statsmodels.api as sm

    array = sm.add_constant(families.X).to_numpy()
    for name in ("NegativeBinomial", "ZeroInflatedPoisson"):
        results = families.quietly(getattr(sm, name)(families.COUNT, array).fit, disp=0)
        assert families.largest_difference(explained(results, array), results.predict, array) <= 1e-12
        assert message(ice.errors.InputDataError, results, families.X) == (
            "X must have the columns that the model was fitted on, in their order: 'const', 'x1', 'x2', 'x3'; "
            "got 3 columns. Pass those. `statsmodels.api.add_constant(X)` puts the constant in front."
        )


def test_rows_that_a_formula_drops_are_named_whatever_their_index():
    """Rows with missing values are left out and put back by their label, which may be another row's in X."""
    from statsmodels.formula.api import ols

    results = ols("number ~ age * income", families.X.assign(number=families.NUMBER)).fit()
    rows = families.X.set_axis([0] * families.N)
    rows.iloc[4, 1] = np.nan
    assert message(ice.errors.PredictionError, results, rows, features=["age"], grid={"age": [20.0, 30.0]}) == (
        "The model must return finite numbers; it returned nan on a phantom observation of 'age' "
        "(grid value 20.0, row 4 of X). Limit the grid with `grid=`, or use another `response`."
    )


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_libraries_that_know_pandas_alone_are_handed_pandas(kind):
    """A frame stays what it is up to the model's door; boosters take arrays by the order of their columns."""
    import lightgbm
    import statsmodels.formula.api as api  # noqa: PLR0402 - as its users write it
    import xgboost

    table = pytest.importorskip(kind)
    X = families.X
    rows = table.from_pandas(X) if kind == "polars" else table.Table.from_pandas(X)
    models = {
        "formula": api.ols("number ~ age * income", X.assign(number=families.NUMBER)).fit(),
        "XGBoost": xgboost.train({"nthread": 1}, xgboost.DMatrix(X, families.NUMBER), 3),
    }
    if kind == "pyarrow":
        models["LightGBM"] = lightgbm.train({"verbose": -1}, lightgbm.Dataset(X, families.NUMBER), 3)
    for model in models.values():
        e, expected = explained(model, rows), explained(model, X)
        for name in ("age", "income"):
            assert_allclose(e[name].curves, expected[name].curves, rtol=0, atol=1e-6)


def saturated(kind, y):
    """A model of XGBoost whose probabilities are 0 and 1 in single precision, and its margins of rows."""
    import xgboost

    sure = {"n_estimators": 40, "learning_rate": 4.0, "reg_lambda": 0, "min_child_weight": 0, "n_jobs": 1}
    model = xgboost.XGBClassifier(**sure)
    if kind == "pipeline":
        return make_pipeline(StandardScaler(), model).fit(families.X, y), model
    model.fit(families.X, y)
    return (model.get_booster() if kind == "native" else model), model


@pytest.mark.parametrize("kind", ["native", "of scikit-learn", "pipeline"])
@pytest.mark.parametrize("output", [0, 1, 2])
def test_log_odds_of_xgboost_are_finite_where_probabilities_are_not_apart_from_1(kind, output):
    """By either engine, of two classes and of three: those of the margins."""
    for y in (families.BIT, families.LEVEL):
        if output > y.max():
            continue
        model, inner = saturated(kind, y)
        rows = model[:-1].transform(families.X) if kind == "pipeline" else families.X
        assert np.isin(inner.predict_proba(rows), [0.0, 1.0]).any()
        options = {"response": "log_odds", "output": output, "grid": "observed", "grid_size": None}
        fast, slow = (explained(model, families.X, engine=engine, **options) for engine in ("auto", "brute"))
        assert (fast.engine, slow.engine) == ("tree", "brute")
        assert fast.output_label == f"log-odds of {output}"
        margins = inner.predict(rows, output_margin=True).astype(float)
        if margins.ndim == 1:
            expected = margins if output == 1 else -margins
        else:
            expected = margins[:, output] - np.logaddexp.reduce(np.delete(margins, output, axis=1), axis=1)
        size = np.abs(expected).max()
        for name in fast.features:
            at = np.searchsorted(slow[name].grid, families.X[name])
            assert_allclose(slow[name].curves[np.arange(families.N), at], expected, rtol=0, atol=1e-12 * size)
            assert_allclose(fast[name].curves, slow[name].curves, rtol=0, atol=1e-5 * size)


def test_log_odds_of_xgboost_come_from_probabilities_where_margins_mean_something_else():
    """A class of one's own may return what it likes, and so may labels that hold side by side."""
    import xgboost

    class Shy(xgboost.XGBClassifier):
        def predict_proba(self, X, **options):
            return 0.5 + (super().predict_proba(X, **options) - 0.5) / 2

    options = {"response": "log_odds", "output": 1}
    model = Shy(n_estimators=3, n_jobs=1).fit(families.X, families.BIT)
    assert explained(model, families.X, **options)["age"].prediction_range[1] < np.log(3)
    labels = xgboost.XGBClassifier(n_estimators=3, n_jobs=1).fit(families.X, families.two_flags())
    e = explained(labels, families.X, **options)
    expected = families.asked_directly(
        lambda rows: labels.predict(rows, output_margin=True)[:, 1], families.X, "age", e["age"].grid
    )
    assert_allclose(e["age"].curves, expected, rtol=1e-5)


def test_a_booster_takes_arrays_by_the_order_of_their_columns():
    """One fitted on names as well; they are the names of the columns."""
    import xgboost

    X = families.X
    booster = xgboost.train({"nthread": 1}, xgboost.DMatrix(X, families.NUMBER), 3)
    e, expected = explained(booster, X.to_numpy(), engine="brute"), explained(booster, X, engine="brute")
    assert_array_equal(e["age"].curves, expected["age"].curves)
    with pytest.raises(ice.errors.InputDataError) as caught:
        explained(booster, X[["income", "age", "rooms"]])
    assert str(caught.value) == (
        "X must have its columns in the order in which the model was fitted on them; it has the same columns in "
        "another order: 'income', 'age', 'rooms'. Pass `X[model.feature_names]`."
    )


def test_a_module_is_left_as_it_was():
    """Training stays on where it was on; no gradient is made; its own precision is kept."""
    torch = pytest.importorskip("torch", reason="needs torch, which `make test-heavy` installs")
    model = families.net(1).double()
    model[2].eval()
    before = [part.training for part in model.modules()]
    e = explained(model, families.X, n_jobs=2)
    assert [part.training for part in model.modules()] == before
    assert all(parameter.grad is None for parameter in model.parameters())
    model.eval()
    with torch.no_grad():
        expected = model(torch.tensor(families.X.to_numpy())).numpy()[:, 0]
    assert_allclose(e["age"].predictions(range(families.N)), expected, rtol=0, atol=1e-12)


def test_a_module_with_a_predict_method_is_asked_by_that():
    """A name that was written is meant."""
    torch = pytest.importorskip("torch", reason="needs torch, which `make test-heavy` installs")

    class Own(torch.nn.Module):
        def predict(self, rows):
            return rows["age"].to_numpy()

    assert_allclose(explained(Own(), families.X)["age"].curves[0], explained(Own(), families.X)["age"].grid)
