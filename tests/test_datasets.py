"""The paper's data: what ships with the package is the file as distributed, cleaned as in the paper."""

import gzip
import hashlib
from importlib import resources

import pandas as pd
from pandas.testing import assert_frame_equal, assert_series_equal

from ice_explorer.datasets import load_cervical_cancer

SHA256_AT_UCI = "8df193ad5c9ff4288fb4c401eef70dcd2cbda404ce7f82ac74c68cfc960ab063"


def test_the_file_is_the_one_that_uci_distributes():
    """The packaged file is compressed and otherwise unchanged, byte for byte."""
    packed = resources.files("ice_explorer").joinpath("data", "cervical_cancer.csv.gz").read_bytes()
    assert hashlib.sha256(gzip.decompress(packed)).hexdigest() == SHA256_AT_UCI


def test_the_data_equal_those_of_the_paper(shared):
    """Reading "?" as missing, dropping three targets and filling in means gives X.csv and y.csv.

    The last digits of a mean depend on the order in which numpy adds.
    """
    X, y = load_cervical_cancer()
    folder = shared / "data" / "cervical_cancer"
    assert_frame_equal(X, pd.read_csv(folder / "X.csv"), rtol=1e-12, atol=0)
    assert_series_equal(y, pd.read_csv(folder / "y.csv")["Biopsy"], check_exact=True)
