"""What ships: the distributions are built, and the wheel is tried where there is no source."""

import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import ice_explorer
from ice_explorer.wire.messages import PROTOCOL_VERSION

pytestmark = [
    pytest.mark.slow,
    pytest.mark.current,
    pytest.mark.timeout(600),  # it builds and installs, which takes as long as the machine and the index take
]

USE = """
import importlib.resources, json, sys
import numpy as np
import ice_explorer as ice
from ice_explorer.wire import messages
from sklearn.linear_model import LinearRegression

X = np.random.default_rng(0).normal(size=(20, 2))
explorer = ice.ICEExplorer(LinearRegression().fit(X, X @ [1.0, -2.0]), X)
ranking = list(explorer.table.index)
explorer.close()
package = importlib.resources.files("ice_explorer")
print(json.dumps({
    "file": ice.__file__,
    "version": ice.__version__,
    "protocol": messages.PROTOCOL_VERSION,
    "path": sys.path,
    "bundle": package.joinpath("static", "explorer.js").read_text(encoding="utf-8"),
    "typed": package.joinpath("py.typed").is_file(),
    "ranking": ranking,
    "shape": ice.datasets.load_cervical_cancer()[0].shape,
}))
"""
STATIC = ["explorer.css", "explorer.js", "frozen.css", "frozen.js", "loader.js"]
EXTENSION = "share/jupyter/labextensions/ice-explorer"


ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


@pytest.fixture(scope="module")
def sdist(root, tmp_path_factory):
    """The source distribution of this checkout, whose front end `make` has built."""
    folder = tmp_path_factory.mktemp("sdist")
    subprocess.run(
        [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", folder, root],
        check=True,
        capture_output=True,
    )
    (path,) = folder.glob("*.tar.gz")
    return path


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory):
    """The wheel of the unpacked source distribution, built where no program at all is on PATH."""
    folder = tmp_path_factory.mktemp("wheel")
    careful = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # from Python 3.11.4 on
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, **careful)  # noqa: S202 - our own
    (source,) = folder.iterdir()
    (folder / "empty").mkdir()
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, source],
        check=True,
        capture_output=True,
        env=os.environ | {"PATH": str(folder / "empty")},
    )
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, root, tmp_path_factory):
    """A Python with the wheel and what it depends on, and nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    constraints = root / "tests" / "constraints.txt"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "-c", constraints, wheel],
        check=True,
        capture_output=True,
        env=ENVIRONMENT,
    )
    return python


def test_the_source_distribution_holds_what_a_build_needs(sdist):
    """Sources, tests and the built front end are in; environments, modules of Node and caches are not."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "LICENSE", "README.md", "pyproject.toml", "jupyter-config/labextension/schema/plugin.json", "js/src/index.ts",
        "js/package-lock.json", "js/lab/src/index.ts", "js/lab/package-lock.json", "js/lab/labextension/package.json",
        "src/ice_explorer/__init__.py", "src/ice_explorer/glossary.json", "src/ice_explorer/data/README.md",
        "src/ice_explorer/data/cervical_cancer.csv.gz", "tests/oracles.py",
        *(f"src/ice_explorer/static/{name}" for name in STATIC),
    } <= names  # fmt: skip
    assert [name for name in names if re.search(r"node_modules|\.venv|__pycache__|_cache/", name)] == []


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    """The package with its bundle once, the JupyterLab extension once, and no tests beside them."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert len(names) == len(set(names))
    release = f"ice_explorer-{ice_explorer.__version__}"
    assert {name.partition("/")[0] for name in names} == {"ice_explorer", f"{release}.data", f"{release}.dist-info"}
    data = [name.removeprefix(f"{release}.data/data/") for name in names if name.startswith(f"{release}.data/")]
    assert [name for name in data if not name.startswith(f"{EXTENSION}/")] == []
    assert [name for name in names if re.search("remoteEntry|plugin.json", name) and ".data/" not in name] == []
    whole = {f"{EXTENSION}/{name}" for name in ("install.json", "package.json", "schemas/ice-explorer/plugin.json")}
    assert whole <= set(data)
    assert len([name for name in data if re.fullmatch(f"{EXTENSION}/static/remoteEntry.\\w+.js", name)]) == 1
    folder = {name for name in names if name.startswith("ice_explorer/data/")}
    assert folder == {"ice_explorer/data/README.md", "ice_explorer/data/cervical_cancer.csv.gz"}
    assert "ice_explorer/glossary.json" in names
    static = {name.rpartition("/")[2] for name in names if name.startswith("ice_explorer/static/")}
    assert static == {*STATIC, "explorer.licences.txt"}


def test_the_installed_wheel_works_alone(installed, root):
    """With its dependencies alone and warnings as errors; Python and JavaScript speak the same protocol."""
    command = [installed, "-W", "error", "-c", USE]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=installed.parent, env=ENVIRONMENT)
    assert (done.returncode, done.stderr) == (0, "")
    seen = json.loads(done.stdout)
    assert Path(seen["file"]).is_relative_to(installed.parents[1])
    assert [place for place in seen["path"] if Path(place).is_relative_to(root)] == []
    assert (seen["version"], seen["protocol"]) == (ice_explorer.__version__, PROTOCOL_VERSION)
    assert re.findall(r"This view uses protocol (?:\$\{)?(\d+)", seen["bundle"]) == [str(PROTOCOL_VERSION)]
    assert seen["typed"]
    assert (seen["ranking"], seen["shape"]) == (["x1", "x0"], [858, 32])


def test_jupyterlab_finds_the_extension_of_the_installed_wheel(installed):
    """`jupyter labextension list` has it where the wheel put it, enabled, whole and named by its package."""
    share = installed.parents[1] / "share" / "jupyter"
    done = subprocess.run(
        [sys.executable, "-m", "jupyter", "labextension", "list"],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"JUPYTER_PATH": str(share)},
    )
    listed = re.sub(r"\x1b\[\d*m", "", done.stdout + done.stderr)
    assert str(share / "labextensions") in listed
    assert f"ice-explorer v{ice_explorer.__version__} enabled OK (python, ice-explorer)" in listed
