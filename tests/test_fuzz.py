"""Tables of all kinds × models × options: every engine gives what plain loops give, or an error of ours is raised.

`make fuzz` runs 10,000 cases, `make test` 300. Faults that were found have tests of their own at the end.
"""

import math
import time

import fuzz_cases as fuzz
import numpy as np
import oracles
import pandas as pd
import parity
from hypothesis import HealthCheck, event, given, note, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import ice_explorer as ice
from ice_explorer.errors import ICEExplorerError

N = settings().max_examples  # 100, or those of the profile "fuzz"
LONGEST = 30.0  # seconds that a case may take on a busy machine


def cases(share, least):
    """Settings of a test that takes its share of the cases."""
    return settings(
        max_examples=max(least, int(N * share)), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
    )


def explain(model, rows, **options):
    """Explain without a bar; None where that is refused. X stays as it was, and time is bounded."""
    start = time.monotonic()
    try:
        return ice.explain(model, rows, progress=False, **options)
    except ICEExplorerError as error:
        assert str(error).endswith((".", "?")), error
        note(f"refused: {error}")
        return None
    finally:
        assert time.monotonic() - start < LONGEST


def is_refused_by_way(options):
    """Whether an engine was insisted on, which need not suit the model."""
    return options["engine"] not in {"auto", "brute"}


# --- engines ------------------------------------------------------------------------------------------


def assert_same(found, plain, decay, convention, rounding):
    """Compare two explanations of one model."""
    assert found.features == plain.features
    tables = [e.table(decay, convention, sort_by=None) for e in (found, plain)]
    for at, name in enumerate(plain.features):
        parity.assert_equal_features(found[name], plain[name], rounding)
        noise = min(parity.slope_rounding(plain[name], rounding), 1e300)  # between neighbours of 0
        parity._assert_equal_figures(*(table.iloc[at] for table in tables), noise)


@cases(0.35, 110)
@given(data=st.data())
def test_engines_give_what_the_model_gives(data):
    """Fitted models of every library: whatever the engine, the memory and the threads, the figures are those of the
    model asked for every phantom in one thread; and its curves are those that the library itself gives."""
    frame = data.draw(fuzz.frames(["array", "pandas"]))
    name = data.draw(st.sampled_from(sorted(fuzz.FITS)))
    fit, numbers = fuzz.FITS[name], frame.matrix
    rows = frame.rows
    if frame.container == "pandas":
        if not set(frame.kinds) <= {"float", "constant", "integer", "boolean", "extreme"}:
            rows = pd.DataFrame(numbers, columns=[f"c{at}" for at in range(numbers.shape[1])])
        else:
            rows = rows.rename(columns={old: f"c{at}" for at, old in enumerate(rows.columns)})
    try:
        model = fuzz.quiet(fit.make().fit, rows, fuzz.target_of(fit.target, numbers))
    except Exception:  # noqa: BLE001 - what a library does not take is none of our business
        event("not fitted")
        return
    labelled = fuzz.Frame(rows, tuple(rows.columns) if hasattr(rows, "columns") else frame.names, frame.kinds,
                          frame.container, frame.values)  # fmt: skip
    options, way = data.draw(fuzz.options_of(labelled)), data.draw(fuzz.ways())
    if fit.target in {"three", "three codes", "numbers"}:
        options["output"] = data.draw(st.integers(0, 1))
    note(f"{name} of {frame}, {options}, {way}")
    before = rows.copy()
    found = fuzz.quiet(explain, model, rows, **options, **way)
    plain = fuzz.quiet(explain, model, rows, **options, engine="brute")
    if isinstance(rows, np.ndarray):
        assert_array_equal(rows, before)
    else:
        pd.testing.assert_frame_equal(rows, before)
    if found is None:
        event("refused")
        assert plain is None or is_refused_by_way(way)
        return
    assert plain is not None
    event(f"engine {found.engine}")
    is_single = fit.is_single or (isinstance(rows, np.ndarray) and rows.dtype == np.float32)
    rounding = 4e-6 if is_single else 1e-11
    assert_same(found, plain, options["decay"], options["convention"], rounding)


# --- plain loops -----------------------------------------------------------------------------------------


def expected_figures(frame, model, feature, options):
    """Figures and curves of one feature, row by row."""
    numbers, column = frame.matrix, list(frame.names).index(feature.feature)
    n_rows = len(numbers)
    weights = [float(v) for v in options.get("sample_weight", [1.0] * n_rows)]
    positions = feature.row_positions.tolist() if "sample" in options else list(range(n_rows))
    grid = [fuzz.number(value) for value in np.asarray(feature.grid).tolist()]
    if feature.kind in {"datetime", "timedelta"}:
        grid = [fuzz.number(value) for value in np.asarray(feature.grid)]
    curves = oracles.curves(model.plain, numbers, column, grid)
    if feature.kind != "category":
        scale = options.get("scale", {})
        figures = oracles.metrics(
            model.plain, numbers, column, grid=grid, weights=weights, decay=options["decay"],
            own_scale=scale.get(feature.feature), convention=options["convention"], positions=positions,
        )  # fmt: skip
        return figures, curves, oracles.magnitude(model.plain, numbers, column, grid=grid)
    own = [None if math.isnan(value) else value for value in numbers[:, column].tolist()]
    shares = oracles.category_shares(own, weights)
    stand_in = oracles.most_frequent(shares, list(shares))
    filled = [stand_in if value is None else value for value in own]
    kept = [[values[i] for i in positions] for values in (curves, filled, weights)]
    figures = oracles.category_metrics(
        kept[0], grid, kept[1], shares=shares, weights=kept[2], decay=options["decay"]
    )  # fmt: skip
    return figures, curves, max(abs(value) for curve in curves for value in curve)


@cases(0.35, 110)
@given(data=st.data())
def test_figures_are_those_of_plain_loops(data):
    """Functions of tables in every container: curves and every figure, whatever the memory and the threads."""
    frame, model = data.draw(fuzz.frames()), data.draw(fuzz.functions())
    options = data.draw(fuzz.options_of(frame))
    if model.n_outputs > 1:
        options["output"] = model.output
    way = data.draw(fuzz.ways()) | {"engine": data.draw(st.sampled_from(["auto", "brute"]))}
    note(f"{model}, {options}, {way}")
    found = explain(model, frame.rows, **options, **way)
    if found is None:
        event("refused")
        return
    event("explained")
    assert found.notes == [text for text in found.notes if not text.startswith("The prediction of a row")]
    table = found.table(sort_by=None)
    if options.get("scale") == "conditional" or "extreme" in frame.kinds:  # more than loops can tell
        return
    for at, name in enumerate(found.features):
        feature = found[name]
        figures, curves, magnitude = expected_figures(frame, model, feature, options)
        size = max(abs(value) for curve in curves for value in curve)
        # Moments between observed ones are rounded to microseconds.
        rounding = 1e-9 if feature.kind in {"datetime", "timedelta"} else 1e-12
        close = {"rtol": rounding, "atol": 0.1 * rounding * size}
        assert_allclose(feature.curves, [curves[i] for i in feature.row_positions], **close, err_msg=str(name))
        for figure, value in figures.items():
            slack = rounding * magnitude if figure in oracles.EFFECTS else 0.0
            if figure == "largest_step_share" and not figures["impact"] > 1e-9 * magnitude:
                continue  # of an impact that is rounding
            if figure in table:
                found_value = table.iloc[at][figure]
                assert_allclose(found_value, value, rtol=max(rounding, 1e-9), atol=slack, err_msg=f"{figure} of {name!r}")


# --- what goes wrong -------------------------------------------------------------------------------------


def figures_of(found):
    return found.table(sort_by=None).drop(columns="kind").to_numpy(float)


@cases(0.3, 80)
@given(data=st.data())
def test_what_cannot_be_explained_is_refused_in_our_words(data):
    """Models that fail, are random or return what is no prediction, and options of any type: an explanation or an
    error of ours, soon; and where figures depend on how the model is called, a note says so."""
    frame = data.draw(fuzz.frames())
    options, way = data.draw(fuzz.options_of(frame)), data.draw(fuzz.ways())
    name, model = data.draw(st.one_of(fuzz.bad_models(), st.just(("good", fuzz.good_model()))))
    rows = frame.rows
    options |= way
    if name == "good" or data.draw(st.integers(0, 3)) == 0:
        for option in data.draw(st.lists(st.sampled_from(fuzz.OPTIONS), min_size=1, max_size=2)):
            options[option] = data.draw(st.sampled_from(fuzz.ODD))
        if data.draw(st.integers(0, 5)) == 0:
            rows = data.draw(st.sampled_from(fuzz.ODD))
    if callable(options.get("progress")) or options.get("progress") is True:
        del options["progress"]
    note(f"{name}, {options}, {frame if rows is frame.rows else rows!r}")
    options.setdefault("progress", False)
    try:
        found = ice.explain(model, rows, **options)
    except ICEExplorerError as error:
        event(f"refused: {type(error).__name__}")
        assert str(error).strip().endswith((".", "?")), str(error)
        return
    event("explained")
    assert all(isinstance(text, str) and text for text in found.notes)
    figures = figures_of(found)
    assert not np.isinf(figures).any()
    if name in {"random: noise", "random: batch"}:
        again = ice.explain(model, rows, **{**options, "memory_limit": 1, "n_jobs": 1})
        smallest = 1e-6 * max((max(map(abs, f.prediction_range)) for f in found), default=0.0)
        if not np.allclose(figures, figures_of(again), rtol=1e-4, atol=smallest, equal_nan=True):  # noqa: TID251 - asked
            marks = ("Predictions of the same rows", "The prediction of a row")
            assert any(text.startswith(marks) for text in [*found.notes, *again.notes]), [found.notes, again.notes]
    if data.draw(st.integers(0, 3)) == 0:
        try:
            if len(found.features) > 1:
                assert np.isfinite(found.two_way(*found.features[:2], grid_size=3).partial_dependence).all()
            found.drivers(found.features[0])
        except ICEExplorerError as error:
            event(f"refused later: {type(error).__name__}")
