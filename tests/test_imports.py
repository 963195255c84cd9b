"""The architecture as a test: who may import what, and what `import ice_explorer` may load."""

import ast
import graphlib
import json
import subprocess
import sys

import pytest

# The pipe of the package, from its start to its end; nothing points back. Each module, or each room
# ("adapters.*"), with the modules and the libraries it may import, anywhere in its code. Besides:
# everyone may use EVERYWHERE and the standard library, and the modules of a room may use each other.
EVERYWHERE = ("errors", "labels", "locks", "runtime", "tracebacks")
ALLOWED = {
    "errors": ("", ""),
    "glossary": ("", ""),
    "labels": ("", ""),
    "tracebacks": ("", ""),
    # numbers in, numbers out
    "sampling": ("", "numpy"),
    "real": ("", "numpy"),
    "runtime": ("", ""),
    "threads": ("", ""),
    "turns": ("", ""),
    "likelihood": ("real", "numpy sklearn"),
    "grid": ("likelihood real", "numpy"),
    "chebyshev": ("", "numpy"),
    "own_values": ("chebyshev decay_numba", "numpy"),
    "pairs": ("chebyshev decay_numba", "numpy"),
    "decay": ("chebyshev decay_numba likelihood own_values pairs", "numpy"),
    "decay_numba": ("", "numba numpy"),
    "metrics": ("decay", "numpy"),
    "category": ("decay metrics", "numpy"),
    "options": ("likelihood metrics real threads", "numpy"),
    "locks": ("", ""),
    "progress": ("", "tqdm"),
    "metrics_numba": ("decay_numba metrics own_values", "numba numpy"),
    # the outside world: the only room that names libraries of models and tables
    "adapters.*": ("real turns", "catboost narwhals numpy pandas sklearn torch xgboost"),
    # curves take a predict function, arrays of trees or coefficients, never a model
    "curves.*": ("adapters.trees.ensemble real turns", "numba numpy"),
    # the pipe itself
    "anchors": ("curves.transforms feature", "numpy"),
    "probe": ("adapters.table", "numpy"),
    "feature": ("adapters.table real", "numpy"),
    "groups": ("adapters.table feature", "numpy"),
    "target_check": ("adapters.predict adapters.table adapters.target", "numpy"),
    "inputs": (
        "adapters category curves feature grid groups likelihood options probe progress sampling target_check",
        "numpy",
    ),
    "notes": ("adapters.table inputs", "numpy"),
    "space": ("adapters inputs probe", "numpy"),
    "engine": ("adapters category curves decay inputs metrics metrics_numba probe real space turns", "numpy"),
    "choice": ("adapters curves engine inputs options space", "numpy"),
    "thresholds": ("adapters choice feature inputs", "numpy"),
    # what makes lines differ
    "spread": ("", "numpy"),
    "second": ("adapters.table feature inputs", "numpy"),
    "rules": ("moments second", ""),
    "crossfit": ("spread", "numpy"),
    "splits": ("crossfit feature rules second", "numpy"),
    "column_pairs": ("crossfit splits", "numpy"),
    "driver_table": ("", "pandas"),
    "drivers": ("column_pairs crossfit driver_table second splits spread", "numpy pandas"),
    "impact_notes": ("category metrics notes", "numpy"),
    "units": ("options", "numpy"),
    "what_if": ("", "numpy"),
    "in_common": ("second", "numpy"),
    "residual": ("adapters.table", "numpy"),
    "subgroups": ("adapters.table curves engine inputs metrics options", "numpy"),
    "two_way": ("adapters.table feature grid inputs likelihood options sampling", "numpy"),
    "results": (
        (
            "adapters.table adapters.target anchors category curves driver_table drivers engine feature grid "
            "impact_notes in_common inputs likelihood messages metrics options progress real residual sampling second "
            "subgroups target_check two_way units what_if"
        ),
        "matplotlib numpy pandas",
    ),
    "plan": (
        (
            "adapters anchors choice curves engine feature grid groups inputs metrics notes options probe progress "
            "results target_check thresholds turns"
        ),
        "numpy",
    ),
    "explanation": ("adapters grid metrics options plan progress results", "numpy"),
    "classes": ("adapters.table plan", "numpy"),
    "warming": ("adapters curves decay figures metrics metrics_numba pairs", "numpy"),
    # the wire: the only modules that know messages and bytes
    "moments": ("", "numpy"),
    "display_axis": ("adapters.tables.natural_order feature moments results", "numpy"),
    "forms": ("", ""),
    "messages": ("adapters.table feature forms metrics options state", ""),
    "background": ("", ""),
    "payload": (
        "adapters.table classes display_axis drivers explanation in_common messages metrics options residual",
        "numpy",
    ),
    # pictures and files of the same view
    "figures.*": (
        (
            "classes curves display_axis drivers explanation feature glossary likelihood messages metrics moments "
            "options payload state units"
        ),
        "matplotlib numba numpy",
    ),
    "file_names": ("", ""),
    "regular_files": ("", ""),
    "tidy": ("curves display_axis explanation feature figures messages options", "numpy pandas"),
    "data_files": ("explanation figures tidy", "numpy pandas pyarrow"),
    "frozen.*": ("adapters.table display_axis explanation figures glossary messages metrics payload residual", "numpy"),
    "export": ("data_files explanation figures file_names frozen messages options regular_files tidy", "numpy"),
    "export_request": ("explanation export figures.choices file_names messages", "numpy"),
    "older": ("metrics", ""),
    "provenance_reader": ("older regular_files", "pyarrow"),
    # the widget
    "state": ("forms older", ""),
    "view_table": ("explanation metrics options", "pandas"),
    "work": (
        (
            "adapters.opening adapters.table adapters.target background classes curves explanation feature messages "
            "payload progress"
        ),
        "numpy",
    ),
    "front_end": ("", "anywidget traitlets"),
    "lifetime": ("messages", "ipywidgets"),
    "widget": (
        (
            "adapters.table anchors background classes curves driver_table explanation export export_request "
            "figures.besides forms front_end frozen lifetime likelihood messages metrics options payload residual "
            "results state view_table work"
        ),
        "anywidget matplotlib numpy pandas traitlets",
    ),
    # what stands beside an explorer; a folder of the same name as the library that it draws with
    "bqplot.*": (
        "adapters.table display_axis figures moments options results two_way widget",
        "bqplot numpy",
    ),
    # beside the pipe
    "datasets": ("", "pandas"),
    "__init__": ("bqplot datasets explanation groups provenance_reader residual warming widget", ""),
}

# The methods of a result that give pictures and files hand over to those who draw and write results.
# These steps back are taken inside the methods, when they are called.
FACADE = {
    ("results", "figures.html"), ("results", "figures.mpl"), ("results", "figures.mpl_all"), ("results", "export"),
    ("results", "tidy"),
}  # fmt: skip

HEAVY = [
    "bqplot", "catboost", "dask", "lightgbm", "matplotlib", "mlflow", "numba", "polars", "pyarrow", "sklearn",
    "statsmodels", "torch", "xgboost",
]  # fmt: skip


@pytest.fixture(scope="module")
def modules(root):
    """Every module of the package by its name, "curves.brute"; a folder by the name of the folder."""
    package = root / "src" / "ice_explorer"
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def imports(tree, known):
    """Modules of the package and libraries that a module imports, wherever in its code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports name the package, so that they can be searched for"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            # The version is a constant that stands before every import, so anyone may ask for it.
            names = [name for name in names if name != "ice_explorer.__version__"]
        else:
            continue
        for name in names:
            library, _, inside = name.partition(".")
            if library != "ice_explorer":
                yield "library", library
                continue
            while inside and inside not in known:  # from the name imported up to the module that defines it
                inside = inside.rpartition(".")[0]
            yield "module", inside or "__init__"


def test_every_import_is_allowed(modules):
    """A module imports what the table says it may, and nothing else; a new module needs a line in the table."""
    refused = []
    for name, tree in modules.items():
        own_room = name.partition(".")[0]
        rule = ALLOWED.get(name) or ALLOWED.get(f"{own_room}.*")
        assert rule is not None, f"{name} has no line in the table: where in the pipe does it stand?"
        rooms, libraries = (entry.split() for entry in rule)
        for kind, imported in imports(tree, modules):
            if (name, imported) in FACADE:
                continue
            room = imported.partition(".")[0]
            if kind == "library":
                fine = imported in libraries or imported in sys.stdlib_module_names
            else:
                fine = room in (own_room, *EVERYWHERE, *rooms) or imported in rooms
            if not fine:
                refused.append(f"{name} imports {imported}")
    assert refused == []


def test_every_line_of_the_table_is_needed(modules):
    """A rule for a module that is gone would allow what nobody decided."""
    rooms = {name.partition(".")[0] for name in modules}
    assert [name for name in ALLOWED if name.removesuffix(".*") not in rooms] == []


def test_no_module_imports_one_that_imports_it(modules):
    """Imports have one direction, inside a room too."""
    graph = {
        name: {to for kind, to in imports(tree, modules) if kind == "module" and (name, to) not in FACADE}
        for name, tree in modules.items()
    }
    order = list(graphlib.TopologicalSorter(graph).static_order())
    assert set(order) >= set(modules)


def test_a_result_imports_pictures_in_its_methods_alone(modules):
    """At the top of the module that step back would load them with the package, and close a circle."""
    outside = ast.Module([node for node in modules["results"].body if not isinstance(node, ast.ClassDef)], [])
    assert {to for _, to in FACADE} & {imported for _, imported in imports(outside, modules)} == set()


def test_importing_the_package_loads_nothing_heavy():
    """Libraries of models and pictures are loaded on first use, so that the import is quick."""
    code = "import ice_explorer, json, sys; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(json.loads(done.stdout)) & set(HEAVY) == set()
