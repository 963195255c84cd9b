"""Figures of bqplot as a page shows them."""

from __future__ import annotations

# The text above a plot is the label of an axis.
HEADING = ".axis .tick text[style*='13px']"

_NAMES = """inside => [...inside.querySelectorAll(".axis[text-anchor=end] .tick text")]
    .map((text) => [text.getBoundingClientRect().top, text.textContent])
    .sort(([one], [other]) => one - other)
    .map(([, text]) => text)"""


def bars(figure):
    """Feature and length of each bar over the pale ones, from the top [px]."""
    return figure.evaluate(
        """figure => {
            const groups = [...figure.querySelectorAll(".bargroup")];
            const marks = Map.groupBy(groups, (group) => group.parentNode);
            return [...marks.values()].at(-1)
                .map((group) => [group, group.querySelector(".bar").getBoundingClientRect()])
                .sort(([, one], [, other]) => one.top - other.top)
                .map(([group, { width }]) => [group.__data__.key, width]);
        }"""
    )


def names(figure):
    """Labels beside the bars, from the top."""
    return figure.evaluate(_NAMES)


def wait_for_bars(page, order):
    """Wait until the first figure of a page has its bars in this order."""
    page.wait_for_function(
        f"order => JSON.stringify(({_NAMES})(document.querySelector('.ice-bqplot'))) === JSON.stringify(order)",
        arg=order,
    )


def ranked(view):
    """Features as an explorer ranks them, best first."""
    found = view.get_by_test_id("bar").evaluate_all(
        "bars => bars.map((bar) => [Number(bar.dataset.rank), bar.dataset.feature])"
    )
    return [feature for _, feature in sorted(found)]
