"""What a page records of the contract's explanation, as a fixture of the front end's tests.

`python tests/contract/test_recording.py` writes `recording.json` anew: the blobs of the page, in their order. The front
end's tests read it and compare its answers with those of the kernel, which stand in `explorer.json`.
"""

from __future__ import annotations

import base64
import gzip
import importlib.util
import json
from pathlib import Path

import pytest
from kernel_end import assert_alike

from ice_explorer.beyond.interactions import JointEffects
from ice_explorer.scene.choices import Besides, ViewState
from ice_explorer.standalone.recording import record

pytestmark = [pytest.mark.current, pytest.mark.wide]
HERE = Path(__file__).parent
FIXTURE = HERE / "recording.json"


def of_explorer():
    """The module that writes down what the kernel sends."""
    spec = importlib.util.spec_from_file_location("explorer_contract", HERE / "test_explorer.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def blobs():
    """The blobs of a page of the same rows; the version is no part of the contract."""
    contract = of_explorer()
    explanation = contract.explained()
    joint = JointEffects()
    for whole in (joint.interactions(explanation), *(joint.pair(explanation, *pair) for pair in contract.PAIRS)):
        while not whole._advance():
            pass
    for feature in explanation.values():
        feature._unlike_shares()  # as if a reader had opened each
    choices = {"ale": True, "fade": "unlike"}
    state = ViewState(
        feature="income",
        ci=0.9,
        max_lines=12,
        selection=(11,),
        choices=choices,
        besides=Besides(joint=joint),
    )
    return record(explanation, state).blobs


def content(text):
    return gzip.decompress(base64.b64decode(text))


def without_version(text):
    whole = json.loads(content(text))
    whole["traits"]["_header"]["version"] = ""
    return whole


def test_the_recording_is_what_a_page_holds_today():
    """Names, places and bytes have not changed unnoticed; how well they are compressed may differ."""
    committed, today = json.loads(FIXTURE.read_text(encoding="utf-8")), blobs()
    assert len(committed) == len(today)
    assert_alike(without_version(committed[0]), without_version(today[0]))
    # Only the number of bytes is compared here; `js/test/standalone/recorded_model.test.ts` compares the numbers.
    assert [len(content(text)) for text in committed[1:]] == [len(content(text)) for text in today[1:]]


if __name__ == "__main__":
    FIXTURE.write_text(json.dumps(blobs(), indent=0) + "\n", encoding="utf-8")
