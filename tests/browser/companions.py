"""Figures of bqplot as a page shows them."""

from __future__ import annotations

from browser.awaiting import soon


def bars(figure):
    """Feature and length of each bar, from the top [px]."""
    return figure.evaluate(
        """figure => {
            return [...figure.querySelectorAll(".bargroup")]
                .map((group) => [group, group.querySelector(".bar").getBoundingClientRect()])
                .sort(([, one], [, other]) => one.top - other.top)
                .map(([group, { width }]) => [group.__data__.key, width]);
        }"""
    )


def names(figure):
    """Labels beside the bars, from the top."""
    return figure.evaluate(
        """figure => [...figure.querySelectorAll(".axis[text-anchor=end] .tick text")]
            .map((text) => [text.getBoundingClientRect().top, text.textContent])
            .sort(([one], [other]) => one - other)
            .map(([, text]) => text)"""
    )


def wait_for_bars(figure, order):
    """Wait until bars and labels are in this order."""
    soon(lambda: names(figure), order)
    soon(lambda: [feature for feature, _ in bars(figure)], order)
