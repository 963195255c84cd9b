"""The benchmarks still run: each part once, on little data. What they measure is nothing to go by here."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("numba", reason="the benchmarks tell what it compiles for")

PARTS = ["engines", "shapes", "never_slower", "growth", "every_value", "tall"]
NAMES = ["linear", "wide_extremely_random_trees", "many_levels", "wide_xgboost", "rows", "1000000"]


@pytest.mark.slow
@pytest.mark.current
@pytest.mark.timeout(300)
def test_every_part_prints_a_table_with_the_columns_of_its_head():
    """Of each part a workload or two."""
    script = Path(__file__).with_name("results.py")
    command = [sys.executable, script, *PARTS, "--quick", "--names", *NAMES]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    sections = re.split(r"^## ", printed, flags=re.MULTILINE)[1:]
    assert len(sections) == len(PARTS)
    for section in sections:
        widths = {line.count(" | ") for line in section.splitlines() if line.startswith("| ")}
        assert len(widths) == 1
        assert section.count("\n| ") > 2
