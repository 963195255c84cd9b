"""The recipes of the guide on clusters are run, with what stands for a cluster: it sends everything as pickles."""

import re
import sys
from functools import reduce
from types import SimpleNamespace

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import HistGradientBoostingRegressor

import ice_explorer as ice

pytestmark = [pytest.mark.current, pytest.mark.wide]


@pytest.fixture(scope="module")
def recipes(root):
    """Blocks of the guide that define a function, up to where they call it."""
    text = (root / "notebooks" / "guides" / "clusters.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    return {re.search(r"def (\w+)", block)[1]: block.partition("\ne = ")[0] for block in blocks if "def " in block}


@pytest.fixture(scope="module", name="X")
def table():
    """Numbers of few values."""
    return pd.DataFrame(np.random.default_rng(0).integers(0, 9, size=(300, 2)).astype(float), columns=["a", "b"])


@pytest.fixture(scope="module")
def model(X):
    """A model of trees."""
    return HistGradientBoostingRegressor(max_iter=5, random_state=0).fit(X, X["a"] * X["b"])


def sent(thing):
    """What another process gets."""
    return cloudpickle.loads(cloudpickle.dumps(thing))


class Frame:
    """A Spark DataFrame in this process: partitions are iterated over in batches, one is empty."""

    def __init__(self, partitions):
        self.partitions = partitions
        self.rdd = self

    def mapInPandas(self, function, _schema):  # noqa: N802 - as Spark has it
        """Compute each partition."""
        found = []
        for number, rows in enumerate(self.partitions):
            Frame.at = number
            batches = (rows.iloc[at : at + 30] for at in range(0, len(rows), 30))
            found += [pd.concat(list(sent(function)(batches)))]
        return Frame(found)

    def map(self, function):
        """Turn rows of tables into objects."""
        return Frame([[sent(function)(row) for row in rows.itertuples()] for rows in self.partitions])

    def treeReduce(self, function):  # noqa: N802
        """Merge two by two."""
        return reduce(sent(function), [each for found in self.partitions for each in found])


@pytest.fixture
def spark(monkeypatch):
    """A module with what the recipe imports."""
    context = SimpleNamespace(get=lambda: SimpleNamespace(partitionId=lambda: Frame.at))
    monkeypatch.setitem(sys.modules, "pyspark", SimpleNamespace(TaskContext=context))


def assert_same(found, expected):
    """Every metric of every feature."""
    columns = expected.table().columns
    assert_allclose(found.table()[columns], expected.table()[columns], rtol=1e-10, atol=1e-13)


def defined_by(recipe):
    """Names that a block of the guide defines."""
    names = {}
    exec(compile(recipe, "clusters.md", "exec"), names)  # noqa: S102 - the guide is ours
    return names


@pytest.mark.usefixtures("spark")
def test_the_recipe_for_spark(recipes, model, X):
    """It gives what one machine gives."""
    frame = Frame([X.iloc[:100], X.iloc[100:100], X.iloc[100:]])
    explain_on_spark = defined_by(recipes["explain_on_spark"])["explain_on_spark"]
    assert_same(explain_on_spark(model, frame), ice.explain(model, X))


def test_the_recipe_for_ray(recipes, model, X, monkeypatch):
    """References are the objects themselves; more partitions than are merged at a time make a tree."""

    def remote(function):
        return SimpleNamespace(remote=lambda *arguments, **options: sent(sent(function)(*arguments, **options)))

    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(remote=remote, put=sent, get=sent))
    explain_on_ray = defined_by(recipes["explain_on_ray"])["explain_on_ray"]
    partitions = [X.iloc[at : at + 30] for at in range(0, 300, 30)]
    assert_same(explain_on_ray(model, partitions, decay=0.5), ice.explain(model, X, decay=0.5))
