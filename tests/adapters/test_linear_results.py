"""Results of statsmodels by their coefficients: the same as asking them for every phantom."""

import model_families as families
import numpy as np
import pandas as pd
import parity
import pytest

import ice_explorer as ice
from ice_explorer.adapters.structure import statsmodels_linear
from ice_explorer.errors import InvalidOptionError

api = pytest.importorskip("statsmodels.api")
formulas = pytest.importorskip("statsmodels.formula.api")

# The frame has text that no formula below looks at.
X = families.FRAME
DATA = X.assign(number=families.NUMBER, bit=families.BIT, count=families.COUNT)
QUIET = {"disp": 0}


def glm(text, family, link=None, **options):
    links = api.families.links
    made = getattr(api.families, family)(*([] if link is None else [getattr(links, link)()]))
    return formulas.glm(text, DATA, family=made, **options).fit()


def compare(results, rows=X, **options):
    """Check that coefficients give what the results predict for every phantom observation."""
    e = parity.explained(results, rows, engine="linear", **options)
    parity.assert_equal_explanations(e, parity.explained(results, rows, engine="brute", **options), rounding=1e-12)
    return e


LINEAR = {
    "OLS": lambda: formulas.ols("number ~ age + income", DATA).fit(),
    "OLS without an intercept": lambda: formulas.ols("number ~ income + age - 1", DATA).fit(),
    "OLS, regularized": lambda: formulas.ols("number ~ age", DATA).fit_regularized(),
    "WLS": lambda: formulas.wls("number ~ age", DATA, weights=np.arange(1.0, len(X) + 1)).fit(),
    "RLM": lambda: formulas.rlm("number ~ age + rooms", DATA).fit(),
    "quantiles": lambda: formulas.quantreg("number ~ age + rooms", DATA).fit(),
    "logit": lambda: formulas.logit("bit ~ age", DATA).fit(**QUIET),
    "Poisson": lambda: formulas.poisson("count ~ age", DATA).fit(**QUIET),
    "GLM, Poisson with an offset": lambda: glm("count ~ rooms", "Poisson", offset=np.ones(len(X))),
    "GLM, Gamma": lambda: glm("I(count + 1) ~ age", "Gamma", "Log"),
    "GLM, binomial": lambda: glm("bit ~ age", "Binomial"),
}


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[] if "GLM" in case else [pytest.mark.wide]) for case in LINEAR]
)
def test_formulas_of_columns_are_written_down(case):
    """Whatever else the frame holds."""
    results = parity.quiet(LINEAR[case])
    e = compare(results)
    assert e.engine_reason.startswith(type(results).__name__)


@pytest.mark.parametrize("output", [0, 1])
@pytest.mark.parametrize("response", ["predict_proba", "decision_function", "log_odds", "predict"])
@pytest.mark.parametrize("case", [pytest.param("logit", marks=pytest.mark.slow), "GLM, binomial"])
def test_both_classes_on_every_scale(case, response, output):
    """The probability of the first class falls where that of the second rises."""
    options = {"response": response} if response == "predict" else {"response": response, "output": output}
    compare(parity.quiet(LINEAR[case]), **options)


@pytest.mark.parametrize("name", ["OLS", "Logit", "GLM"])
def test_columns_of_the_fit_are_written_down(name):
    """The constant is a column that does not move."""
    frame = api.add_constant(families.X)
    y = np.asarray(families.BIT if name == "Logit" else families.NUMBER)
    for rows in (frame, frame.to_numpy()):
        compare(parity.quiet(getattr(api, name)(y, rows).fit), rows)


@pytest.mark.parametrize(
    ("fit", "reason"),
    [
        (
            lambda: formulas.ols("number ~ age * income", DATA).fit(),
            "The term 'age:income' of its formula is not a column of X.",
        ),
        (
            lambda: formulas.ols("number ~ C(city)", DATA).fit(),
            "The term 'C(city)[T.Oslo]' of its formula is not a column of X.",
        ),
        (lambda: glm("bit ~ age", "Binomial", "Probit"), "The link Probit is not supported."),
        (lambda: formulas.probit("bit ~ age", DATA).fit(**QUIET), "Probit is not a supported linear model."),
    ],
)
def test_other_results_are_asked_for_every_phantom(fit, reason):
    """What is no weighted sum of columns says why, and is explained all the same."""
    results = parity.quiet(fit)
    assert parity.explained(results, X).engine == "brute"
    with pytest.raises(InvalidOptionError) as caught:
        ice.explain(results, X, engine="linear", progress=False)
    assert str(caught.value) == (
        f'`engine="linear"` needs a model that it computes exactly. {reason} Use `engine="auto"`.'
    )


def test_coefficients_that_do_not_give_the_predictions_are_not_used(monkeypatch):
    """Each time, phantoms are compared with the model's own predictions of them."""
    results = formulas.ols("number ~ age + income", DATA).fit()
    read = statsmodels_linear._by_name

    def wrong(*arguments):
        coefficients, intercept = read(*arguments)
        return coefficients * (1 + 1e-6), intercept

    monkeypatch.setattr(statsmodels_linear, "_by_name", wrong)
    e = parity.explained(results, X)
    assert e.engine == "brute"
    (note,) = [note for note in e.notes if "engine" in note]
    assert note.startswith(
        "The linear engine is not used; every phantom observation is predicted: Its predictions of phantom"
    )


def test_columns_are_found_by_name_wherever_they_stand():
    """A formula does not mind the order, nor names that are no text."""
    results = formulas.ols("number ~ age + income", DATA).fit()
    rows = pd.concat([families.X[["income"]], families.X[["age"]].assign(more=1.0)], axis=1)
    rows[7] = 0.5
    compare(results, rows)
