"""What CONTRIBUTING.md names is there."""

import json
import re


def test_every_test_that_is_named_exists(root):
    """The table of faults names tests of both sides by their names."""
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("## Faults")[2].partition("\n## ")[0]
    cells = [line.split(" | ")[-1] for line in table.splitlines() if line.startswith("| ")]
    named = {name for cell in cells for name in re.findall("`([^`]+)`", cell)}
    assert len(named) > 30
    files = [*(root / "tests").rglob("*.py"), *(root / "js" / "test").rglob("*.ts")]
    code = re.sub(r"\(\s+", "(", "\n".join(file.read_text(encoding="utf-8") for file in files))
    missing = {name for name in named if f"def {name}(" not in code and f'test("{name}"' not in code}
    assert missing == set()


def test_the_version_stands_in_one_place(root):
    """The citation, pyproject.toml and the packages of the front end do not repeat it."""
    texts = {name: (root / name).read_text(encoding="utf-8") for name in ("CITATION.cff", "pyproject.toml")}
    assert re.search("^version:", texts["CITATION.cff"], re.MULTILINE) is None
    assert 'dynamic = ["version"]' in texts["pyproject.toml"]
    packages = [
        json.loads((root / "js" / folder / "package.json").read_text(encoding="utf-8")) for folder in (".", "lab")
    ]
    assert [package.get("version", "0.0.0") for package in packages] == ["0.0.0", "0.0.0"]
