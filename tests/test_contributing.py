"""What CONTRIBUTING.md names is there."""

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
