"""The architecture as a test: who may import what, and what `import ice_explorer` may load."""

import ast
import json
import subprocess
import sys

import pytest

# The pipe of the package, from its start to its end; nothing points back. Each module, or each room
# ("adapters.*"), with the modules and the libraries it may import, anywhere in its code. Besides:
# everyone may use EVERYWHERE and the standard library, and the modules of a room may use each other.
EVERYWHERE = ("errors", "labels", "locks", "runtime", "tracebacks", "version")
ALLOWED = {
    "errors": ("", ""),
    "glossary": ("", ""),
    "labels": ("", ""),
    "tracebacks": ("", ""),
    "version": ("", ""),
    "runtime": ("", ""),
    # numbers in, numbers out
    "sampling": ("", "numpy"),
    "turns": ("", ""),
    "likelihood": ("checks", "numpy sklearn"),
    "grid": ("checks likelihood", "numpy"),
    "chebyshev": ("", "numpy"),
    "own_values": ("chebyshev decay_numba", "numpy"),
    "pairs": ("chebyshev decay_numba", "numpy"),
    "decay": ("chebyshev decay_numba likelihood own_values pairs", "numpy"),
    "decay_numba": ("", "numba numpy"),
    "metrics": ("decay", "numpy"),
    "category": ("decay metrics", "numpy"),
    "options": (("adapters.predict adapters.table checks context grid likelihood metrics"), "numpy"),
    "locks": ("", ""),
    "progress": ("", "tqdm"),
    "metrics_numba": ("decay_numba metrics", "numba numpy"),
    # the outside world: the only room that names libraries of models and tables
    "adapters.*": ("checks moments turns", "catboost narwhals numpy pandas sklearn torch xgboost"),
    # curves take a predict function, arrays of trees or coefficients, never a model
    "curves.*": ("adapters.trees.ensemble checks turns", "numba numpy"),
    # the pipe itself
    "anchors": ("curves.transforms feature", "numpy"),
    "probe": ("adapters.table", "numpy"),
    "feature": ("adapters.table checks", "numpy"),
    "groups": ("adapters.table feature", "numpy"),
    "target_check": ("adapters.predict adapters.table adapters.target", "numpy"),
    "inputs": ("category context feature grid likelihood sampling", "numpy"),
    "notes": ("adapters.table inputs", "numpy"),
    "space": ("adapters context inputs", "numpy"),
    "engine": (
        ("adapters category checks context curves decay inputs metrics metrics_numba probe space turns"),
        "numpy",
    ),
    "choice": ("adapters columns context curves engine inputs space", "numpy"),
    "thresholds": ("adapters choice columns feature", "numpy"),
    # what makes lines differ
    "spread": ("", "numpy"),
    "second": ("adapters.table columns feature moments", "numpy"),
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
    "subgroups": ("adapters.table checks columns curves engine inputs metrics", "numpy"),
    "two_way": ("adapters.table checks context feature grid likelihood sampling", "numpy"),
    "results": (
        (
            "adapters.table adapters.target checks context driver_table engine feature feature_result "
            "impact_notes in_common likelihood metrics options residual second subgroups target_check two_way "
            "units what_if"
        ),
        "numpy pandas",
    ),
    "plan": (
        (
            "adapters anchors checks choice columns context curves engine feature feature_result grid groups "
            "inputs notes options probe results target_check thresholds turns"
        ),
        "numpy",
    ),
    "explanation": (
        (
            "adapters context curves.transforms export feature_result figures.html figures.mpl figures.mpl_all "
            "grid metrics options plan progress results tidy"
        ),
        "matplotlib numpy pandas",
    ),
    "classes": ("adapters.table plan", "numpy"),
    "warming": ("adapters curves decay figures metrics metrics_numba pairs", "numpy"),
    # the wire: the only modules that know messages and bytes
    "moments": ("", "numpy"),
    "number_text": ("", "numpy"),
    "display_axis": (("adapters.table adapters.tables.natural_order feature moments number_text"), "numpy"),
    "column_colors": ("adapters.table display_axis moments residual", "numpy"),
    "forms": ("", ""),
    "messages": ("adapters.table curves.transforms feature forms metrics options", ""),
    "background": ("", ""),
    "payload": (
        (
            "adapters.table checks classes column_colors context display_axis drivers feature_result in_common "
            "messages metrics number_text results"
        ),
        "numpy",
    ),
    # pictures and files of the same view
    "figures.*": (
        (
            "checks classes column_colors context curves display_axis drivers feature feature_result glossary "
            "likelihood metrics moments number_text options results units"
        ),
        "matplotlib numba numpy",
    ),
    "file_names": ("", ""),
    "regular_files": ("", ""),
    "tidy": (("checks curves display_axis feature feature_result figures options results"), "numpy pandas"),
    "data_files": ("figures results tidy", "numpy pandas pyarrow"),
    "frozen.*": (
        ("adapters.table display_axis feature_result figures glossary messages metrics payload residual results"),
        "numpy",
    ),
    "export": (("checks data_files figures file_names frozen options regular_files results tidy"), ""),
    "export_request": ("export figures.choices file_names messages results", ""),
    "older": ("metrics", ""),
    "provenance_reader": ("older regular_files", "pyarrow"),
    # the widget
    "state": ("figures.choices forms messages older", ""),
    "view_table": ("explanation metrics options", "pandas"),
    "work": (
        (
            "adapters.opening adapters.table adapters.target background classes curves explanation feature "
            "figures.provenance messages options payload progress"
        ),
        "numpy",
    ),
    "front_end": ("", "anywidget traitlets"),
    "lifetime": ("messages", "ipywidgets"),
    "widget": (
        (
            "adapters.table anchors background checks classes curves driver_table explanation export "
            "export_request figures.besides figures.choices forms front_end frozen lifetime likelihood messages "
            "metrics options payload residual state view_table work"
        ),
        "anywidget matplotlib numpy pandas traitlets",
    ),
    # what stands beside an explorer; a folder of the same name as the library that it draws with
    "bqplot.*": (
        ("adapters.table display_axis explanation figures moments number_text two_way widget"),
        "bqplot numpy",
    ),
    # beside the pipe
    "datasets": ("", "pandas"),
    "__init__": (("bqplot datasets explanation groups provenance_reader residual warming widget"), ""),
    "bqplot": ("adapters.table checks explanation widget", "bqplot"),
    "checks": ("", "numpy"),
    "columns": ("adapters.table feature groups", "numpy"),
    "context": (
        ("adapters.predict adapters.table checks columns curves.brute likelihood metrics probe progress target_check"),
        "numpy",
    ),
    "feature_result": (
        (
            "adapters.table anchors category checks column_colors context curves.transforms driver_table drivers "
            "engine grid impact_notes inputs likelihood metrics progress sampling second subgroups target_check "
            "what_if"
        ),
        "numpy pandas",
    ),
}

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


def circles(graph):
    """Groups of modules that import each other, directly or through others: strongly connected components."""
    reached = {}
    for start in graph:
        found, left = set(), [start]
        while left:
            for to in graph[left.pop()] - found:
                found.add(to)
                left.append(to)
        reached[start] = found
    groups = {frozenset(other for other in reached[one] if one in reached[other]) for one in graph}
    return [sorted(group) for group in groups if group]


def test_no_module_imports_one_that_imports_it(modules):
    """Imports have one direction, inside a room too, and with those for types and those inside functions."""
    graph = {
        name: {to for kind, to in imports(tree, modules) if kind == "module"} - {name} for name, tree in modules.items()
    }
    assert circles(graph) == []


def test_circles_are_found():
    """Two modules that import each other are one, and so are three in a row; what they import is none."""
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set(), "e": {"f"}, "f": {"e"}}
    assert sorted(circles(graph)) == [["a", "b", "c"], ["e", "f"]]


def test_importing_the_package_loads_nothing_heavy():
    """Libraries of models and pictures are loaded on first use, so that the import is quick."""
    code = "import ice_explorer, json, sys; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(json.loads(done.stdout)) & set(HEAVY) == set()
