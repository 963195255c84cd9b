"""What a notebook shows of an explanation as the last line of a cell."""

import html.parser

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import ice_explorer as ice

HOSTILE = "<script>alert(1)</script>"


class Reader(html.parser.HTMLParser):
    """Collects tags, attributes and the text of each cell of a table."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.rows, self.attributes = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.open.append(tag)
        self.attributes += attrs
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data


@pytest.fixture(scope="module")
def e():
    """Two features that matter, one of them by a name that is markup, and one that does not."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.normal(size=40), HOSTILE: rng.choice(["a", "b"], 40), "idle": rng.normal(size=40)})
    return ice.explain(lambda X: 3 * X["age"] + (X[HOSTILE] == "a"), X, progress=False)


def test_an_explanation_is_its_ranking(e):
    """A row for each feature in the order of the table, with its figures; names are text."""
    reader = Reader(e._repr_html_())
    assert not reader.open
    assert reader.rows[0] == [
        "", "in-distribution impact", "impact", "direction", "heterogeneity", "non-linearity",
    ]  # fmt: skip
    table = e.table()
    assert [row[0] for row in reader.rows[1:]] == table.index.tolist() == ["age", HOSTILE, "idle"]
    assert_allclose(list(map(float, reader.rows[1][1:4])), table.iloc[0, :3], rtol=1e-3)
    assert reader.rows[2][3] == reader.rows[2][5] == "–"
    assert reader.rows[3][1:] == ["0"] * 5


def test_it_runs_nothing_and_asks_for_nothing(e):
    """No script, no style sheet, no address, no colour of letters: a notebook that is not trusted may show it."""
    allowed = {*["div", "strong", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "ul", "li"]}
    text = e._repr_html_()
    reader = Reader(text)
    assert set(reader.tags) <= allowed
    assert {name for name, _ in reader.attributes} <= {"style", "border", "class", "open"}
    assert "url(" not in text
    assert ";color:" not in text


def test_many_features_and_notes_take_little_room():
    """The first 20 features, and how many more there are; notes are folded where they are many."""
    X = np.random.default_rng(0).normal(size=(30, 25))
    e = ice.explain(lambda X: X @ np.arange(25.0), X, progress=False)
    text = e._repr_html_()
    assert len(Reader(text).rows) == 21
    assert "and 5 more features" in text
    e.notes[:] = [f"note {number} & more" for number in range(6)]
    folded = e._repr_html_()
    for words in ("<details>", "<summary>6 notes</summary>", "<li>note 5 &amp; more</li>"):
        assert words in folded
    e.notes[:] = e.notes[:1]
    assert "<details open><summary>1 note</summary>" in e._repr_html_()


def test_without_a_feature_there_is_no_table():
    """As in an explorer that has computed nothing yet."""
    e = ice.explain(lambda X: X[:, 0], np.arange(6.0).reshape(3, 2), progress=False)
    assert "table" not in Reader(ice.Explanation(e._context, e["x0"]._method, [], [])._repr_html_()).tags
