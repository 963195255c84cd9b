"""What the site is made of."""

import importlib.util
import shutil

import pytest


@pytest.fixture(name="stage")
def staging(root, tmp_path, monkeypatch):
    """The module that puts pages into a folder, here one of its own, with a checkout of few files."""
    spec = importlib.util.spec_from_file_location("stage", root / "notebooks" / "site" / "stage.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for page in [*module.PAGES, "notebooks/quickstart.ipynb", "notebooks/site/index.ipynb", "notebooks/site/guides.md"]:
        (tmp_path / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / page, tmp_path / page)
    (tmp_path / "notebooks" / "site" / "gallery.md").write_text("<!-- cards -->", encoding="utf-8")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "HERE", tmp_path / "notebooks" / "site")
    monkeypatch.setattr(module, "SOURCE", tmp_path / "build" / "docs")
    return module


def test_pages_of_which_the_original_is_gone_leave_the_site(stage):
    """A notebook that was removed takes its page, its explorers and its picture along; all others stay."""
    of_page = {
        "notebooks/quickstart.ipynb": ["notebooks-quickstart-1.html", "notebooks-quickstart.png"],
        "notebooks/gone.ipynb": ["notebooks-gone-1.html", "notebooks-gone-2.html", "notebooks-gone.png"],
        "notebooks/guides/gone.md": [],
    }
    for page, explorers in of_page.items():
        for file in [stage.SOURCE / page, *(stage.SOURCE / "extra" / "explorers" / name for name in explorers)]:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
    stage.stage()
    found = {path.relative_to(stage.SOURCE).as_posix() for path in stage.SOURCE.rglob("*") if path.is_file()}
    explorers = {f"extra/explorers/{name}" for name in of_page["notebooks/quickstart.ipynb"]}
    assert found == {*stage.PAGES, "notebooks/quickstart.ipynb", "guides.md", "gallery.md", *explorers}
