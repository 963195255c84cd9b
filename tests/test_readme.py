"""What the README shows is run, from its first block to its last."""

import re

import matplotlib.pyplot as plt
import pytest

from ice_explorer.glossary import explanation


@pytest.fixture(scope="module")
def readme(root):
    """The README's text."""
    return (root / "README.md").read_text(encoding="utf-8")


def blocks(text, language):
    """The fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def namespace(readme, tmp_path_factory):
    """What is defined once all Python blocks have run, each after the one before."""
    names = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("readme"))
        for block in blocks(readme, "python"):
            exec(compile(block, "README.md", "exec"), names)  # noqa: S102 - the README is ours
        yield names
        names["x"].close()
        plt.close("all")


def test_the_code_runs_and_leaves_what_it_says(namespace, tmp_path_factory):
    """The six lines and all that follow them work, one after the other."""
    assert namespace["x"].feature == "age"
    assert list(namespace["x"].selected.index) == [0, 17]


def test_the_errors_read_as_shown(readme, namespace):
    """Each error has the type and the words that the README shows."""
    (session,) = blocks(readme, "pycon")
    pairs = re.findall(r"^>>> (.*)\n(\w+): (.*)$", session, flags=re.MULTILINE)
    assert len(pairs) == 2
    for expression, kind, message in pairs:
        with pytest.raises(Exception) as error:  # noqa: PT011 - which one is compared next
            eval(expression, namespace)  # noqa: S307 - the README is ours
        assert (type(error.value).__name__, str(error.value)) == (kind, message)


def test_the_files_it_points_to_exist(readme, root):
    """Every relative link and picture leads somewhere, those within the page to a heading."""
    targets = re.findall(r"\]\((?!https?:)([^)]+)\)", readme)
    titles = re.findall(r"^##+ (.*)$", readme, flags=re.MULTILINE)
    headings = {"#" + title.lower().replace(" ", "-") for title in titles}
    assert [target for target in targets if target not in headings and not (root / target).is_file()] == []


def test_the_options_it_lists_are_the_options(readme):
    """The table of options names each option of `explain`, with its default: as code, or in words for None."""
    from ice_explorer.options import DEFAULTS

    table = readme[readme.index("### Options") :]
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| [^|]+ \|$", table, flags=re.MULTILINE)
    assert [name for name, _ in rows] == list(DEFAULTS)
    said = {name: default.strip("`").replace('"', "'") for name, default in rows}
    assert {name: said[name] for name, default in DEFAULTS.items() if default is not None} == {
        name: repr(default) for name, default in DEFAULTS.items() if default is not None
    }


def test_the_figures_are_explained_as_in_the_explorer(readme, namespace):
    """The table of figures has the columns of `e.table()`, with the sentences of the explorer's tooltips."""
    table = readme[readme.index("| figure | what it is |") : readme.index("| `convention` |")]
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", table, flags=re.MULTILINE)
    figures = namespace["e"].table().drop(columns=["scale", "n_grid", "kind"]).columns
    assert rows == [(figure, explanation(figure).text) for figure in figures]
