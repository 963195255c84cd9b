"""HTML representation of an explanation in notebooks: a small table and the notes, without scripts."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from ice_explorer.errors.base import counted
from ice_explorer.features.axis_text import number_text
from ice_explorer.figures.text import printable
from ice_explorer.glossary import explanation as explained

if TYPE_CHECKING:
    from ice_explorer.explanation import Explanation

_MOST_ROWS: Final = 20
_MOST_NOTES: Final = 5
_SHOWN: Final = ("in_distribution_impact", "impact", "direction", "heterogeneity", "non_linearity")


def ranking_table(explanation: Explanation) -> str:
    """Return the ranking as HTML: a row for each of the first features, and the notes."""
    table, settings = explanation.table()[list(_SHOWN)].head(_MOST_ROWS), explanation.settings
    facts = [counted(len(explanation), "feature"), explanation._context.row_count, f"decay {settings.decay:g}"]
    facts.append(f"method {explanation.method}")
    parts = [f"<strong>Explanation of the {escape(explanation.output_label)}</strong> {escape(', '.join(facts))}"]
    if len(table):
        table.index = [printable(explanation[feature].label) for feature in table.index]
        table.columns = [explained(name).name for name in _SHOWN]
        parts.append(str(table.map(number_text).to_html()))
    n_left_out = len(explanation) - len(table)
    if n_left_out:
        parts.append(f"and {counted(n_left_out, 'more feature')}: <code>e.table()</code> has all")
    if explanation.notes:
        items = "".join(f"<li>{escape(note)}</li>" for note in explanation.notes)
        opened = " open" if len(explanation.notes) <= _MOST_NOTES else ""
        parts.append(
            f"<details{opened}><summary>{counted(len(explanation.notes), 'note')}</summary><ul>{items}</ul></details>"
        )
    return "".join(f"<div>{part}</div>" for part in parts)
