"""What an explorer shows of an error names its controls; the options are those of whoever writes the call."""

import re

import numpy as np
import pandas as pd
import pytest
from kernel_end import Wire

import ice_explorer as ice
from ice_explorer.errors import InvalidOptionError, PredictionError
from ice_explorer.results.options import DEFAULTS

X = pd.DataFrame({"a": np.arange(8.0), "b": np.arange(8.0)[::-1]})
CAUSE = ValueError("no")
SHOWN = [
    PredictionError.failed_on_phantoms("a", "grid value 1, row 0 of X", CAUSE),
    PredictionError.not_finite("a", "grid value 1, row 0 of X", np.inf),
    PredictionError.row_not_finite(np.inf, 3),
    PredictionError.certain("row 3 of X", 0),
    PredictionError.out_of_service("a", CAUSE),
    PredictionError.too_large("a", "grid value 1, row 0 of X", 1e300, 1e150),
    PredictionError.too_large_to_show("curves", "a", 1e50, 1e30),
    PredictionError.too_steep("a", 1e-9, 1e150),
    PredictionError.changed(0.5),
    PredictionError.failed_on_known(CAUSE),
    InvalidOptionError.weights_of_sample("a", 1.0),
    InvalidOptionError.residual_without_target(),
    InvalidOptionError.width("5mm", 20, 500, 180),
    InvalidOptionError.letters_too_large(9.0, 20.0, 30.0),
    InvalidOptionError.out_of_bounds("dpi", 5, (50, 1200), "dots per inch", 300),
    InvalidOptionError.engine("tree", "It is a function."),
    InvalidOptionError.thresholds("It is a function."),
]


@pytest.mark.parametrize("error", SHOWN, ids=lambda error: str(error)[:40])
def test_what_to_do_in_an_explorer_is_no_option_of_a_call(error):
    """There is no line of code in front of a reader who may not have written it."""
    shown = str(error.in_explorer())
    facts = error.facts or shown
    assert shown.startswith(facts)
    advice = shown[len(facts) :] if error.facts else shown
    options = "|".join([*DEFAULTS, "response", "dpi", "width", "color_by"])
    assert re.findall(rf"`(?:{options})=?`|`(?:{options})=|ICEExplorer\(|`explain`(?! *,)", advice) == []


def test_the_same_error_has_the_same_cause_in_an_explorer():
    """The traceback of the model is below it."""
    error = PredictionError.failed_on_phantoms("a", "grid value 1, row 0 of X", CAUSE)
    error.__cause__ = CAUSE
    shown = error.in_explorer()
    assert (type(shown), shown.__cause__) == (PredictionError, CAUSE)
    assert str(shown) == (
        "The model failed on phantom observations of 'a' (grid value 1, row 0 of X): ValueError: no. Choose another "
        "feature in the ranking. For this one, create the explorer with other grid values."
    )


@pytest.fixture
def explorer(monkeypatch):
    """An explorer whose messages to the browser are kept."""
    monkeypatch.setattr("comm.create_comm", Wire)
    explorer = ice.ICEExplorer(lambda rows: rows["a"].to_numpy(), X)
    assert explorer.explanation
    yield explorer
    explorer.close()


def test_a_request_is_refused_with_a_control(explorer):
    """A width of 5 mm is entered in the dialog, whatever the option of `save` takes."""
    request = {
        "type": "export", "format": "svg", "what": "view", "to": "browser", "width": 5, "dpi": None, "title": True,
        "state": explorer._view_state(), "choices": {},
    }  # fmt: skip
    explorer.comm.receive({"method": "custom", "content": {"id": "1", **request}})
    reply = explorer.comm.wait_for(lambda message: message["data"].get("content", {}).get("id") == "1")
    assert reply["data"]["content"]["message"].endswith('got 5. Choose another one under "Width".')
