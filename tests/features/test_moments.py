"""Dates and durations as the reader meets them; `js/test/text/dates.test.ts` says the same of the browser."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ice_explorer.features.axis_text import UTC_CLOCK, choose_unit, date_text, date_ticks, make_clock, span_texts


def day(text):
    """Days since 1970."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() / 86_400


def labels(first, last, wanted=5):
    return [label for _, label in date_ticks(day(first), day(last), wanted)]


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        ("2026-03-14", "2026-03-14"),
        ("2026-03-14T06:30", "2026-03-14 06:30"),
        ("2026-03-14T06:30:05", "2026-03-14 06:30:05"),
        ("2026-03-14T06:30:05.250", "2026-03-14 06:30:05.250"),
        ("1969-12-31", "1969-12-31"),
        ("0900-01-01", "0900-01-01"),
    ],
)
def test_a_point_in_time_is_written_as_finely_as_it_is_given(moment, text):
    """A day without a time, a minute without seconds."""
    assert date_text(day(moment)) == text


@pytest.mark.parametrize("days", [1e12, -1e12, math.nan, math.inf])
def test_what_is_no_date_is_a_dash(days):
    """Beyond the calendar there is nothing to write."""
    assert date_text(days) == "–"


@pytest.mark.parametrize(
    ("first", "last", "wanted", "expected"),
    [
        ("2009-03-01", "2026-06-01", 5, ["2010", "2015", "2020", "2025"]),
        ("2025-08-10", "2026-05-20", 5, ["Oct 2025", "Jan 2026", "Apr"]),
        ("2025-12-25", "2026-01-12", 3, ["28 Dec 2025", "4 Jan 2026", "11 Jan"]),
        ("2026-10-05T03:00", "2026-10-06T16:00", 4, ["5 Oct 12:00", "6 Oct 00:00", "12:00"]),
        ("2026-10-05T03:00:00", "2026-10-05T03:00:40", 3, ["5 Oct 03:00:00", "03:00:15", "03:00:30"]),
    ],
)
def test_ticks_stand_on_round_dates(first, last, wanted, expected):
    """They name the year or the day at first, and where it changes."""
    assert labels(first, last, wanted) == expected


@given(st.floats(-20_000, 40_000), st.floats(1e-4, 30_000), st.integers(2, 10))
def test_ticks_lie_within_the_axis_in_increasing_order(first, length, wanted):
    """However long the axis, there are a few of them, each within it."""
    ticks = date_ticks(first, first + length, wanted)
    places = [place for place, _ in ticks]
    assert places == sorted(set(places))
    assert len(places) <= 3 * wanted + 2
    assert all(first - 1e-8 <= place <= first + length + 1e-8 for place in places)


@pytest.mark.parametrize(
    ("durations", "name"),
    [
        ([1, 40], "days"),
        ([0.1, 2], "hours"),
        ([0.002, 0.05], "minutes"),
        ([-0.002, 0.0001], "seconds"),
        ([1e-9], "seconds"),
        ([0], "days"),
        ([math.nan, 5], "days"),
    ],
)
def test_durations_are_read_in_the_largest_unit_of_which_there_are_some(durations, name):
    """At least three of it, for 1.2 days are read as 29 hours."""
    assert choose_unit(durations).name == name


def test_the_ends_of_a_stretch_are_no_finer_than_its_length():
    """Years have days at their ends, a day has minutes."""
    assert span_texts(day("2009-03-01T18:43:12"), day("2026-06-01T01:00")) == ("2009-03-02", "2026-06-01")
    assert span_texts(day("2026-06-01T01:00:29"), day("2026-06-02")) == ("2026-06-01 01:00", "2026-06-02")


# --- clocks ---------------------------------------------------------------------------------------


def berlin(first, last):
    return make_clock(ZoneInfo("Europe/Berlin"), day(first), day(last))


def test_a_clock_changes_when_its_zone_does():
    """To the second, and before and after the stretch as at its ends."""
    clock = berlin("2024-01-01", "2025-01-01")
    assert clock.changes == (
        (day("2024-01-01"), 1 / 24),
        (day("2024-03-31T01:00"), 2 / 24),
        (day("2024-10-27T01:00"), 1 / 24),
    )
    assert date_text(day("2024-07-01T10:00"), clock) == "2024-07-01 12:00"
    assert date_text(day("2023-07-01T10:00"), clock) == "2023-07-01 11:00"


@settings(max_examples=50, deadline=None)
@given(
    st.sampled_from(["Asia/Tokyo", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC"]),
    st.integers(2000, 22000),
    st.floats(0.01, 3000),
    st.floats(0, 1),
)
def test_clocks_show_what_the_standard_library_says(zone, first, length, share):
    """At every moment of a stretch; and there is a moment for what they show."""
    clock = make_clock(ZoneInfo(zone), first, first + length)
    at = math.floor((first + share * length) * 1440) / 1440
    shown = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(minutes=round(at * 1440))).astimezone(ZoneInfo(zone))
    assert clock.wall(at) == pytest.approx(day(shown.replace(tzinfo=None).isoformat()), abs=1e-6)
    back = clock.instant(clock.wall(at))
    assert back is not None
    assert clock.wall(back) == pytest.approx(clock.wall(at), abs=1e-6)


def test_ticks_stand_where_the_clock_is_round():
    """At midnights of summer and winter; a time that is left out has no tick, and one that comes twice has one."""
    ticks = date_ticks(day("2024-01-01"), day("2025-01-01"), 4, berlin("2024-01-01", "2025-01-01"))
    assert ticks == [
        (day("2024-03-31T22:00"), "Apr 2024"), (day("2024-06-30T22:00"), "Jul"), (day("2024-09-30T22:00"), "Oct"),
        (day("2024-12-31T23:00"), "Jan 2025"),
    ]  # fmt: skip
    spring = date_ticks(
        day("2024-03-30T22:00"), day("2024-03-31T04:00"), 6, berlin("2024-03-30T22:00", "2024-03-31T04:00")
    )
    assert [label.split()[-1] for _, label in spring] == ["23:00", "00:00", "01:00", "03:00", "04:00", "05:00", "06:00"]
    autumn = date_ticks(
        day("2024-10-26T22:00"), day("2024-10-27T04:00"), 6, berlin("2024-10-26T22:00", "2024-10-27T04:00")
    )
    assert [label.split()[-1] for _, label in autumn] == ["00:00", "01:00", "02:00", "03:00", "04:00", "05:00"]


def test_without_a_zone_a_clock_shows_utc():
    """As do years beyond every calendar."""
    assert make_clock(None, 0.0, 1.0) == UTC_CLOCK
    assert date_text(0.5, UTC_CLOCK) == "1970-01-01 12:00"
    assert make_clock(ZoneInfo("Asia/Tokyo"), 1e9, 1e9 + 1).wall(1e9) == 1e9
