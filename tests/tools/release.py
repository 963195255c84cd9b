"""Builds the distributions of the last commit, tries them as a user would, and leaves them in `dist`.

`make release` runs it. Both are built twice, in two clones of their own, and must be the same byte for byte. Their
metadata are checked, and each is installed into an empty environment, in which it runs the quickstart.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"
CONSTRAINTS = ROOT / "tests" / "constraints.txt"
NOTEBOOK = ROOT / "notebooks" / "quickstart.ipynb"
# An environment variable that changes what is built or imported would show in the result.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
EXECUTE = """
import importlib.metadata, pathlib, sys
import nbformat, nbclient
import ice_explorer
path = pathlib.Path(ice_explorer.__file__)
assert path.is_relative_to(sys.prefix), f"imported from {path}"
notebook = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(notebook, timeout=300).execute()
outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
views = sum("application/vnd.jupyter.widget-view+json" in output.get("data", {}) for output in outputs)
assert views > 0, "no explorer was shown"
print(f"ice-explorer {ice_explorer.__version__}: {len(notebook.cells)} cells, {views} explorer")
"""


def run(*command, cwd=ROOT, **options):
    """Run a command; end with what it printed where it fails."""
    done = subprocess.run(command, check=False, cwd=cwd, capture_output=True, text=True, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def checked_version():
    """Return the version that is released; end where files do not state it, or changes are not committed."""
    text = (ROOT / "src" / "ice_explorer" / "version.py").read_text(encoding="utf-8")
    (number,) = re.findall(r'__version__ = "(.+)"', text)
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## \[{re.escape(number)}\] - \d{{4}}-\d\d-\d\d$", changelog, re.MULTILINE):
        raise SystemExit(f"CHANGELOG.md must have a section `## [{number}] - YYYY-MM-DD`; it has none.")
    changed = run("git", "status", "--porcelain")
    if changed:
        raise SystemExit(f"What is released must be committed; these files are not:\n{changed}")
    return number


def built(folder):
    """Build both distributions from a clone, front end included; return their files by name."""
    run("git", "clone", "--quiet", ROOT, folder)
    epoch = run("git", "log", "-1", "--format=%ct")
    environment = ENVIRONMENT | {"SOURCE_DATE_EPOCH": epoch}
    run("npm", "ci", "--no-fund", "--no-audit", cwd=folder / "js")
    run("npm", "run", "--silent", "build:all", cwd=folder / "js")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist", folder, env=environment)
    return {path.name: path for path in sorted((folder / "dist").iterdir())}


def try_out(distribution, folder):
    """Install a distribution into an empty environment, where no program is on PATH, and run the quickstart."""
    run(sys.executable, "-m", "venv", folder / "venv")
    python = folder / "venv" / "bin" / "python"
    environment = ENVIRONMENT | {"PATH": str(folder / "venv" / "bin")}
    install = [python, "-m", "pip", "install", "--quiet", "-c", CONSTRAINTS]
    run(*install, distribution, "ipykernel", "nbclient", "nbformat", env=environment, cwd=folder)
    shutil.copy(NOTEBOOK, folder)
    return run(python, "-c", EXECUTE, NOTEBOOK.name, env=environment, cwd=folder)


def sha256(path):
    """Hash a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main():
    """Build, compare, check, try out."""
    number = checked_version()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        first, second = built(folder / "first"), built(folder / "a-second-clone")
        different = [name for name, path in first.items() if sha256(path) != sha256(second[name])]
        if different:
            raise SystemExit(f"Two builds of the same commit must be the same; these differ: {', '.join(different)}")
        print(run(sys.executable, "-m", "twine", "check", "--strict", *first.values()))
        shutil.rmtree(DIST, ignore_errors=True)
        DIST.mkdir()
        for name, path in first.items():
            (folder / f"try-{name}").mkdir()
            print(f"{name}: {try_out(path, folder / f'try-{name}')}")
            shutil.copy(path, DIST)
    for path in sorted(DIST.iterdir()):
        print(f"{sha256(path)}  {path.relative_to(ROOT)}, {path.stat().st_size / 1e6:.1f} MB")
    print(f"{number} is ready; built twice with hatchling {version('hatchling')}, the same byte for byte.")


if __name__ == "__main__":
    main()
