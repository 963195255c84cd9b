"""What files of earlier versions say, which named a weighting, is read in today's words."""

from __future__ import annotations

import json

import comm
import numpy as np
import pytest
from kernel_end import Wire

import ice_explorer as ice
from ice_explorer.wire.older import renewed_provenance

X = np.random.default_rng(3).normal(size=(20, 2))
LENGTH = " In-distribution impact and non-linearity are defined differently there."
MASS = " The figures differ: intervals are no longer weighted by their observations."


def model(rows):
    return rows[:, 0] ** 2 + rows[:, 1]


def former(convention, weighting, options="", **further):
    """The provenance of a file as an earlier version wrote it."""
    return {
        "feature": "x0",
        "rank_by": "impact",
        "convention": convention,
        "weighting": weighting,
        "code": f"x = ice_explorer.ICEExplorer(model, X{options}); x.rank_by = 'impact'; x.save('table.csv')",
        **further,
    }


def made(options):
    return f"x = ice_explorer.ICEExplorer(model, X{options}); x.rank_by = 'impact'; x.save('table.csv')"


@pytest.mark.parametrize(
    ("before", "given", "taken_for", "options", "difference"),
    [
        (("equations", "interval"), ", grid='uniform'", "equations", ", grid='uniform', convention='equations'", ""),
        (("published", "interval"), ", convention='published', sample=9", "published",
         ", sample=9, convention='published'", ""),
        (("equations", "length"), ", weighting='length'", "stable", "", LENGTH),
        (("equations", "mass"), ", y=y, weighting='mass'", "stable", ", y=y", MASS),
    ],
)  # fmt: skip
def test_a_file_that_names_a_weighting_says_what_it_was_taken_for(before, given, taken_for, options, difference):
    """Convention and line of code are today's, and a sentence names what was there."""
    convention, weighting = before
    found = renewed_provenance(former(convention, weighting, given))
    assert found == {
        "feature": "x0",
        "rank_by": "impact",
        "convention": taken_for,
        "code": made(options),
        "taken_for": (
            f"The file names convention {convention!r} with weighting {weighting!r}; "
            f"taken for convention {taken_for!r}.{difference}"
        ),
    }


def test_the_column_that_is_gone_is_ranked_by_its_heir():
    """In what the file shows, in its line of code, and in the sentence."""
    code = "x = ice_explorer.ICEExplorer(model, X); x.rank_by = 'non_linearity_mad'; x.save('view.svg')"
    found = renewed_provenance(former("equations", "interval", rank_by="non_linearity_mad", code=code))
    assert found["rank_by"] == "non_linearity"
    assert found["code"] == (
        "x = ice_explorer.ICEExplorer(model, X, convention='equations'); x.rank_by = 'non_linearity'; "
        "x.save('view.svg')"
    )
    assert found["taken_for"].endswith("; taken for convention 'equations'. It ranks by 'non_linearity_mad'; "
                                       "taken for 'non_linearity'.")  # fmt: skip


def test_the_line_of_the_page_is_renewed_too():
    """What was saved from a page names that in place of its own line."""
    origin = former("equations", "length", ", weighting='length'")
    page = {**{name: value for name, value in origin.items() if name != "code"}, "page": origin["code"]}
    assert renewed_provenance(page)["page"] == made("")


def test_a_file_of_today_stays_as_it_is():
    """There is no note about it."""
    origin = {"convention": "stable", "unit": "sd", "code": "x = ice_explorer.ICEExplorer(model, X)"}
    assert renewed_provenance(origin) == origin


@pytest.mark.parametrize("weighting", ["interval", "length", "mass"])
def test_the_line_of_a_file_of_before_runs(tmp_path, monkeypatch, weighting):
    """`provenance` reads the file, and its line makes one by the convention that it was taken for."""
    monkeypatch.setattr(comm, "create_comm", Wire)
    monkeypatch.chdir(tmp_path)
    origin = former("equations", weighting, f", weighting={weighting!r}")
    old = tmp_path / "old.json"
    old.write_text(json.dumps({"provenance": origin}))
    found = ice.provenance(old)
    scope = {"ice_explorer": ice, "model": model, "X": X}
    exec(found["code"], scope)  # noqa: S102 - it is what the test is about
    scope["x"].close()
    again = ice.provenance(tmp_path / "table.csv")
    assert again["convention"] == found["convention"]
    assert again["code"] == found["code"].replace("x.rank_by", "x.feature = 'x0'; x.rank_by")
    assert "taken_for" not in again
