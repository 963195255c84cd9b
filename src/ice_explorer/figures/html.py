"""HTML representation of explanations in notebooks: small tables with bars and notes, without scripts."""

from __future__ import annotations

import math
import re
from html import escape
from typing import TYPE_CHECKING, Final

from ice_explorer.errors.base import counted
from ice_explorer.features.axis_text import column_format
from ice_explorer.features.feature import UNORDERED
from ice_explorer.figures.text import printable
from ice_explorer.glossary import explanation as explained
from ice_explorer.results.intervals import EFFECTS, ROUNDING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ice_explorer.explanation import Explanation
    from ice_explorer.feature import FeatureExplanation

_BAR: Final = "#3f6d9b"
_MOST_ROWS: Final = 20
_MOST_NOTES: Final = 5
_BAR_WIDTH: Final = 160  # px
_SHOWN: Final = ("impact", "direction", "heterogeneity", "non_linearity")
# The ink is that of the page, light or dark: every other colour is a bar, or the ink with less weight.
_TABLE: Final = "border-collapse:collapse;font-variant-numeric:tabular-nums;margin:0.4em 0"
_NAME: Final = "text-align:left;padding:2px 12px 2px 0;max-width:22em;overflow-wrap:anywhere"
_FIGURE: Final = "text-align:right;padding:2px 0 2px 12px;white-space:nowrap"
_HEAD: Final = "font-weight:normal;opacity:0.75;border-bottom:1px solid"
_QUIET: Final = "opacity:0.75"
_BAR_CELL: Final = "padding:2px 0"


def ranking_table(explanation: Explanation) -> str:
    """Return the ranking as HTML: a row for each of the first features, and the notes."""
    table = explanation.table().head(_MOST_ROWS)
    n_left_out, settings = len(explanation) - len(table), explanation.settings
    longest = max(filter(math.isfinite, table[["impact", "in_distribution_impact"]].to_numpy().ravel()), default=0.0)
    write = {name: _writer(table[name].tolist(), longest) for name in ("in_distribution_impact", *_SHOWN)}
    heads = [(name, settings.convention, _FIGURE, "") for name in _SHOWN]
    rows = [_cell("th", "feature", _NAME)]
    for name, convention, style, columns in [("in_distribution_impact", "step", _NAME, ' colspan="2"'), *heads]:
        term = explained(name, convention)
        rows[0] += _cell("th", escape(term.name), style, f'{columns} title="{escape(term.text)}"')
    for feature, figures in table.iterrows():
        decayed, plain = figures["in_distribution_impact"], figures["impact"]
        bar, name = _bar(decayed, longest, tick=plain), _cell("td", _printed(explanation[feature]), _NAME)
        texts = [write["in_distribution_impact"](decayed), *(write[metric](figures[metric]) for metric in _SHOWN)]
        rows.append(name + _cell("td", bar, _BAR_CELL) + "".join(_cell("td", text, _FIGURE) for text in texts))
    more = f"and {counted(n_left_out, 'more feature')}: <code>e.table()</code> has all" if n_left_out else ""
    facts = [
        counted(len(explanation), "feature"),
        explanation._context.row_count,
        f"decay {settings.decay:g}",
        f"method {explanation.method}",
    ]
    title = f"Explanation of the {escape(explanation.output_label)}"
    remarks = [more, "Bar: in-distribution impact; tick: impact, all values alike."] if len(table) else [more]
    return _document(title, facts, rows if len(table) else [], remarks, explanation.notes)


def feature_table(feature: FeatureExplanation) -> str:
    """Return the metrics of one feature as HTML, and its notes."""
    metrics, is_unordered = feature.metrics(), feature.dtype_kind in UNORDERED
    variant = "unordered" if is_unordered else feature._context.settings.convention
    effects = [name for name in EFFECTS if math.isfinite(metrics[name])]
    longest = max((abs(metrics[name]) for name in effects), default=0.0)
    write = _writer([metrics[name] for name in effects], longest)
    cells = [(name, _bar(abs(metrics[name]), longest), write(metrics[name])) for name in effects]
    support = metrics["support"]
    if math.isfinite(support):
        cells.append(("support", _bar(support, 1.0), f"{support:.0%}"))
    rows = []
    for name, bar, figure in cells:
        term = explained(name, variant)
        head = _cell("td", escape(term.name), _NAME, f' title="{escape(term.text)}"')
        rows.append(head + _cell("td", bar, _BAR_CELL) + _cell("td", figure, _FIGURE))
    facts = [feature.dtype_kind, counted(len(feature.rows), "curve"), counted(len(feature.grid), "grid value")]
    notes = [feature._notes[subject].sentence for subject in ("movement", "step") if subject in feature._notes]
    return _document(_printed(feature), facts, rows, [], notes)


def _printed(feature: FeatureExplanation) -> str:
    return escape(printable(feature.label))


def _cell(tag: str, content: str, style: str, attributes: str = "") -> str:
    looks = f"{style};{_HEAD}" if tag == "th" else style
    return f'<{tag}{attributes} style="{looks}">{content}</{tag}>'


def _bar(value: float, longest: float, tick: float = math.nan) -> str:
    """Draw a bar, and a tick at another value, as boxes of a fixed width."""
    boxes = []
    for start, length, style in (
        (0.0, value, f"height:10px;top:2px;background:{_BAR}"),
        (tick, 0.0, "height:14px;top:0;border-left:2px solid"),
    ):
        if math.isfinite(start + length) and longest > 0:
            left, width = start / longest * _BAR_WIDTH, length / longest * _BAR_WIDTH
            place = f"left:{left:.1f}px;width:{width:.1f}px"
            boxes.append(f'<div style="position:absolute;{place};{style}"></div>')
    return f'<div style="position:relative;width:{_BAR_WIDTH + 2}px;height:14px">{"".join(boxes)}</div>'


def _writer(values: Sequence[float], largest: float) -> Callable[[float], str]:
    """Return one way to write a column of figures; what rounds to 0 and is not 0 is written as smaller.

    Beside the largest figure of the table, tiny ones are rounding errors.
    """
    rounding = ROUNDING * largest
    write = column_format([value for value in values if abs(value) > rounding])
    is_seen = re.compile("[1-9]").search  # whether a number is not written as 0
    smallest = next((text for power in range(-12, 7) if is_seen(text := write(10.0**power))), "0")

    def written(value: float) -> str:
        if abs(value) <= rounding:
            return "0"
        text = write(value)
        return text if not math.isfinite(value) or is_seen(text) else f"&lt; {smallest}"

    return written


def _document(
    title: str, facts: Sequence[str], rows: Sequence[str], remarks: Sequence[str], notes: Sequence[str]
) -> str:
    parts = [f'<div><strong>{title}</strong> <span style="{_QUIET}">{escape(", ".join(facts))}</span></div>']
    if rows:
        body = "".join(f'<tr style="background:none">{row}</tr>' for row in rows)
        parts.append(f'<table style="{_TABLE}"><tbody>{body}</tbody></table>')
    parts += [f'<div style="{_QUIET}">{remark}</div>' for remark in remarks if remark]
    if notes:
        items = "".join(f"<li>{escape(note)}</li>" for note in notes)
        summary = f"<summary>{counted(len(notes), 'note')}</summary>"
        opened = " open" if len(notes) <= _MOST_NOTES else ""
        parts.append(f'<details{opened}>{summary}<ul style="margin:0.2em 0">{items}</ul></details>')
    return f'<div style="max-width:60em">{"".join(parts)}</div>'
