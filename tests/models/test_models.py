"""Models of every family, fitted by the library itself, against what the library itself predicts."""

import model_families as families
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import dummy, ensemble, linear_model, neural_network, svm
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ice_explorer as ice
from ice_explorer.errors import DataError, PredictionError
from ice_explorer.models.predict import make_predictor

pytestmark = pytest.mark.current
TYPICAL = {
    "LogisticRegression of two classes", "RandomForestClassifier", "VotingClassifier, hard", "GaussianMixture",
    "XGBClassifier of three classes, log-odds", "Booster, multiclassova, raw", "CatBoost, Logloss, predict",
    "MNLogit by formula", "one of several columns",
}  # fmt: skip


def explained(model, rows, **options):
    return families.quietly(ice.explain, model, rows, progress=False, **{"grid": "quantile", "grid_size": 6, **options})


def cases(*, others):
    """All cases; those that are not typical have another mark."""
    return [
        pytest.param(case, marks=[] if case.model in TYPICAL else [others], id=str(case)) for case in families.CASES
    ]


def fitted(case):
    if not case.installed:
        pytest.skip(f"needs {case.needs}, which the extra test-heavy installs")
    return case.fit()


@pytest.mark.parametrize("case", cases(others=pytest.mark.wide))
def test_curves_are_those_of_the_library(case):
    """Each value of each curve is what the library returns for that phantom observation, by the method named."""
    model, rows, ask = fitted(case)
    e = explained(model, rows, **case.options)
    assert e.method == case.method, e.notes
    assert families.largest_difference(e, ask, rows) <= (2e-6 if case.is_single_precision else 1e-12)


@pytest.mark.parametrize("case", cases(others=pytest.mark.slow))
def test_one_call_gives_all_outputs(case):
    """Columns of all outputs are the outputs, each as if it had been chosen."""
    model, rows, _ = fitted(case)
    chosen = families.quietly(predictor_of, model, rows, **case.options)
    returned = families.quietly(chosen.all_outputs, rows)
    are_probabilities = chosen.response == "log_odds" and returned.min() >= 0
    together = np.log(returned) - np.log1p(-returned) if are_probabilities else returned
    assert together.shape == (len(rows), max(1, len(chosen.outputs)))
    for position, output in enumerate(chosen.outputs):
        other = families.quietly(predictor_of, model, rows, **{**case.options, "output": output})
        assert other.output == output
        assert_array_equal(families.quietly(other.predict, rows), together[:, position])


def predictor_of(model, rows, output=None, response="auto"):
    first = rows[:10]
    return make_predictor(model, first, output=output, response=response)[0]


def assert_curves(feature, ask, rows, atol=1e-12):
    """Compare the curves of a feature with what a function of rows returns for every phantom observation."""
    expected = families.asked_directly(ask, rows, feature.feature, feature.grid)
    assert_allclose(feature.curves, expected, rtol=1e-9, atol=atol)


# --- sizes that coincide --------------------------------------------------------------------------

TWO = families.X.iloc[:2]


@pytest.mark.parametrize("response", ["predict_proba", "decision_function", "log_odds", "predict"])
def test_two_rows_and_two_classes_are_not_mixed_up(response):
    """What an array means does not depend on how long it is; one row will do as well."""
    model = linear_model.LogisticRegression(max_iter=1000).fit(families.X, families.YES)
    ask = {
        "predict_proba": families.proba(1),
        "decision_function": families.decision,
        "log_odds": families.log_odds(1),
        "predict": families.is_label("yes"),
    }[response]
    for rows in (TWO, TWO[:1]):
        e = explained(model, rows, response=response, method="brute", grid={"age": [20.0, 30.0]}, features=["age"])
        assert_curves(e["age"], lambda asked: ask(model, asked), rows)


def test_as_many_rows_as_outputs_are_not_mixed_up():
    """Three rows of three classes, two of a function's columns."""
    f = explained(lambda rows: np.column_stack([rows["age"], -rows["age"]]), TWO, output=1)["age"]
    assert_allclose(f.curves, np.tile(-f.grid, (2, 1)))
    model, three = svm.SVC().fit(families.X, families.SIZE), families.X.iloc[:3]
    e = explained(model, three, output="small", response="decision_function")
    assert_curves(e["age"], lambda rows: model.decision_function(rows)[:, 2], three)


# --- which output ---------------------------------------------------------------------------------


def message(error, model, rows=families.X, **options):
    """Return the message for a wrong choice."""
    with pytest.raises(error) as caught:
        explained(model, rows, **options)
    return str(caught.value)


def test_several_outputs_with_classes_are_refused():
    """A function of one of them is explained."""
    model = ensemble.RandomForestClassifier(**families.FOREST).fit(families.X, families.two_labels())
    words = "must have one output with classes; this one has 2. Pass a function for one of them"
    assert words in message(PredictionError, model)
    e = explained(lambda rows: model.predict_proba(rows)[1][:, 1], families.X)
    assert_curves(e["age"], lambda rows: model.predict_proba(rows)[1][:, 1], families.X)


def test_two_labels_that_may_both_hold_are_not_two_sides_of_one():
    """Neither of a network, nor of a native model, whose loss must say what the two columns are."""
    import catboost

    network = neural_network.MLPClassifier(hidden_layer_sizes=4, max_iter=20, random_state=0)
    families.quietly(network.fit, families.X, families.two_flags())
    native = catboost.CatBoost({**families.CAT, "loss_function": "MultiLogloss"}).fit(families.X, families.two_flags())
    for model in (network, native):
        notes = explained(model, families.X).notes
        assert any(note.endswith("Choose the other one by `output=`.") for note in notes)
    e = explained(network, families.X, output=1, response="predict")
    assert_curves(e["age"], lambda rows: network.predict(rows)[:, 1], families.X)
    expected = native.predict(families.X, prediction_type="Probability")[:, 0]
    found = explained(native, families.X, output=0)["age"]._predictions(range(families.N))
    assert_allclose(found, expected, rtol=0, atol=1e-12)


class Crisp:
    """A classifier that says nothing but the label."""

    def predict(self, rows):
        return np.where(rows["age"] > 26, "old", "young")


def test_curves_of_labels_are_indicators_and_their_mean_is_a_share():
    """Of a model that lists no labels they are those that it predicts; shares of all classes add to one."""
    e = explained(Crisp(), families.X, output="old")
    assert e.output_label == "prediction of old (1) or not (0)"
    assert set(np.unique(e["age"].curves)) == {0.0, 1.0}
    assert_allclose(e["income"].partial_dependence, (families.X["age"] > 26).mean())
    model = svm.LinearSVC(random_state=0).fit(families.X, families.SIZE)
    shares = [
        explained(model, families.X, output=label, response="predict")["income"].partial_dependence
        for label in model.classes_
    ]
    assert_allclose(np.sum(shares, axis=0), 1.0, rtol=0, atol=1e-12)


def test_the_positive_class_of_a_booster_is_noted():
    """Its classes are 0 and 1, whatever its library calls them."""
    for case in families.BOOSTING:
        if case.model in {"Booster, binary:logistic", "Booster, binary", "CatBoost, Logloss"}:
            model, rows, _ = case.fit()
            e = explained(model, rows)
            assert e.output_label == "probability of 1"
            assert e.notes[0] == "Explained class: 1, the second of two. Pass `output=0` for the other."
            other = explained(model, rows, output=0)
            assert_allclose(other["age"].curves, 1 - e["age"].curves, rtol=0, atol=1e-6)
            scores = [explained(model, rows, output=label, response="decision_function") for label in (0, 1)]
            assert {e.method for e in scores} == {"tree"}
            assert_array_equal(scores[0]["age"].curves, -scores[1]["age"].curves)
            assert_allclose(1 / (1 + np.exp(-scores[1]["age"].curves)), e["age"].curves, rtol=0, atol=1e-6)


def test_responses_offered():
    """What a picker can show: names that `response=` takes."""
    assert predictor_of(Crisp(), families.X, output="old").responses == ("predict",)
    assert predictor_of(lambda rows: rows["age"], families.X).responses == ()
    lone = predictor_of(dummy.DummyClassifier().fit(families.X, ["yes"] * families.N), families.X)
    assert (lone.output, lone.position, lone.outputs) == ("yes", 0, ())
    p = predictor_of(families.quietly(linear_model.LogisticRegression().fit, families.X, families.YES), families.X)
    assert p.outputs == ("no", "yes")
    assert p.responses == ("predict_proba", "decision_function", "predict", "log_odds")


@pytest.mark.parametrize(
    ("model", "options", "words"),
    [
        (lambda rows: np.array(["1.5"] * len(rows), object), {}, "must return numbers; it returned dtype object"),
        (
            svm.SVC(decision_function_shape="ovo").fit(families.X, np.arange(families.N) % 4),
            {"output": 1, "response": "decision_function"}, "returned shape (2, 6) for 2 rows; expected (2, 4). ",
        ),
    ],
    ids=["numbers as text", "scores of pairs of classes"],
)  # fmt: skip
def test_what_is_no_prediction_of_an_output_is_refused(model, options, words):
    """Neither read in silence nor taken apart by its size."""
    assert words in message(PredictionError, model, **options)


# --- libraries with ways of their own -------------------------------------------------------------


def test_results_of_statsmodels_take_the_columns_of_their_fit():
    """It would take one column for another; the constant is not added in silence."""
    import statsmodels.api as sm

    with_constant = sm.add_constant(families.X)
    results = sm.OLS(families.NUMBER, with_constant).fit()
    start = "X must have the columns that the model was fitted on, in their order; "
    assert "fitted on, 4 ('const', 'age', 'income', 'rooms'); got 3." in message(
        DataError, results, families.X.to_numpy()
    )
    for expected, rows in {
        "'const' is missing. Pass `statsmodels.api.add_constant(X)`.": families.X,
        "got the order 'age', 'income', 'rooms', 'const'. Pass": with_constant[["age", "income", "rooms", "const"]],
    }.items():
        assert message(DataError, results, rows).startswith(start + expected)
    array = with_constant.to_numpy()  # names of further parameters are no columns
    for name in ("NegativeBinomial", "ZeroInflatedPoisson"):
        results = families.quietly(getattr(sm, name)(families.COUNT, array).fit, disp=0)
        assert families.largest_difference(explained(results, array), results.predict, array) <= 1e-12
        assert message(DataError, results, families.X).startswith("X must have as many columns as the model was ")


def test_results_with_columns_for_zeros_are_passed_as_a_function():
    """Without those columns statsmodels would take the rows of the fit."""
    import statsmodels.api as sm

    both = sm.add_constant(families.X)
    model = sm.ZeroInflatedPoisson(families.COUNT, both[["const", "income"]], exog_infl=both[["const", "rooms"]])
    results = families.quietly(model.fit, disp=0)
    assert message(DataError, results, both) == (
        "A model fitted with `exog_infl` must be a function of X; got results of ZeroInflatedPoisson. "
        "Pass `lambda X: results.predict(X[exog_columns], exog_infl=X[exog_infl_columns])`."
    )


def test_rows_that_a_formula_drops_are_named_whatever_their_index():
    """Rows with missing values are left out and put back by their label, which may be another row's in X."""
    from statsmodels.formula.api import ols

    results = ols("number ~ age * income", families.X.assign(number=families.NUMBER)).fit()
    rows = families.X.set_axis([0] * families.N)
    rows.iloc[4, 1] = np.nan
    assert message(PredictionError, results, rows, features=["age"], grid={"age": [20.0, 30.0]}).startswith(
        "The model must return finite numbers; it returned nan on a phantom observation of 'age' "
        "(grid value 20.0, row 4 of X)."
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
    models = [
        api.ols("number ~ age * income", X.assign(number=families.NUMBER)).fit(),
        xgboost.train({"nthread": 1}, xgboost.DMatrix(X, families.NUMBER), 3),
    ]
    if kind == "pyarrow":
        models.append(lightgbm.train({"verbose": -1}, lightgbm.Dataset(X, families.NUMBER), 3))
    for model in models:
        e, expected = explained(model, rows), explained(model, X)
        assert_allclose(e["age"].curves, expected["age"].curves, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", ["native", pytest.param("of scikit-learn", marks=pytest.mark.slow), "pipeline"])
@pytest.mark.parametrize("y", [families.BIT, families.LEVEL], ids=["two classes", "three classes"])
def test_log_odds_of_xgboost_are_finite_where_probabilities_are_not_apart_from_1(kind, y):
    """By either method: those of the margins, which single precision does not round to 0 and 1."""
    import xgboost

    sure = {"n_estimators": 40, "learning_rate": 4.0, "reg_lambda": 0, "min_child_weight": 0, "n_jobs": 1}
    inner = xgboost.XGBClassifier(**sure)
    model = make_pipeline(StandardScaler(), inner) if kind == "pipeline" else inner
    model.fit(families.X, y)
    rows = model[:-1].transform(families.X) if kind == "pipeline" else families.X
    margins = inner.predict(rows, output_margin=True).astype(float)
    assert np.isin(inner.predict_proba(rows), [0.0, 1.0]).any()
    for output in range(y.max() + 1):
        options = {"response": "log_odds", "output": output, "grid": "observed", "grid_size": None, "features": ["age"]}
        explainee = inner.get_booster() if kind == "native" else model
        fast, slow = (explained(explainee, families.X, method=method, **options) for method in ("auto", "brute"))
        assert (fast.method, slow.method) == ("tree", "brute")
        if margins.ndim == 1:
            expected = margins if output == 1 else -margins
        else:
            expected = margins[:, output] - np.logaddexp.reduce(np.delete(margins, output, axis=1), axis=1)
        size, at = np.abs(expected).max(), np.searchsorted(slow["age"].grid, families.X["age"])
        assert_allclose(slow["age"].curves[np.arange(families.N), at], expected, rtol=0, atol=1e-12 * size)
        assert_allclose(fast["age"].curves, slow["age"].curves, rtol=0, atol=1e-5 * size)


def test_log_odds_of_xgboost_come_from_probabilities_where_margins_mean_something_else():
    """A class of one's own may return what it likes, and so may labels that may both hold."""
    import xgboost

    class Shy(xgboost.XGBClassifier):
        def predict_proba(self, X, **options):
            return 0.5 + (super().predict_proba(X, **options) - 0.5) / 2

    options = {"response": "log_odds", "output": 1}
    model = Shy(n_estimators=3, n_jobs=1).fit(families.X, families.BIT)
    assert explained(model, families.X, **options)["age"]._prediction_range[1] < np.log(3)
    labels = xgboost.XGBClassifier(n_estimators=3, n_jobs=1).fit(families.X, families.two_flags())
    e = explained(labels, families.X, **options)
    assert_curves(e["age"], lambda rows: labels.predict(rows, output_margin=True)[:, 1], families.X, 1e-5)
