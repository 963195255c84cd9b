"""Put what the site is made of into `build/docs`, at the places that it has in the repository, so that links hold.

`run.py` writes the notebooks there. The gallery is a card for each notebook that it lists, with the picture of its
explorer, its title and its first paragraph, a question.
"""

import re
import shutil
from pathlib import Path

import nbformat

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SOURCE = ROOT / "build" / "docs"
PAGES = [
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "js/README.md", "src/ice_explorer/data/README.md",
    "jupyter-config/overrides.d/ice_explorer.json", "notebooks/images/explorer.png",
]  # fmt: skip
CARD = """\
:::{{grid-item-card}} {title}
:img-top: extra/explorers/notebooks-gallery-{name}.png
:img-alt: Curves of the explorer in this notebook
:link: notebooks/gallery/{name}
:link-type: doc

{question}
:::
"""


def stage():
    """Copy the pages, and write the gallery."""
    guides = (ROOT / "notebooks" / "guides").glob("*.md")
    for page in [*map(ROOT.joinpath, PAGES), *guides]:
        copy(page, SOURCE / page.relative_to(ROOT))
    for folder in ["api", "."]:
        for page in (HERE / folder).glob("*.md"):
            copy(page, SOURCE / folder / page.name)
    gallery = SOURCE / "gallery.md"
    text = gallery.read_text(encoding="utf-8")
    cards = [card(ROOT / f"{listed}.ipynb") for listed in re.findall("^notebooks/gallery/.*", text, flags=re.MULTILINE)]
    gallery.write_text(text.replace("<!-- cards -->", "\n".join(cards)), encoding="utf-8")


def card(path):
    """The card of a notebook, whose first cell is a title and a paragraph."""
    title, paragraph = nbformat.read(path, as_version=4).cells[0].source.split("\n\n")[:2]
    return CARD.format(name=path.stem, title=title.removeprefix("# "), question=paragraph)


def copy(original, to):
    """Copy a file with its time, so that Sphinx reads again only what has changed."""
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(original, to)


if __name__ == "__main__":
    stage()
