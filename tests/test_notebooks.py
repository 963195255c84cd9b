"""The notebooks run from top to bottom as after `make demo`, without a network, and are stored without outputs."""

import importlib.metadata
import json
import re
import subprocess
import sys
import textwrap
import tomllib

import nbformat
import pytest
from nbclient import NotebookClient
from packaging.requirements import Requirement

# They run other packages, and take as long as the machine and their kernels take.
pytestmark = [pytest.mark.current, pytest.mark.timeout(600)]

NAMES = [
    "cluster.ipynb", "comparison.ipynb", "dashboard.ipynb", "extrapolation.ipynb", "paper.ipynb", "quickstart.ipynb",
    "reading_it_right.ipynb", "two_models.ipynb",
]  # fmt: skip

WIDGET = "application/vnd.jupyter.widget-view+json"
# The site runs all of the gallery; the first two depend most on other packages.
SHOWN = [
    ("gallery/dates.ipynb", 1, None),
    ("gallery/text_pipeline.ipynb", 1, None),
    ("paper.ipynb", None, None),
    ("two_models.ipynb", 1, 2),
    ("dashboard.ipynb", 1, None),
]

# The kernel runs this before the first cell.
RESTRICT = """
import importlib.util, json, os, sys

with open(os.path.join(os.environ["IPYTHONDIR"], "not_in_the_demo.json"), encoding="utf-8") as file:
    not_in_the_demo = set(json.load(file))

class Refuse:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in not_in_the_demo:
            raise ModuleNotFoundError(f"No module named {name!r} after `make demo`", name=name)

find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: (
    None if name.partition(".")[0] in not_in_the_demo else find_spec(name, package)
)

def stay_on_this_machine(event, arguments):
    hosts = []
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        hosts = [arguments[1][0]]
    elif event == "socket.getaddrinfo":
        hosts = [arguments[0]]
    if not set(hosts) <= {None, "127.0.0.1", "::1", "localhost"}:
        raise OSError(f"The notebook connects to {hosts[0]!r}.")

sys.meta_path.insert(0, Refuse)
sys.addaudithook(stay_on_this_machine)
"""

# What the text of a notebook states, run as its last cell.
CLAIMS = {
    "reading_it_right.ipynb": """
    first = ice.explain(crossed, independent, progress=False)
    assert np.ptp(first["x2"].partial_dependence) < 0.01 * np.ptp(first["x2"].curves)
    assert heterogeneity.loc["x2", "heterogeneity"] >= 0.99 * heterogeneity.loc["x2", "impact"] > 2.5
    assert abs(heterogeneity.loc["x2", "direction"]) < 0.05
    assert first.drivers("x2")["feature"][0] == "x3"
    assert ranges["partial_dependence"] < 0.5
    assert 0.9 < ranges["ale"] < 1.1
    assert 1.9 < ranges["m_plot"] < 2.1
    assert crossed(dependent).min() > -1.5
    assert ice.explain(crossed, dependent, progress=False)["x2"].curves.min() < -4.5
    assert unlike.share > 0.5
    assert abs(slopes_of_x2["partial_dependence"]) < 1e-9
    assert abs(slopes_of_x2["ale"]) < 1e-9
    assert abs(slopes_of_x2["m_plot"] - rho) < 0.02
    assert ice.explain(lambda X: X["x1"], gaussian, progress=False)["x2"].metrics()["impact"] == 0
    assert abs(slopes_of_x1["partial_dependence"] - 1) < 1e-9
    assert abs(slopes_of_x1["ale"] - 1) < 1e-9
    assert abs(slopes_of_x1["m_plot"] - (1 - 2 * rho)) < 0.02
    assert abs(np.polyfit(gaussian["x1"], gaussian["x1"] - 2 * gaussian["x2"], 1)[0] - (1 - 2 * rho)) < 1e-9
    alone, adjusted, mediated, consequence = causal["slope of partial dependence"]
    assert abs(true_effect - 1) < 1e-9
    assert abs(alone - 2) < 0.05
    assert abs(adjusted - true_effect) < 0.05
    assert abs(mediated - 0.5) < 0.05
    assert -0.2 < consequence < 0
    assert causal["R²"].idxmax() == "x, confounder, consequence"
    of_signal, of_noise = impact.loc["signal"], impact.drop(index="signal")
    assert abs(of_signal["step"] - 0.97) < 0.01
    assert 0.25 < of_noise["step"].min() < of_noise["step"].max() < 0.4
    assert of_noise["paper"].min() > of_signal["paper"]
    assert "curves go up and down" in e.notes[-1]
    """,
    "paper.ipynb": """
    assert shares.corr()["impact"].round(2)["forest importance"] == 0.36
    assert ((tables["step"]["impact"] > change).sum(), (tables["paper"]["impact"] > change).sum()) == (0, 4)
    agreement = impact.corrwith(shares["forest importance"])
    assert agreement["step"] > 0.6 > 0.4 > agreement["paper"]
    for found in (one_forest, refitted):
        largest = pd.DataFrame(found).query("rows >= 300").groupby("rows")["step"].agg(["min", "max"])
        assert largest.stack().sub(true_impact).abs().max() < 0.15 * true_impact
    assert (noise["step"] > 1).all()
    assert (noise["paper"] == 1).groupby(noise["data"], sort=False).sum().tolist() == [6, 1, 0, 0]
    """,
    "extrapolation.ipynb": """
    rises = e["x2"].curves[:, -1] - e["x2"].curves[:, 0]
    assert rises[X["x1"] < 0].min() > 0.7
    assert rises[X["x1"] > 0.4].max() < 0.05
    assert np.ptp(true["x2"].curves - true["x2"].curves[:, :1], axis=0).max() < 1e-9
    for name, found in unlike.items():
        right = e[name].grid > 0
        assert found.is_unlike[:, right].sum() > 0.8 * found.is_unlike.sum()
        inside, outside = (found_and_true.loc[(name, place)] for place in ("empty quadrant", "elsewhere"))
        assert 95 < inside["% called unlike"] < 98
        assert outside["% called unlike"] < 2
        assert inside["mean error of the curves"] > 10 * outside["mean error of the curves"]
    kept = weights["kept by the conditional scale, %"]
    assert 60 < kept["empty quadrant"] < 70
    assert 96.5 < kept["elsewhere"] < 97.5
    of_x2 = in_distribution_impact.loc["x2"]
    assert of_x2["marginal"] < of_x2["conditional"] < of_x2["true function"]
    assert (x.feature, x.kind, x.color_by, x.decay) == ("x2", "c-ice", "x1", 0.5)
    """,
    "cluster.ipynb": """
    assert difference < 1e-12
    assert list(e.table().index[:3]) == ["km", "hour", "centre"]
    assert e["km"].curves.shape[0] == 10_000
    assert e.notes[0].startswith("Metrics, partial dependence and spread are of all 100,000 rows;")
    opened = ice.load("result.ice")
    assert opened.table().equals(e.table())
    """,
    "comparison.ipynb": """
    strongest = ["log triglycerides", "body mass index"]
    assert all(list(comparison.table[name].nlargest(2).index) == strongest for name in comparison.table)
    assert comparison.correlations["pearson"].min() > 0.9
    assert comparison.correlations["rank"].drop("permutation").min() > 0.95
    assert comparison.correlations.loc["permutation", "rank"] < 0.8
    assert comparison.table.loc[strongest, "permutation"].sum() > 90
    others = comparison.table.loc[["blood pressure", "age"]].sum()
    assert 16 < others["impact"] < 18
    assert 4 < others["permutation"] < 6
    assert increase.loc["log triglycerides", "permutation"] > 1 / 3
    assert abs(increase.loc["log triglycerides", "loco"]) < 0.05
    """,
}


def distributions_of(lines):
    """Names of the distributions that these requirements install, with all that they depend on."""
    seen = set()
    waiting = [(Requirement(line), "") for line in lines]
    while waiting:
        requirement, wanted_by = waiting.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": wanted_by}):
            continue
        for extra in {"", *requirement.extras}:
            if (requirement.name, extra) not in seen:
                seen.add((requirement.name, extra))
                further = importlib.metadata.requires(requirement.name) or []
                waiting += [(Requirement(line), extra) for line in further]
    return {normalised(name) for name, _ in seen}


def normalised(name):
    """Spell the name of a distribution as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture(scope="module")
def not_in_the_demo(root):
    """Names of the modules that are installed here and that `make demo` does not install."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    (extras,) = re.findall(r"^EXTRAS_OF_DEMO := (\S+)$", makefile, flags=re.MULTILINE)
    lines = [line for extra in extras.split(",") for line in project["optional-dependencies"][extra]]
    demo = {normalised(project["name"]), *distributions_of([*project["dependencies"], *lines])}
    modules = importlib.metadata.packages_distributions()
    return [module for module, names in modules.items() if demo.isdisjoint(map(normalised, names))]


@pytest.fixture
def run(tmp_path, not_in_the_demo, monkeypatch):
    """Run a notebook in an empty folder, with what `make demo` installs and no network; return it with its outputs."""
    # The kernel must not find the profile, the history or the settings of the user who runs the tests.
    ipython = tmp_path / ".ipython"
    startup = ipython / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "restrict.py").write_text(RESTRICT, encoding="utf-8")
    (ipython / "not_in_the_demo.json").write_text(json.dumps(not_in_the_demo), encoding="utf-8")
    monkeypatch.setenv("IPYTHONDIR", str(ipython))

    def run_one(notebook):
        NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
        return notebook

    return run_one


@pytest.fixture
def read(root):
    """Read a notebook of this project by its name."""
    return lambda name: nbformat.read(root / "notebooks" / name, as_version=4)


def printed_as_error(notebook):
    """Whatever a cell wrote to standard error: warnings above all."""
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return [output.text for output in outputs if output.output_type == "stream" and output.name == "stderr"]


def shown_by(notebook):
    """What cells showed, by its type."""
    return [output["data"] for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]


@pytest.mark.wide
def test_notebooks_are_kept_without_outputs(root):
    """No output, execution count or widget state is committed, and every notebook is run here or in the gallery."""
    notebooks = root / "notebooks"
    files = [path for folder in (".", "gallery", "site") for path in (notebooks / folder).glob("*.ipynb")]
    command = [sys.executable, "-m", "nbstripout", "--verify", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    assert sorted(path.name for path in notebooks.glob("*.ipynb")) == NAMES
    listed = re.findall(
        r"^notebooks/gallery/(\w+)$", (notebooks / "site" / "gallery.md").read_text(), flags=re.MULTILINE
    )
    assert sorted(listed) == sorted(path.stem for path in (notebooks / "gallery").glob("*.ipynb"))


@pytest.mark.wide
def test_quickstart_runs_and_leaves_its_pictures(read, run, tmp_path):
    """The quickstart shows an explorer, warns of nothing, and saves two pictures and a table."""
    notebook = run(read("quickstart.ipynb"))
    assert printed_as_error(notebook) == []
    assert sum(WIDGET in data for data in shown_by(notebook)) == 1
    written = sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("."))
    assert written == ["body mass index.png", "body mass index.svg", "diabetes.csv"]
    assert (tmp_path / "body mass index.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "n_widgets", "n_pictures"), SHOWN)
def test_a_notebook_shows_its_widgets_and_pictures(read, run, name, n_widgets, n_pictures):
    """It runs, and warns of nothing."""
    notebook = run(read(name))
    assert printed_as_error(notebook) == []
    shown = shown_by(notebook)
    assert n_widgets is None or sum(WIDGET in data for data in shown) == n_widgets
    alone = [data for data in shown if WIDGET not in data]  # an explorer has a picture beside it
    assert n_pictures is None or sum("image/png" in data for data in alone) == n_pictures
    if name == "dashboard.ipynb":  # one widget of linked parts: two figures, an explorer and its front end
        models = notebook.metadata["widgets"]["application/vnd.jupyter.widget-state+json"]["state"].values()
        names = [model["model_name"] for model in models]
        assert (names.count("FigureModel"), names.count("AnyModel")) == (2, 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", CLAIMS)
def test_what_a_notebook_states_holds(read, run, name):
    """It runs, warns of nothing, and its figures are those of its text."""
    notebook = read(name)
    notebook.cells.append(nbformat.v4.new_code_cell(textwrap.dedent(CLAIMS[name])))
    assert printed_as_error(run(notebook)) == []
