"""The table of models of the guide: what explains each, and how far from the library's own predictions.

`python tests/tools/models_table.py` writes it, with every library of the extra "test-heavy" installed.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "notebooks" / "guides" / "models.md"
BEGIN, END = "<!-- models: written by tests/tools/models_table.py -->", "<!-- models end -->"
HEAD = ["| model | method | largest difference |", "| --- | --- | --- |"]
STEPS = ("1e-12", "1e-9", "1e-6", "1e-3")
"""Powers of ten far apart, so that rounding on another machine does not change the table."""


def measured(case):
    """One model: the method that explains it, and how far its curves are from the library."""
    import model_families as families

    import ice_explorer as ice

    model, rows, ask = case.fit()
    options = {"progress": False, "grid": "quantile", "grid_size": 6, **case.options}
    e = families.quietly(ice.explain, model, rows, **options)
    return e.method, families.largest_difference(e, ask, rows)


def rows_of(cases):
    """Lines of the table, models of one family and method in one."""
    found = {}
    for case in cases:
        method, difference = measured(case)
        names, worst = found.get((case.family, method), ([], 0.0))
        found[case.family, method] = [*names, case.model], max(worst, difference)
    return [
        f"| **{family}**: {'; '.join(names)} | {method} | {rounded(worst)} |"
        for (family, method), (names, worst) in found.items()
    ]


def rounded(difference):
    """A power of ten that the difference stays below."""
    return next(f"< {step}" for step in STEPS if difference < float(step))


def committed():
    """Lines of the table in the guide."""
    text = GUIDE.read_text(encoding="utf-8")
    return text[text.index(BEGIN) + len(BEGIN) : text.index(END)].strip().split("\n")


def main():
    sys.path.insert(0, str(ROOT / "tests"))
    import model_families as families

    text = GUIDE.read_text(encoding="utf-8")
    before, after = text[: text.index(BEGIN)], text[text.index(END) :]
    table = "\n".join([*HEAD, *rows_of(families.CASES)])
    GUIDE.write_text(f"{before}{BEGIN}\n\n{table}\n\n{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
