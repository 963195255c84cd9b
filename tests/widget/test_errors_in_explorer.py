"""What an explorer shows of an error names its controls; options are for the author of the call."""

import numpy as np
import pandas as pd
import pytest
from kernel_end import Wire

import ice_explorer as ice
from ice_explorer.errors import PredictionError

X = pd.DataFrame({"a": np.arange(8.0), "b": np.arange(8.0)[::-1]})
CAUSE = ValueError("no")


def test_the_same_error_has_the_same_cause_in_an_explorer():
    """The traceback of the model is below it."""
    error = PredictionError("The model failed on row 1.", "Limit the grid with `grid=`.", "Choose another feature.")
    error.__cause__ = CAUSE
    shown = error.in_explorer()
    assert (type(shown), shown.__cause__) == (PredictionError, CAUSE)
    assert str(shown) == "The model failed on row 1. Choose another feature."


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
