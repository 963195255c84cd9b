"""What type checkers say about code that uses the package: nothing where it is right, an error where it is not."""

import inspect
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

import ice_explorer as ice
from ice_explorer.explain_model import ExplainOptions
from ice_explorer.explanation import PlotOptions
from ice_explorer.figures.effects import plot_effects, plot_pair
from ice_explorer.figures.plot import plot_curves, plot_panels, plot_ranking
from ice_explorer.results.options import OF_EXPLORERS, Options

# Types of the README's other libraries, which publish none.
STUBS = {
    "sklearn/__init__.pyi": "",
    "sklearn/datasets.pyi": "def load_diabetes(**options: bool) -> tuple[Any, Any]: ...",
    "sklearn/ensemble.pyi": "".join(
        f"class {name}:\n"
        "    def __init__(self, **options: float) -> None: ...\n"
        f"    def fit(self, X: Any, y: Any) -> {name}: ...\n"
        "    def predict(self, X: Any) -> Any: ...\n"
        for name in ("RandomForestRegressor", "GradientBoostingRegressor")
    ),
    "ipywidgets/__init__.pyi": "def VBox(children: list[Any]) -> Any: ...\n"
    "def GridBox(children: list[Any], layout: Any) -> Any: ...",
}
START = """from pathlib import Path
from typing import Any

import ice_explorer as ice
from matplotlib.axes import Axes
from matplotlib.figure import Figure

def use(model: Any, X: Any, e: ice.Explanation, x: ice.ICEExplorer) -> None:
"""
RIGHT = [
    'e.save("a.svg").unlink()',
    'e.save("a.svg", width="89mm").unlink()',
    'figure: Figure = e.plot(["age"])',
    'axes: Axes = e.plot("age", color_by="sex")',
    'x.save("a.svg", "panel").unlink()',
    'path: Path = x.save("all.pdf", "all")',
    "impact: float = e['age'].metrics()['impact']",
    "summary: str = e['age'].drivers_summary",
    'x.feature, x.kind, x.decay, x.selection = "age", "c-ice", 0.5, [0, 17]',
    "rows: list[int] = x.selection",
    "table: Any = x.table",
    "labels: list[str] = [f.label for f in e.values()]",
]
WRONG = [
    "ice.explain(model, X, grid_sise=3)",
    'ice.explain(model, X, grid="quantiles")',
    "ice.explain(model, X, target=1)",
    "ice.ICEExplorer(model, X, grid_sise=3)",
    'e.table(sortby="impact")',
    'e.table(rank_by="impact", unit="percent")',
    "x.table = e.table()",
    'e.drivers("age", n=3)',
    'e.plot("age", colour_by="sex")',
    'e["age"].plot(colour_by="sex")',
    "x.figure(colour_by=3)",
    'e.to_frame("age", "both")',
    'e.save("a.svg", colour_by="sex")',
    'x.save("a.svg", overwrit=True)',
    'x.kind = "c-ic"',
    'x.decay = "0.5"',
]


@pytest.fixture(scope="module")
def readme(root):
    """The Python blocks of the README and of the guide that continues it, as a user's file."""
    pages = [root / "README.md", root / "notebooks" / "guides" / "python.md"]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    return "\n".join(re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE))


@pytest.fixture(scope="module")
def files(readme, tmp_path_factory):
    """A folder of a user: the README, what is right, what is wrong, and types of other libraries."""
    folder = tmp_path_factory.mktemp("user")
    (folder / "readme.py").write_text(readme, encoding="utf-8")
    for name, lines in (("right", RIGHT), ("wrong", WRONG)):
        (folder / f"{name}.py").write_text(START + "".join(f"    {line}\n" for line in lines), encoding="utf-8")
    for name, text in STUBS.items():
        stub = folder / "typings" / name
        stub.parent.mkdir(parents=True, exist_ok=True)
        stub.write_text(f"from typing import Any\n{text}\n", encoding="utf-8")
    return folder


def by_mypy(files, root):
    """Files and lines with an error of mypy, in strict mode."""
    command = [
        sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--config-file=", "--no-error-summary",
        "--hide-error-context", f"--cache-dir={root / '.mypy_cache' / 'users'}", "readme.py", "right.py", "wrong.py",
    ]  # fmt: skip
    path = os.pathsep.join([str(files / "typings"), str(root / "src")])
    done = subprocess.run(
        command, cwd=files, env={**os.environ, "MYPYPATH": path}, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return {(name, int(line)) for name, line in re.findall(r"^(\w+)\.py:(\d+): error:", done.stdout, re.MULTILINE)}


def by_pyright(files, root):
    """Files and lines with an error of pyright, in strict mode."""
    if shutil.which("node") is None:
        pytest.skip("pyright runs in Node")
    pytest.importorskip("pyright")
    idle = dict.fromkeys(["reportUnusedVariable", "reportUnusedImport"], False)  # in the lines above
    settings = {"typeCheckingMode": "strict", "extraPaths": [str(root / "src")], "ignore": ["typings"], **idle}
    (files / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    done = subprocess.run(command, cwd=files, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    assert all("range" in one for one in found), found
    return {(one["file"].rpartition("/")[2].removesuffix(".py"), one["range"]["start"]["line"] + 1) for one in found}


@pytest.mark.slow
@pytest.mark.current
@pytest.mark.timeout(300)
@pytest.mark.parametrize("check", [by_mypy, by_pyright], ids=["mypy", "pyright"])
def test_right_code_passes_and_each_mistake_is_an_error(check, files, root):
    """In strict mode: the README passes, and a misspelt option, value or trait is found in its line."""
    first = START.count("\n") + 1
    assert check(files, root) == {("wrong", line) for line in range(first, first + len(WRONG))}


@pytest.mark.slow
@pytest.mark.current
@pytest.mark.timeout(300)
def test_pyright_finds_a_misspelt_trait(tmp_path, root):
    """To mypy an explorer has every attribute, because ipywidgets publishes no types."""
    (tmp_path / "traits.py").write_text(f"{START}    x.decay = 0.5\n    x.decai = 0.5\n", encoding="utf-8")
    assert by_pyright(tmp_path, root) == {("traits", START.count("\n") + 2)}


@pytest.mark.parametrize(
    ("options", "function"),
    [
        (ExplainOptions, ice.explain),
        (PlotOptions, ice.Explanation.plot),
    ],
)
def test_options_that_are_passed_on_are_those_of_the_function(options, function):
    """A keyword that is added to one of them is seen by type checkers everywhere."""
    parameters = inspect.signature(function).parameters.values()
    if options is PlotOptions:  # of all figures, which `plot` tells apart
        figures = (plot_ranking, plot_curves, plot_effects, plot_pair, plot_panels)
        parameters = [one for each in figures for one in inspect.signature(each).parameters.values()]
        parameters = [one for one in parameters if one.name not in {"besides", "kind"}]
    assert options.__annotations__.keys() == {one.name for one in parameters if one.kind is one.KEYWORD_ONLY}


def test_the_signature_of_explain_is_its_options():
    """With the types that type checkers know; so are those of the explorer."""
    options = inspect.signature(Options).parameters
    assert list(inspect.signature(ice.explain).parameters) == ["model", "X", "y", *options]
    for name, option in options.items():
        assert option.annotation == ExplainOptions.__annotations__[name].__forward_arg__
    of_explorer = [name for name in options if name != "budget"]
    assert list(inspect.signature(ice.ICEExplorer).parameters)[-len(of_explorer) :] == of_explorer == list(OF_EXPLORERS)
