"""Tables and numbers as files. A CSV is a plain table, and its provenance is in a JSON file next to it."""

import csv
import io
import json
import re
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from origins import file_bytes, read_provenance

import ice_explorer as ice
from ice_explorer.errors import OptionError
from ice_explorer.export.save import save
from ice_explorer.scene.choices import ViewState


@pytest.fixture(scope="module")
def explanation():
    X = np.random.default_rng(7).normal(size=(40, 3))
    return ice.explain(lambda X: np.tanh(2 * X[:, 0]) * X[:, 1] + X[:, 2], X, progress=False)


def test_pandas_reads_a_table_of_metrics_without_options(mixed, tmp_path):
    """The header comes first; the numbers are those of `table`, to the last digit, whatever the names hold."""
    path = save(mixed, ViewState(rank_by="impact", decay=0.4), tmp_path / "metrics.csv")
    found, expected = pd.read_csv(path), mixed.table(0.4, rank_by="impact")
    assert found.columns.tolist() == ["feature", *expected.columns]
    assert found["feature"].tolist() == [mixed[name].label for name in expected.index]
    for name in expected.columns:
        assert_allclose(found[name], expected[name], rtol=1e-15)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["metrics.csv", "metrics.csv.json"]


def test_provenance_is_in_a_json_file_next_to_the_table(explanation, tmp_path):
    """It names the file."""
    file = explanation.save(tmp_path / "x2.csv", "x2")
    origin = read_provenance(file)
    assert origin == json.loads((tmp_path / "x2.csv.json").read_text(encoding="utf-8"))
    assert (origin["feature"], origin["decay"]) == ("x2", 0.75)
    assert origin["code"].endswith("x.save('x2.csv', 'x2')")
    assert len(list(tmp_path.iterdir())) == 2


def test_neither_file_is_overwritten_unless_requested(explanation, tmp_path):
    """A JSON file of this name stops the export before anything is written; `overwrite=True` replaces both."""
    path, origin = tmp_path / "ranking.csv", tmp_path / "ranking.csv.json"
    origin.write_text("precious")
    with pytest.raises(OptionError, match=r"`path` must not exist yet; there is a file at .*\.csv\.json"):
        explanation.save(path)
    assert [file.name for file in tmp_path.iterdir()] == [origin.name]
    assert origin.read_text() == "precious"
    explanation.save(path, overwrite=True)
    assert "code" in read_provenance(path)
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="links of Unix")
def test_the_provenance_follows_a_link(explanation, tmp_path):
    """What a link leads to is replaced, with its provenance."""
    path, link = explanation.save(tmp_path / "ranking.csv"), tmp_path / "latest.csv"
    link.symlink_to(path.name)
    explanation.save(link, "x0", overwrite=True)
    assert read_provenance(path) == read_provenance(link)
    assert "x0" in read_provenance(path)["code"]


def test_a_download_is_the_table_alone(explanation):
    """One click gives one file; JSON has the provenance inside."""
    content = file_bytes(explanation, {"feature": "x0"}, "curves.csv", "panel")
    assert set(pd.read_csv(io.BytesIO(content))["feature"]) == {"x0"}
    assert "code" in json.loads(file_bytes(explanation, {"feature": "x0"}, "curves.json", "panel"))["provenance"]


# --- curves ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["ice", "c-ice", "d-ice"])
def test_curves_are_those_of_to_frame(mixed, tmp_path, kind):
    """The rows that the view draws, with the quantity of its kind; Parquet keeps every dtype and digit."""
    state = ViewState(decay=0.5, kind=kind, max_lines=20, selection=(5,))  # the row that lacks its age
    feature = mixed["age, in years"]
    known = mixed.to_frame("age, in years", kind, feature._draw(20, [5]), decay=0.5)
    exact = pd.read_parquet(save(mixed, state, tmp_path / "age.parquet", "age, in years"))
    pd.testing.assert_frame_equal(exact, known, check_categorical=False)
    written = pd.read_csv(save(mixed, state, tmp_path / "age.csv", "age, in years"))
    assert written.columns.tolist() == known.columns.tolist()
    assert written["feature"].unique().tolist() == ["age, in years"]
    for name in known.columns.drop("feature"):
        assert_allclose(written[name], known[name], rtol=1e-12)


def test_slopes_are_of_features_with_an_order_and_others_have_curves(mixed, tmp_path):
    """As they are drawn."""
    state = ViewState(kind="d-ice")
    every = pd.read_csv(save(mixed, state, tmp_path / "all.csv", "all"))
    assert set(every["feature"]) == set(mixed._labels) - {"#town"}
    town = pd.read_csv(save(mixed, state, tmp_path / "town.csv", "#town"))
    assert town["value"].tolist() == mixed.to_frame("#town")["value"].tolist()
    assert_allclose(town["prediction"], mixed["#town"].curves.ravel(), rtol=1e-12)


def test_the_anchor_of_a_view_is_a_place_on_the_axis(tmp_path):
    """Also on levels that are numbers: 0 is the first of them."""
    X = pd.DataFrame({"level": pd.Categorical([3, 1, 2] * 5)})
    e = ice.explain(lambda rows: rows["level"].astype(float).to_numpy() ** 2, X, progress=False)
    file = save(e, ViewState(kind="c-ice", anchor=1.0), tmp_path / "level.csv", "level")
    changes = pd.read_csv(file).groupby("value")["change"].first()
    assert changes.to_dict() == {1: -3, 2: 0, 3: 5}


def test_labels_of_rows_of_several_types_are_written(tmp_path):
    """As text."""
    X = pd.DataFrame({"x0": [1.0, 2.0, 3.0]}, index=["a", 2, ("b", 3)])
    e = ice.explain(lambda rows: rows["x0"].to_numpy(), X, progress=False)
    for table in (
        pd.read_csv(e.save(tmp_path / "x.csv", "x0")),
        pd.read_parquet(e.save(tmp_path / "x.parquet", "x0")),
    ):
        assert table["row_label"].unique().tolist() == ["a", "2", "('b', 3)"]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_moments_are_written_as_moments(tmp_path, unit):
    """Whatever they are counted in: pandas counted nanoseconds before it counted microseconds."""
    X = pd.DataFrame({"since": pd.date_range("2020-01-01", periods=9).as_unit(unit), "one": np.arange(9.0)})
    e = ice.explain(lambda rows: rows["since"].dt.day.to_numpy() + rows["one"].to_numpy(), X, progress=False)
    assert set(pd.read_parquet(e.save(tmp_path / "since.parquet", "since"))["value"]) == set(X["since"])
    written = pd.read_csv(e.save(tmp_path / "since.csv", "since"))
    assert set(pd.to_datetime(written["value"])) == set(X["since"])


def test_curves_of_one_feature_keep_its_type_and_of_several_are_text(mixed, tmp_path):
    """Parquet holds dates as dates; where towns, dates and numbers share a column they are texts with a number."""
    alone = pd.read_parquet(mixed.save(tmp_path / "since.parquet", "since"))
    assert alone["value"].dtype.kind == "M"
    assert set(alone["value"]) == set(pd.to_datetime(mixed["since"].grid))
    several = pd.read_parquet(mixed.save(tmp_path / "all.parquet", "all"))
    towns = several[several["feature"] == "#town"]
    assert set(towns["value"]) == {"Oslo #1", 'a "b"', "c,d"}
    assert set(towns["axis"]) == {0.0, 1.0, 2.0}
    ages = several[(several["feature"] == "age, in years") & several["value"].notna()]
    assert_array_equal(ages["value"].astype(float), ages["axis"])


def test_json_holds_everything_and_no_nan(mixed, tmp_path):
    """What is undefined is null; predictions are those of the rows it names."""

    def refuse(word):
        raise AssertionError(word)

    path = mixed.save(tmp_path / "all.json", max_lines=15)
    found = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    assert set(found) == {"provenance", "notes", "metrics", "curves"}
    assert found["provenance"]["grid"] == "observed"
    by_feature = {entry["feature"]: entry for entry in found["metrics"]}
    assert by_feature["#town"]["direction"] is None
    age = next(entry for entry in found["curves"] if entry["feature"] == "age, in years")
    predictions = mixed["age, in years"].compute_curves(age["rows"])
    assert_allclose(age["predictions"], predictions, rtol=1e-12)
    assert_allclose(age["missing"], mixed["age, in years"]._missing_rows(age["rows"]), rtol=1e-12)
    assert np.shape(age["likelihood"]) == (len(age["rows"]), len(age["axis"]))
    since = next(entry for entry in found["curves"] if entry["feature"] == "since")
    assert (since["grid"][0], since["missing"]) == ("2020-01-01 00:00:00", None)


# --- spreadsheets ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def formulas():
    """Names and levels that a spreadsheet would run."""
    generator = np.random.default_rng(5)
    X = pd.DataFrame(
        {
            "=1+1": generator.normal(size=40),
            "a,=2+2,b": generator.choice(["=cmd|' /C calc'!A0", "@SUM(A1)", "-1", "x;=3+3;y", "Oslo"], 40),
            "-since": pd.to_timedelta(generator.integers(-3, 3, 40), unit="D"),
        }
    )

    def model(rows):
        return rows["=1+1"].to_numpy() + (rows["a,=2+2,b"] == "Oslo") * 2.0 + rows["-since"].dt.days.to_numpy()

    return ice.explain(model, X, progress=False)


@pytest.mark.parametrize("what", ["view", "all"])
def test_no_cell_of_a_csv_is_a_formula(formulas, tmp_path, what):
    """Texts have an apostrophe in front; numbers are neither changed nor quoted."""
    path = save(formulas, ViewState(feature="=1+1", color_by="a,=2+2,b"), tmp_path / "safe.csv", what)
    with path.open(encoding="utf-8", newline="") as file:
        cells = [cell for line in csv.reader(file) for cell in line]
    is_number = re.compile(r"[+-]?[0-9.]+(e[+-]?[0-9]+)?").fullmatch
    assert [cell for cell in cells if cell[:1] in tuple("=+-@\t\r\n") and not is_number(cell)] == []
    assert not re.search(r'(^|,)"[+-]?[0-9.]+(e[+-]?[0-9]+)?"(,|$)', path.read_text(encoding="utf-8")) or what == "all"
    table = pd.read_csv(path)
    assert {"'=1+1", "a,=2+2,b", "'-since"} == set(table["feature"])
    if what == "view":
        known = formulas.table()
        assert_allclose(table["impact"], known["impact"], rtol=1e-15)
        return
    values = set(table[table["feature"] == "a,=2+2,b"]["value"])
    assert values == {"'=cmd|' /C calc'!A0", "'@SUM(A1)", "-1", "x;=3+3;y", "Oslo"}
