"""The architecture as a test: who may import what, and what `import ice_explorer` may load."""

import ast
import json
import subprocess
import sys

import pytest

# One row per package or module at the root, from bottom to top: each imports rows above its own, the standard library,
# and the libraries that its row names. Imports inside functions count, those for types do not.
PACKAGES = {
    "version": "",
    "runtime": "",
    "errors": "",
    "glossary": "",
    "arrays": "numpy",
    "locks": "",
    "progress": "tqdm",
    "checks": "numpy",
    "tables": "narwhals numpy pandas",
    "models": "narwhals numpy sklearn xgboost",
    "trees": "catboost numba numpy",
    "metrics": "numba numpy scipy sklearn threadpoolctl",
    "features": "numpy pandas",
    "curves": "numpy",
    "drivers": "numpy pandas sklearn",
    "results": "numpy pandas",
    "beyond": "numpy pandas scipy shap sklearn",
    "scene": "numpy",
    "wire": "numpy sklearn",
    "figures": "PIL matplotlib numpy pandas",
    "standalone": "numpy",
    "saved": "numpy pandas",
    "export": "matplotlib numpy pandas pyarrow",
    "feature": "numpy pandas",
    "explanation": "numpy pandas",
    "comparison": "numpy pandas",
    "saved.read": "numpy pandas",
    "drafts": "numpy",
    "plan": "numpy",
    "cluster": "dask distributed numpy pandas",
    "explain_model": "numpy",
    "widget": "anywidget comm ipywidgets matplotlib numpy pandas traitlets",
    "bqplot": "bqplot matplotlib numpy",
    "datasets": "numpy pandas",
    "__init__": "",
}

# Methods of results that draw, or make another result, import what is above them when they are called.
UPWARD = {
    ("feature", "explanation"),
}

HEAVY = [
    "bqplot", "catboost", "dask", "distributed", "lightgbm", "matplotlib", "mlflow", "numba", "polars", "pyarrow",
    "sklearn", "statsmodels", "torch", "xgboost",
]  # fmt: skip


@pytest.fixture(scope="module")
def modules(root):
    """Every module of the package by its name, "curves.brute"; a package by the name of its folder."""
    package = root / "src" / "ice_explorer"
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def at_run_time(tree):
    """Every node but those under `if TYPE_CHECKING:`."""
    for node in ast.iter_child_nodes(tree):
        is_for_types = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        if not is_for_types:
            yield node
            yield from at_run_time(node)


def imports(tree, known):
    """Modules of the package and libraries that a module imports, wherever in its code."""
    for node in at_run_time(tree):
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


def package_of(module):
    """The row of the table that a module belongs to, None where it has none."""
    parts = module.split(".")
    return next((row for row in (".".join(parts[:2]), parts[0]) if row in PACKAGES), None)


def test_every_module_has_a_row_and_every_row_a_module(modules):
    """A new package is placed in the order, and a row for one that is gone goes."""
    faces = {row.partition(".")[0] for row in PACKAGES if "." in row} - set(PACKAGES)  # which hold packages alone
    assert {package_of(name) or name for name in modules} - faces == set(PACKAGES)


def test_packages_import_only_packages_above_them(modules):
    """The order of the rows is the direction of every import."""
    order = list(PACKAGES)
    refused = []
    for name, tree in modules.items():
        row = package_of(name)
        if row is None:
            continue
        for kind, imported in imports(tree, modules):
            if kind == "library":
                fine = imported in PACKAGES[row].split() or imported in sys.stdlib_module_names
            else:
                other = package_of(imported)
                is_upward = (name, imported) in UPWARD
                fine = is_upward or (other is not None and order.index(other) <= order.index(row))
            if not fine:
                refused.append(f"{name} imports {imported}")
    assert refused == []


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
    """Imports have one direction, inside a package too."""
    graph = {
        name: {to for kind, to in imports(tree, modules) if kind == "module" and (name, to) not in UPWARD} - {name}
        for name, tree in modules.items()
    }
    assert circles(graph) == []


def test_importing_the_package_loads_nothing_heavy():
    """Libraries of models and pictures are loaded on first use, so that the import is quick."""
    code = "import ice_explorer, json, sys; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(json.loads(done.stdout)) & set(HEAVY) == set()
