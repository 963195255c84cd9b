"""The paper's data: where it is looked for, how it is cleaned, and how a download fails."""

import http.server
import shutil
import sys
import threading
from functools import partial

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal, assert_series_equal

from ice_explorer import datasets
from ice_explorer.datasets import DatasetError, load_cervical_cancer
from ice_explorer.errors import MissingDependencyError


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log line for each."""

    def log_message(self, *args):
        pass


@pytest.fixture
def published(tmp_path):
    """A web server on this machine, and the folder it serves."""
    folder = tmp_path / "published"
    folder.mkdir()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/data.csv", folder / "data.csv"
        server.shutdown()
        thread.join()


def test_the_data_equals_that_of_the_paper(cervical_folder):
    """Reading "?" as missing, dropping three targets and filling in means gives X.csv and y.csv.

    The last digits of a mean depend on the order in which numpy adds.
    """
    X, y = load_cervical_cancer(cervical_folder / "raw.csv")
    assert_frame_equal(X, pd.read_csv(cervical_folder / "X.csv"), rtol=1e-12, atol=0)
    assert_series_equal(y, pd.read_csv(cervical_folder / "y.csv")["Biopsy"], check_exact=True)


@pytest.mark.parametrize("path", [".", "cervical_cancer", "cervical_cancer/raw.csv"])
@pytest.mark.parametrize("through", ["argument", "environment"])
def test_the_file_is_found_by_its_path_and_by_its_folder(shared, monkeypatch, path, through):
    """A path may name the file, its folder or the folder above, as an argument or in the environment."""
    place = shared / "data" / path
    monkeypatch.setenv("ICE_EXPLORER_DATA", "/nowhere" if through == "argument" else str(place))
    X, y = load_cervical_cancer(place) if through == "argument" else load_cervical_cancer()
    assert X.shape == (858, 32)
    assert y.sum() == 55


def test_a_path_without_the_file_is_an_error_and_never_a_download(tmp_path, monkeypatch):
    """What is named must exist; nothing is fetched in its place."""
    advice = "Leave it out to download the file from UCI."
    names = "'risk_factors_cervical_cancer.csv' or 'raw.csv'"
    with pytest.raises(DatasetError) as error:
        load_cervical_cancer(tmp_path)
    assert str(error.value) == (
        "`path` must be the cervical cancer file or a folder that holds it as "
        f"{names}; there is none at {str(tmp_path)!r}. {advice}"
    )
    monkeypatch.setenv("ICE_EXPLORER_DATA", str(tmp_path / "none.csv"))
    with pytest.raises(DatasetError) as error:
        load_cervical_cancer()
    assert str(error.value) == (
        "$ICE_EXPLORER_DATA must be the cervical cancer file or a folder that holds it as "
        f"{names}; there is none at {str(tmp_path / 'none.csv')!r}. {advice}"
    )


def test_another_file_is_recognised_by_its_columns(tmp_path):
    """A table without the four targets is not the cervical cancer file."""
    path = tmp_path / "raw.csv"
    path.write_text("Age,Schiller,Citology\n18,0,0\n")
    with pytest.raises(DatasetError) as error:
        load_cervical_cancer(path)
    assert str(error.value) == (
        "The cervical cancer file must have the targets 'Biopsy', 'Hinselmann', 'Schiller', 'Citology'; "
        f"{str(path)!r} has no 'Biopsy', 'Hinselmann'. Pass the file as UCI distributes it."
    )


def test_the_file_is_downloaded_once(cervical_folder, published, tmp_path):
    """The download is the file itself; a second call takes it from the cache, server or not."""
    url, file = published
    shutil.copy(cervical_folder / "raw.csv", file)
    first = datasets._download(url, tmp_path / "cache")
    file.unlink()
    assert datasets._download(url, tmp_path / "cache") == first
    assert first.read_bytes() == (cervical_folder / "raw.csv").read_bytes()


def test_a_corrupted_download_is_refused(published, tmp_path):
    """A file with another checksum is an error that says what to do, and is not kept."""
    url, file = published
    file.write_text("Age,Biopsy\n18,0\n")
    with pytest.raises(DatasetError, match="does not match the known hash") as error:
        datasets._download(url, tmp_path / "cache")
    assert str(error.value).startswith(f"The cervical cancer file could not be downloaded from {url}: ValueError: ")
    assert str(error.value).endswith(". Get it by other means and pass its path, or set $ICE_EXPLORER_DATA to it.")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_failed_download_names_its_address(published, tmp_path):
    """What is not there cannot be fetched, and the error says from where."""
    url, _ = published
    with pytest.raises(DatasetError) as error:
        datasets._download(url, tmp_path / "cache")
    assert str(error.value) == (
        f"The cervical cancer file could not be downloaded from {url}: HTTPError: 404 Client Error: File not found "
        f"for url: {url}. Get it by other means and pass its path, or set $ICE_EXPLORER_DATA to it."
    )


def test_a_download_without_pooch_names_the_extra(monkeypatch):
    """The extra that brings pooch is named where pooch is missing."""
    monkeypatch.delenv("ICE_EXPLORER_DATA", raising=False)
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(MissingDependencyError) as error:
        load_cervical_cancer()
    assert str(error.value) == (
        "Downloading the cervical cancer data needs pooch, which is not installed. "
        "Run `pip install 'ice-explorer[datasets]'`."
    )
