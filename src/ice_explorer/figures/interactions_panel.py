"""Panel of interactions: pairs and features by H², as bars."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ice_explorer.features.axis_text import nonnegative_format
from ice_explorer.figures.page.lettering import elide_apart, text_width, wrapped
from ice_explorer.figures.page.page import INK, QUIET, SIZE, SMALL, TITLE, Box, Rect, Style, printable
from ice_explorer.figures.ranking_panel import BAR, BAR_OPEN
from ice_explorer.glossary import explanation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ice_explorer.figures.page.page import Page
    from ice_explorer.scene.interactions import Interaction, InteractionsScene

_ROW: Final = 15.0
_LEADING: Final = 11.0
_GAP: Final = 14.0
_MOST_ROWS: Final = 10  # of `js/src/panels/interactions/panel.ts`
_NAME_SHARE: Final = 0.46
_FIGURE_GAP: Final = 10.0


def draw_interactions(page: Page, shown: InteractionsScene, box: Box) -> float:
    """Draw pairs, then features, from the top of a box; return where they end."""
    with page.group("interactions"):
        below = box.top + TITLE
        page.words("Interactions", box.left, below, size=TITLE, bold=True, within=box.width)
        names = f"{explanation('h2').name}, and the {explanation('interaction_size').name} in units of the prediction."
        for line in [*wrapped(names, box.width, SMALL), *wrapped(shown.basis, box.width, SMALL)]:
            below += _LEADING
            page.words(line, box.left, below, size=SMALL, fill=QUIET, within=box.width)
        longest = max((row.h2 for row in (*shown.pairs, *shown.features)), default=0.0)
        for heading, rows in (("Pairs", shown.pairs), ("Features", shown.features)):
            if rows:
                below = _draw_rows(page, heading, rows[:_MOST_ROWS], replace(box, top=below + _GAP), longest)
    return below


def _draw_rows(page: Page, heading: str, rows: Sequence[Interaction], box: Box, longest: float) -> float:
    """Draw bars for H² with its figure and the size; return where they end."""
    share, size = nonnegative_format([longest]), nonnegative_format([row.effect for row in rows])
    texts = [(share(row.h2), size(row.effect)) for row in rows]
    sizes = box.right
    shares = sizes - max(text_width(text, SIZE) for _, text in texts) - _FIGURE_GAP
    stop = shares - max(text_width(text, SIZE) for text, _ in texts) - _FIGURE_GAP
    start = box.left + _NAME_SHARE * box.width
    baseline = box.top + 4
    page.words(heading, box.left, baseline, bold=True, within=start - box.left)
    for text, at in (("H²", shares), ("size", sizes)):
        page.words(text, at, baseline, size=SMALL, fill=QUIET, anchor="end")
    names = [printable(row.name) for row in rows]
    opened = [at for at, row in enumerate(rows) if row.is_open]
    cut = elide_apart(names, start - box.left - 6, SIZE, opened)
    for at, (row, (of_share, of_size)) in enumerate(zip(rows, texts, strict=True)):
        middle = baseline + 4 + (at + 0.5) * _ROW
        fill = QUIET if row.is_tiny else INK
        page.words(names[at], box.left, middle + 3.3, fill=fill, bold=row.is_open, cut=cut[at])
        length = (stop - start) * row.h2 / longest if longest > 0 else 0.0
        color = BAR_OPEN if row.is_open else BAR
        style = Style(stroke=color, width=0.7) if row.is_tiny else Style(fill=color)
        page.add(Rect(start, middle - 4.2, max(0.0, length), 8.4, style))
        page.words(of_share, shares, middle + 3.3, fill=fill, anchor="end")
        page.words(of_size, sizes, middle + 3.3, fill=QUIET, anchor="end")
    return baseline + 4 + len(rows) * _ROW
