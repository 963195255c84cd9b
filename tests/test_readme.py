"""What the README and the guides show is run, from the first block to the last."""

import re

import matplotlib.pyplot as plt
import pytest

from ice_explorer.beyond import importances


@pytest.fixture(scope="module")
def readme(root):
    """The README's text."""
    return (root / "README.md").read_text(encoding="utf-8")


def blocks(text, language):
    """The fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def run(text, names):
    """Run the Python blocks of a text, one after the other."""
    for block in blocks(text, "python"):
        exec(compile(block, "README.md", "exec"), names)  # noqa: S102 - the README is ours


@pytest.fixture(scope="module")
def namespace(readme, tmp_path_factory):
    """What is defined once all Python blocks of the README have run."""
    names = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("readme"))
        patch.setattr(importances, "HAS_SHAP", False)  # as after the README's installation; it takes ten seconds
        run(readme, names)
        yield names
        names["x"].close()
        plt.close("all")


@pytest.mark.wide
@pytest.mark.timeout(300)
def test_the_code_runs_and_leaves_what_it_says(namespace):
    """The six lines and all that follow them work, one after the other."""
    assert namespace["x"].feature == "age"
    assert list(namespace["x"].selected.index) == [0, 17]


@pytest.mark.wide
@pytest.mark.timeout(300)
def test_the_code_of_the_guide_continues_it(namespace, root):
    """Its examples go on with what the README has defined."""
    names = dict(namespace)
    run((root / "notebooks" / "guides" / "python.md").read_text(encoding="utf-8"), names)
    assert names["x"].feature == "age"


@pytest.mark.wide
@pytest.mark.timeout(300)
def test_the_errors_read_as_shown(readme, namespace):
    """Each error has the type and the words that the README shows."""
    (session,) = blocks(readme, "pycon")
    pairs = re.findall(r"^>>> (.*)\n(\w+): (.*)$", session, flags=re.MULTILINE)
    assert len(pairs) == 2
    for expression, kind, message in pairs:
        with pytest.raises(Exception) as error:  # noqa: PT011 - which one is compared next
            eval(expression, namespace)  # noqa: S307 - the README is ours
        assert (type(error.value).__name__, str(error.value)) == (kind, message)


def headings(path):
    """Anchors of the headings of a Markdown file."""
    titles = re.findall(r"^##+ (.*)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {title.lower().replace(" ", "-") for title in titles}


def test_every_relative_link_leads_to_a_file_and_a_heading(root):
    """Links and pictures of the README, of CONTRIBUTING and of each guide."""
    pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "notebooks" / "guides").glob("*.md"))]
    assert len(pages) > 5
    broken = []
    for page in pages:
        for link in re.findall(r"\]\((?!https?:)([^)]+)\)", page.read_text(encoding="utf-8")):
            name, _, anchor = link.partition("#")
            target = page.parent / name if name else page
            if not target.is_file() or (anchor and anchor not in headings(target)):
                broken.append((page.name, link))
    assert broken == []
