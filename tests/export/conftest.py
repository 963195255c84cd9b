"""Columns of several kinds, with names and values that files might stumble over, and a model of them."""

import comm
import numpy as np
import pandas as pd
import pytest
from kernel_end import Wire
from origins import read_provenance

import ice_explorer as ice


@pytest.fixture(scope="package")
def table():
    generator = np.random.default_rng(3)
    X = pd.DataFrame(
        {
            "age, in years": generator.integers(20, 40, 60).astype(float),
            "#town": generator.choice(["Oslo #1", 'a "b"', "c,d"], 60),
            "AGE in years": generator.normal(size=60),
            "since": pd.date_range("2020-01-01", periods=60),
        }
    )
    X.loc[5, "age, in years"] = np.nan
    return X


def mixed_model(rows):
    towns = rows["#town"].map({"Oslo #1": 0.0, 'a "b"': 1.0, "c,d": 3.0}).astype(float).to_numpy()
    ages = rows["age, in years"].fillna(50.0).to_numpy()
    return towns * ages + rows["AGE in years"].to_numpy() ** 2 + rows["since"].dt.day_of_year.to_numpy() / 100


@pytest.fixture(scope="package")
def mixed(table):
    return ice.explain(mixed_model, table, progress=False)


@pytest.fixture
def explorer_of(monkeypatch, table):
    """Make an explorer of the model, closed after the test."""
    monkeypatch.setattr(comm, "create_comm", Wire)
    explorers = []

    def make(*y, **options):
        explorers.append(ice.ICEExplorer(mixed_model, table, *y, **options))
        return explorers[-1]

    yield make
    for explorer in explorers:
        explorer.close()


@pytest.fixture
def same_again(monkeypatch, tmp_path, table):
    """Run the line of code of a file in another folder, and return whether it writes the same bytes."""
    monkeypatch.setattr(comm, "create_comm", Wire)

    def run(path, **more):
        folder = tmp_path / "again"
        folder.mkdir(exist_ok=True)
        monkeypatch.chdir(folder)
        scope = {"ice_explorer": ice, "model": mixed_model, "X": table, **more}
        exec(read_provenance(path)["code"], scope)  # noqa: S102 - what users are told to paste
        scope["x"].close()
        return (folder / path.name).read_bytes() == path.read_bytes()

    return run
