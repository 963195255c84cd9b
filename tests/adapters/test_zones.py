"""Datetimes with a time zone keep it, wherever they come out, and take no values without one."""

import datetime as dt
import json
from zoneinfo import ZoneInfo

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import ice_explorer as ice
from ice_explorer.errors import OptionError
from ice_explorer.wire.replies import describe_colors, describe_in_common, describe_moves

TOKYO = pd.date_range("2024-01-01", periods=6, freq="D", tz="Asia/Tokyo")
BERLIN = pd.date_range("2024-03-29", periods=6, freq="D", tz="Europe/Berlin")  # summer time begins on the 31st
NUMBERS = [3.0, 1.0, 2.0, 5.0, 4.0, 6.0]
EPOCH = pd.Timestamp("2024-01-01", tz="UTC")


def hours(rows):
    """Predict the hours since 2024 of a column that keeps its zone."""
    return ((rows["t"] - EPOCH) / pd.Timedelta(hours=1)).to_numpy() + rows["n"].to_numpy()


def table(times=TOKYO, **columns):
    return pd.DataFrame({"t": times, "n": NUMBERS, **columns})


def explained(X=None, model=hours, **options):
    return ice.explain(model, table() if X is None else X, progress=False, **options)


@pytest.mark.parametrize("times", [TOKYO, BERLIN, TOKYO.tz_convert(dt.timezone(dt.timedelta(hours=9)))])
def test_grid_and_observed_values_have_the_zone_of_the_column(times):
    """Midnight in Tokyo is midnight in Tokyo, not three in the afternoon of the day before."""
    f = explained(table(times))["t"]
    assert list(f.grid) == list(times)
    assert [str(value) for value in f.grid] == [str(value) for value in times]
    assert [str(value) for value in f.observed] == [str(value) for value in times]
    gap = explained(table(times.insert(0, pd.NaT)[:6]), lambda rows: rows["t"].isna() + rows["n"])["t"]
    assert gap.observed[0] is pd.NaT
    assert str(gap.observed[1]) == str(times[0])


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_the_zone_of_other_libraries_is_kept_too(library):
    """As pandas has it, whatever X is."""
    frame = pl.DataFrame({"t": pl.Series(TOKYO.tz_convert("UTC").tz_localize(None)), "n": NUMBERS}).with_columns(
        pl.col("t").dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo")
    )
    X = frame if library == "polars" else pa.table({"t": pa.array(TOKYO), "n": NUMBERS})
    f = explained(X, lambda rows: np.asarray(rows["n"]))["t"]
    assert [str(value) for value in f.grid] == [str(value) for value in TOKYO]


def test_a_grid_of_values_that_came_out_goes_in_again_and_predicts_the_same():
    """What `grid` returns is what `grid=` takes."""
    f = explained()["t"]
    again = explained(grid={"t": f.grid})["t"]
    assert_array_equal(again.curves, f.curves)
    assert_allclose(f.curves[0], (np.arange(6) * 24 - 9) + 3.0)


def test_dates_as_text_are_in_the_zone_of_the_column():
    """As pandas compares a column with a text; an offset in the text counts."""
    given = ["2024-01-01", "2024-01-02T00:00+09:00", "2024-01-02 15:00+00:00"]
    f = explained(grid={"t": given})["t"]
    assert [str(value) for value in f.grid] == [str(value) for value in TOKYO[:3]]


NAIVE = {
    "datetime": dt.datetime(2024, 1, 1),  # noqa: DTZ001 - what is refused
    "Timestamp": pd.Timestamp("2024-01-01"),
    "datetime64": np.datetime64("2024-01-01T00:00"),
    "date": dt.date(2024, 1, 1),
}


@pytest.mark.parametrize("value", NAIVE.values(), ids=NAIVE)
def test_a_grid_without_a_zone_is_refused_for_a_column_that_has_one(value):
    """It would be a shift by nine hours, in every prediction."""
    with pytest.raises(OptionError) as caught:
        explained(grid={"t": [value]})
    assert str(caught.value) == (
        f"Values of 't' must have a time zone, because the column is in 'Asia/Tokyo'; got {value!r}. "
        f"Write `pd.Timestamp('{value}', tz='Asia/Tokyo')`."
    )


def test_an_anchor_has_the_zone_of_the_column():
    """One in another zone is found on the grid, and one without a zone is refused."""
    f = explained()["t"]
    in_zone = dt.datetime(2024, 1, 3, tzinfo=ZoneInfo("Asia/Tokyo"))
    for anchor in (TOKYO[2], "2024-01-03", TOKYO[2].tz_convert("UTC"), in_zone):
        assert_array_equal(f.centered_curves(anchor)[:, 2], np.zeros(6))
    with pytest.raises(OptionError, match=r"^Values of 't' must have a time zone, because the column is in"):
        f.centered_curves(pd.Timestamp("2024-01-03"))


def test_a_value_with_a_zone_is_refused_for_a_column_without_one():
    """Which zone the column means is not known."""
    with pytest.raises(OptionError) as caught:
        explained(table(TOKYO.tz_localize(None)), lambda rows: rows["n"], grid={"t": [TOKYO[0]]})
    assert str(caught.value).startswith("Values of 't' must have no time zone, because the column has none; got ")
    assert str(caught.value).endswith("Write them without one: `value.replace(tzinfo=None)`.")


@pytest.mark.parametrize("times", [TOKYO, BERLIN])
def test_files_have_the_zone(times, tmp_path):
    """CSV and JSON write the offset, Parquet the zone."""
    e = explained(table(times))
    for suffix in ("csv", "parquet", "json"):
        e.save(tmp_path / f"curves.{suffix}", what="t")
    written = pd.read_csv(tmp_path / "curves.csv")["value"]
    assert list(written[:6]) == [str(value) for value in times]
    assert list(pd.read_parquet(tmp_path / "curves.parquet")["value"][:6]) == list(times)
    assert str(pd.read_parquet(tmp_path / "curves.parquet")["value"].dtype.tz) == str(times.tz)
    curves = json.loads((tmp_path / "curves.json").read_text())["curves"][0]
    assert curves["grid"] == [str(value) for value in times]


def test_messages_say_the_time_in_the_zone():
    """The phantom that a model fails on is named as the reader wrote it."""

    def failing(rows):
        if (rows["t"] == TOKYO[5]).any() and len(rows) < 10:
            raise ValueError("too late")
        return rows["n"].to_numpy()

    with pytest.raises(ice.errors.PredictionError, match=r"grid values 2024-01-05 to 2024-01-06, row 0 of X"):
        explained(table(TOKYO.tz_convert("Asia/Tokyo"))[:1].assign(n=1.0), failing, grid={"t": [TOKYO[4], TOKYO[5]]})


NEW_YEAR = pd.date_range("2023-12-31 06:00", periods=40, freq="h", tz="Asia/Tokyo")


def at_new_year(times=NEW_YEAR, **options):
    """Explain a model that predicts 1 from midnight in Tokyo on."""
    X = pd.DataFrame({"t": times, "n": np.arange(len(times)) % 7.0})
    return explained(X, lambda rows: rows["n"] * (rows["t"] >= EPOCH - pd.Timedelta(hours=9)), **options)


def test_axes_have_the_clock_of_the_zone(tmp_path):
    """The step at midnight is drawn at midnight, in figures of Matplotlib and in files, at its place in UTC."""
    e = at_new_year()
    ax = e.plot("t")
    ticks = {label.get_text(): at for at, label in zip(ax.get_xticks(), ax.get_xticklabels(), strict=True)}
    plt.close(ax.figure)
    assert list(ticks) == ["31 Dec 12:00", "1 Jan 00:00", "12:00"]
    assert ticks["1 Jan 00:00"] == (EPOCH - pd.Timedelta(hours=9)).timestamp() / 86_400
    drawn = e.save(tmp_path / "t.svg", "t").read_text()
    assert ">1 Jan 00:00<" in drawn
    assert not [note for note in e.notes if "zone" in note]


def test_what_is_written_about_times_is_by_the_same_clock():
    """Rules, the ends of a legend, the observed value of a row, and what rows have in common."""
    e = at_new_year()
    assert e.drivers("n").set_index("feature").loc["t", "rule"] == "t > 2023-12-31 23:30"
    body = describe_colors(e._column("t"), [0])
    assert describe_moves(e["t"], 0, 0.0).observed == "2023-12-31 06:00"
    assert body.scale.clock == [(NEW_YEAR[0].timestamp() / 86_400, 9 / 24)]
    found = describe_in_common(e, np.flatnonzero(NEW_YEAR >= "2024-01-01")).items
    assert [item.text for item in found if item.column == "t"] == ["t ≥ 2024-01-01 02:00"]


def test_a_column_of_datetimes_taken_for_names_has_them_with_their_zone():
    """Levels are values of X."""
    f = explained(categorical_features=["t"])["t"]
    assert [str(level) for level in f._item.feature.levels] == [str(value) for value in TOKYO]
    assert_allclose(f.curves[0], (np.arange(6) * 24 - 9) + 3.0)
