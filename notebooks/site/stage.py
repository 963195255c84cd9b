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
    """Copy the pages, remove those of which the original is gone, and write the gallery."""
    originals = originals_of_pages()
    for page, original in originals.items():
        if page.suffix != ".ipynb":
            copy(original, page)
    remove_others(originals)
    gallery = SOURCE / "gallery.md"
    text = gallery.read_text(encoding="utf-8")
    cards = [card(ROOT / f"{listed}.ipynb") for listed in re.findall("^notebooks/gallery/.*", text, flags=re.MULTILINE)]
    gallery.write_text(text.replace("<!-- cards -->", "\n".join(cards)), encoding="utf-8")


def originals_of_pages():
    """Every page of the site, and what it is a copy of."""
    notebooks = [path for folder in (".", "gallery") for path in (ROOT / "notebooks" / folder).glob("*.ipynb")]
    guides = (ROOT / "notebooks" / "guides").glob("*.md")
    of_root = {SOURCE / path.relative_to(ROOT): path for path in [*map(ROOT.joinpath, PAGES), *guides, *notebooks]}
    of_site = [*HERE.glob("*.md"), *HERE.glob("api/*.md"), HERE / "index.ipynb"]
    return of_root | {SOURCE / path.relative_to(HERE): path for path in of_site}


def remove_others(pages):
    """Remove staged pages that are none of these, and the explorers of notebooks that are gone."""
    for page in [*SOURCE.rglob("*.ipynb"), *SOURCE.rglob("*.md")]:
        if page not in pages:
            page.unlink()
    names = {"-".join(page.relative_to(SOURCE).with_suffix("").parts) for page in pages}
    for file in (SOURCE / "extra" / "explorers").glob("*"):  # `live.py` names them
        if not {file.stem, re.sub(r"-\d+$", "", file.stem)} & names:
            file.unlink()


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
