"""Run a notebook for the site: `python run.py notebooks/quickstart.ipynb build/docs/notebooks/quickstart.ipynb`.

The copy has the outputs. It fails if a cell fails or writes to standard error, as warnings do.
"""

import re
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "build" / "docs"
EXPLORERS = SOURCE / "extra" / "explorers"
FIRST_CELL = """\
%config InlineBackend.figure_formats = ["retina"]
import sys
sys.path.insert(0, {here!r})
from live import make_live
make_live({folder!r}, {name!r}, {way!r})
del sys.path[0], sys, make_live
"""


def run(original, copy):
    """Write a copy with outputs, and the pages and the picture of its explorers."""
    EXPLORERS.mkdir(parents=True, exist_ok=True)
    copy.parent.mkdir(parents=True, exist_ok=True)
    notebook = nbformat.read(original, as_version=4)
    page = copy.resolve().relative_to(SOURCE).with_suffix("")
    way = "../" * (len(page.parts) - 1) + "explorers/"
    values = {"here": str(HERE), "folder": str(EXPLORERS), "name": "-".join(page.parts), "way": way}
    notebook.cells.insert(0, nbformat.v4.new_code_cell(FIRST_CELL.format(**values)))
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, timeout=600, resources={"metadata": {"path": folder}})
        client.store_widget_state = False
        client.extra_arguments = ["--log-level=40"]
        client.execute()
    warned = [output.text for cell in notebook.cells for output in cell.get("outputs", []) if is_error(output)]
    if warned:
        sys.exit(f"{original} writes to standard error:\n" + "".join(warned))
    del notebook.cells[0]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":  # JupyterLab keeps the capitals of a heading in its anchor, Sphinx does not
            cell.source = re.sub(r"\]\(#[^)]+\)", lambda link: link[0].lower(), cell.source)
    nbformat.write(notebook, copy)


def is_error(output):
    return output.output_type == "stream" and output.name == "stderr"


if __name__ == "__main__":
    run(Path(sys.argv[1]), Path(sys.argv[2]))
