"""The data set of the paper, included in the package."""

from __future__ import annotations

from importlib import resources

import pandas as pd

from ice_explorer.errors.tracebacks import short_traceback

__all__ = ["load_cervical_cancer"]

_TARGET = "Biopsy"
_OTHER_TARGETS = ["Hinselmann", "Schiller", "Citology"]


@short_traceback
def load_cervical_cancer() -> tuple[pd.DataFrame, pd.Series]:
    """Return the cervical cancer risk factors of 858 patients, prepared as in the paper.

    The target is the result of the biopsy; the three other targets of the file are dropped.
    Missing values are replaced by the mean of their column.

    Returns
    -------
    X : DataFrame of shape (858, 32)
        Risk factors, float64.
    y : Series of shape (858,)
        1.0 where the biopsy was positive, else 0.0; named "Biopsy".

    Notes
    -----
    The file comes with the package, so no network is needed. Source: Fernandes, Cardoso and
    Fernandes (2017), Cervical Cancer (Risk Factors), UCI Machine Learning Repository,
    https://doi.org/10.24432/C5Z310, CC BY 4.0.

    Examples
    --------
    >>> X, y = load_cervical_cancer()
    >>> X.shape, int(y.sum())
    ((858, 32), 55)
    """
    with resources.files("ice_explorer").joinpath("data", "cervical_cancer.csv.gz").open("rb") as file:
        table = pd.read_csv(file, compression="gzip", na_values="?").astype("float64")
    y = table.pop(_TARGET)
    X = table.drop(columns=_OTHER_TARGETS)
    return X.fillna(X.mean()), y


def __dir__() -> list[str]:
    return __all__
