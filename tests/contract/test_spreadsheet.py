"""Texts that a spreadsheet would run as formulas, written down for the front end's tests.

`python tests/contract/test_spreadsheet.py` writes `spreadsheet.json` anew: texts, and how a CSV has
each. Pages without a kernel write their own CSV; `js/test/standalone/csv.test.ts` compares.
"""

from __future__ import annotations

import json
from pathlib import Path

from ice_explorer.export.tables import without_formula

FIXTURE = Path(__file__).parent / "spreadsheet.json"
TEXTS = [
    "=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "=cmd|' /C calc'!A0", '=HYPERLINK("x","y")',
    "a;=1+1;b", "a\n=1", "a\t-x", "-2 days", "-", "=", "--1", "+Inf", "-1.5e3x",
    "", "age", "a=b", "'=1", " =1", "1-2", "a, -b", "x;y", "#=1", "-1", "+1.5", "-.5", "-1.5e-3", "2e+10", "\u0661",
    "-\u0661", "Größe", "a,=1+1,b",
]  # fmt: skip


def written():
    return [[text, without_formula(text)] for text in TEXTS]


def test_texts_that_start_like_formulas_get_an_apostrophe_as_in_the_front_end():
    """The fixture is what the package writes today."""
    assert json.loads(FIXTURE.read_text(encoding="utf-8")) == written()


if __name__ == "__main__":
    FIXTURE.write_text(json.dumps(written(), indent=1) + "\n", encoding="utf-8")
