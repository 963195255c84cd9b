"""CSV files are plain tables; their provenance is in a JSON file next to them."""

import io
import json
import os
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import ice_explorer as ice
from ice_explorer.errors import ExportError
from ice_explorer.export import regular_files
from ice_explorer.export.save import file_bytes


@pytest.fixture(scope="module")
def explanation():
    X = np.random.default_rng(7).normal(size=(40, 3))
    return ice.explain(lambda X: np.tanh(2 * X[:, 0]) * X[:, 1] + X[:, 2], X, progress=False)


def test_pandas_reads_a_table_of_metrics_without_options(explanation, tmp_path):
    """The header comes first; the numbers are those of `table`."""
    table = pd.read_csv(explanation.save(tmp_path / "ranking.csv"), index_col="feature")
    known = explanation.table()
    pd.testing.assert_frame_equal(table[known.columns], known)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["ranking.csv", "ranking.csv.json"]


def test_provenance_is_in_a_json_file_next_to_the_table(explanation, tmp_path):
    """Of one table, and of one per feature; `provenance` returns what the file has."""
    for file in explanation.save(tmp_path / "{feature}.csv", "all"):
        origin = ice.provenance(file)
        assert origin == json.loads((tmp_path / f"{file.name}.json").read_text(encoding="utf-8"))
        assert origin == ice.provenance(f"{file}.json")
        assert (origin["feature"], origin["decay"]) == (file.stem, 0.75)
        assert origin["code"].endswith(f"x.save({file.name!r}, {file.stem!r})")
    assert len(list(tmp_path.iterdir())) == 6


def test_a_table_without_its_provenance_is_named(explanation, tmp_path):
    """The error names the file that is missing; the table can still be read."""
    path = explanation.save(tmp_path / "ranking.csv")
    path.with_name("ranking.csv.json").unlink()
    with pytest.raises(ExportError) as refused:
        ice.provenance(path)
    assert str(refused.value) == (
        f"The provenance of a CSV must be next to it; {str(path)!r} has no 'ranking.csv.json'. "
        "Keep both files together, or save the table again."
    )


@pytest.mark.parametrize("what", ["view", "all"])
def test_neither_file_is_overwritten_unless_requested(explanation, tmp_path, what):
    """A JSON file of this name stops the export before anything is written; `overwrite=True` replaces both."""
    name = "x2" if what == "all" else "ranking"
    path, origin = tmp_path / f"{name}.csv", tmp_path / f"{name}.csv.json"
    origin.write_text("precious")
    target = tmp_path / ("{feature}.csv" if what == "all" else path.name)
    with pytest.raises(ExportError, match=r"`path` must not exist yet; there is a file at .*\.csv\.json"):
        explanation.save(target, what)
    assert [file.name for file in tmp_path.iterdir()] == [origin.name]
    assert origin.read_text() == "precious"
    explanation.save(target, what, overwrite=True)
    assert "code" in ice.provenance(path)
    assert len(list(tmp_path.iterdir())) == (6 if what == "all" else 2)


def test_a_table_that_is_replaced_never_has_the_provenance_of_the_former_one(explanation, tmp_path, monkeypatch):
    """Where the disk fills up between the two files, the provenance is gone, and `provenance` says so."""
    path = explanation.save(tmp_path / "ranking.csv", decay=0.5)
    synced = iter([None, OSError(28, "No space left on device")])

    def fails_second(_descriptor):
        if (error := next(synced, None)) is not None:
            raise error

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fails_second)
        patched.setattr(regular_files, "_sync_folder", lambda _: None)
        with pytest.raises(ExportError, match="No space left on device"):
            explanation.save(path, decay=1.0, overwrite=True)
    table = pd.read_csv(path, index_col="feature")
    assert_allclose(table["in_distribution_impact"], table["impact"])  # that of decay 1
    with pytest.raises(ExportError, match=r"has no 'ranking\.csv\.json'"):
        ice.provenance(path)


@pytest.mark.skipif(sys.platform == "win32", reason="links of Unix")
def test_the_provenance_follows_a_link(explanation, tmp_path):
    """What a link leads to is replaced, with its provenance."""
    path, link = explanation.save(tmp_path / "ranking.csv", decay=0.5), tmp_path / "latest.csv"
    link.symlink_to(path.name)
    explanation.save(link, decay=1.0, overwrite=True)
    assert ice.provenance(path) == ice.provenance(link)
    assert ice.provenance(path)["decay"] == 1.0


def test_a_download_is_the_table_alone(explanation):
    """One click gives one file; JSON has the provenance inside."""
    content = file_bytes(explanation, {"feature": "x0"}, "curves.csv", "panel", spreadsheet=True)
    assert set(pd.read_csv(io.BytesIO(content))["feature"]) == {"x0"}
    assert "code" in json.loads(file_bytes(explanation, {"feature": "x0"}, "curves.json", "panel"))["provenance"]
