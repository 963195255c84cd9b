"""The data of the paper, so that its tables can be made again."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from ice_explorer.errors import ICEExplorerError, MissingDependencyError
from ice_explorer.tracebacks import short_traceback

_VARIABLE = "ICE_EXPLORER_DATA"
_URL = "https://archive.ics.uci.edu/ml/machine-learning-databases/00383/risk_factors_cervical_cancer.csv"
_SHA256 = "8df193ad5c9ff4288fb4c401eef70dcd2cbda404ce7f82ac74c68cfc960ab063"
_FILE_NAMES = ("risk_factors_cervical_cancer.csv", "raw.csv")
_TARGET = "Biopsy"
_OTHER_TARGETS = ["Hinselmann", "Schiller", "Citology"]


class DatasetError(ICEExplorerError, OSError):
    """A data set is not where it should be, or is not what it should be."""

    @classmethod
    def not_found(cls, place: str, path: Path) -> DatasetError:
        """Say where the file was looked for."""
        names = " or ".join(repr(name) for name in _FILE_NAMES)
        return cls(
            f"{place} must be the cervical cancer file or a folder that holds it as {names}; "
            f"there is none at {str(path)!r}. Leave it out to download the file from UCI."
        )

    @classmethod
    def other_columns(cls, path: Path, missing: list[str]) -> DatasetError:
        """Say which columns show that this is another file."""
        return cls(
            f"The cervical cancer file must have the targets {_TARGET!r}, "
            f"{', '.join(map(repr, _OTHER_TARGETS))}; {str(path)!r} has no {', '.join(map(repr, missing))}. "
            "Pass the file as UCI distributes it."
        )

    @classmethod
    def not_downloaded(cls, url: str, error: Exception) -> DatasetError:
        """Say what went wrong and how to do without the download."""
        cause = f"{type(error).__name__}: {str(error).rstrip('.')}"
        return cls(
            f"The cervical cancer file could not be downloaded from {url}: {cause}. "
            f"Get it by other means and pass its path, or set ${_VARIABLE} to it."
        )


@short_traceback
def load_cervical_cancer(path: str | os.PathLike[str] | None = None) -> tuple[pd.DataFrame, pd.Series]:
    """Read the cervical cancer risk factors of 858 patients, as the paper analyses them.

    The target is the result of the biopsy; the three other targets of the file are dropped.
    A missing value ("?" in the file) is replaced by the mean of its column.

    Parameters
    ----------
    path : path-like, optional
        The file as UCI distributes it, or a folder that holds it. By default the path in the
        environment variable ``ICE_EXPLORER_DATA``; where that is not set either, the file is
        downloaded once (100 kB) and kept in the user's cache folder.

    Returns
    -------
    X : DataFrame of shape (858, 32)
        Risk factors, float64.
    y : Series of shape (858,)
        1.0 where the biopsy was positive, else 0.0; named "Biopsy".

    Raises
    ------
    DatasetError
        If there is no such file, it is another file, or the download fails or is corrupted.
    MissingDependencyError
        If the file must be downloaded and pooch is not installed.

    Notes
    -----
    Fernandes, Cardoso and Fernandes (2017), Cervical Cancer (Risk Factors), UCI Machine Learning
    Repository, https://doi.org/10.24432/C5Z310, CC BY 4.0.
    """
    file = _find(path)
    table = pd.read_csv(file, na_values="?")
    missing = [name for name in [_TARGET, *_OTHER_TARGETS] if name not in table.columns]
    if missing:
        raise DatasetError.other_columns(file, missing)
    table = table.astype("float64")
    y = table.pop(_TARGET)
    X = table.drop(columns=_OTHER_TARGETS)
    return X.fillna(X.mean()), y


def _find(path: str | os.PathLike[str] | None) -> Path:
    """Locate the file: as asked, else as the environment says, else in the cache."""
    if path is not None:
        return _file_at(Path(path), "`path`")
    if variable := os.environ.get(_VARIABLE):
        return _file_at(Path(variable), f"${_VARIABLE}")
    return _download()


def _file_at(path: Path, place: str) -> Path:
    """Accept the file itself, its folder, or the folder of several data sets."""
    folders = [path, path / "cervical_cancer"]
    candidates = [path, *(folder / name for folder in folders for name in _FILE_NAMES)]
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    raise DatasetError.not_found(place, path)


def _download(url: str = _URL, cache: Path | None = None) -> Path:
    """Fetch the file once and check that it is the one the paper used."""
    try:
        import pooch
    except ImportError as error:
        what = "Downloading the cervical cancer data"
        raise MissingDependencyError.extra(what, "pooch", "datasets") from error
    folder = pooch.os_cache("ice-explorer") if cache is None else cache
    # Read at once, not as a stream: where the server refuses, pooch leaves a stream's connection open.
    downloader = pooch.HTTPDownloader(stream=False)
    try:
        path = pooch.retrieve(
            url, known_hash=f"sha256:{_SHA256}", fname=_FILE_NAMES[0], path=folder, downloader=downloader
        )
    except (OSError, ValueError) as error:  # ValueError is pooch's word for a wrong checksum
        raise DatasetError.not_downloaded(url, error) from error
    return Path(path)
