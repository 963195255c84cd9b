"""Faults of data and options: arbitrary tables, models and options have the figures of plain loops, or are an error.

`make test-all` runs 10,000 cases, `make test` 160. Faults that were found have tests of their own at the end.
"""

import math

import fuzz_cases as fuzz
import numpy as np
import oracles
import pandas as pd
import parity
import pytest
from hypothesis import HealthCheck, event, given, note, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import ice_explorer as ice
from ice_explorer.errors import ICEExplorerError

N = settings().max_examples  # 100, or those of the profile "fuzz"
pytestmark = [pytest.mark.current, pytest.mark.fuzz, pytest.mark.wide]


def cases(share, least):
    """Settings of a test that takes its share of the cases."""
    return settings(
        max_examples=max(least, int(N * share)),
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def explain(model, rows, **options):
    """Explain, or return the error of ours that came instead."""
    try:
        return ice.explain(model, rows, **{"progress": False, **options})
    except ICEExplorerError as error:
        return error


def is_refusal(found):
    """Whether nothing was explained; then in whole sentences, of which the statistics of Hypothesis keep a count."""
    if not isinstance(found, ICEExplorerError):
        event("explained")
        return False
    event(f"refused: {type(found).__name__}")
    assert str(found).endswith((".", "?")), found
    return True


def is_refused_by_way(options):
    """Whether a method was insisted on, which need not suit the model."""
    return options["method"] not in {"auto", "brute"}


# --- engines ------------------------------------------------------------------------------------------


def assert_same(found, plain, decay, rounding):
    """Compare two explanations of one model."""
    assert found.features == plain.features
    tables = [e.table(decay, rank_by=None) for e in (found, plain)]
    for at, name in enumerate(plain.features):
        parity.assert_equal_features(found[name], plain[name], rounding)
        noise = min(parity.slope_rounding(plain[name], rounding), 1e300)  # between neighbours of 0
        parity._assert_equal_figures(*(table.iloc[at] for table in tables), noise)


@cases(0.35, 60)
@given(data=st.data())
def test_models_fitted_on_arbitrary_tables_have_the_figures_of_calls_for_every_phantom_observation(data):
    """Models of every library: whatever the method, the memory and the threads, curves and figures are those of the
    model called for every phantom observation in one thread.
    """
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
    plain = fuzz.quiet(explain, model, rows, **options, method="brute")
    if isinstance(rows, np.ndarray):
        assert_array_equal(rows, before)
    else:
        pd.testing.assert_frame_equal(rows, before)
    if is_refusal(found):
        assert is_refusal(plain) or is_refused_by_way(way)
        return
    assert not is_refusal(plain)
    event(f"method {found.method}")
    is_single = fit.is_single or (isinstance(rows, np.ndarray) and rows.dtype == np.float32)
    rounding = 4e-6 if is_single else 1e-11
    if "extreme" in frame.kinds:  # products of matrices of huge numbers may be rounded otherwise in smaller calls
        alone = fuzz.quiet(explain, model, rows, **options, method="brute", memory_limit=1)
        sizes = [max(abs(bound) for bound in feature._prediction_range) for feature in plain.values()]
        pairs = zip(alone.values(), plain.values(), strict=True)
        apart = fuzz.quiet(lambda: [np.abs(one.curves - other.curves).max() for one, other in pairs])
        if any(np.array(apart) > 0.1 * rounding * np.array(sizes)):
            event("rounded by call")
            return
    with np.errstate(over="ignore"):  # CatBoost casts to float32 what curves that were not kept are predicted from
        assert_same(found, plain, options["decay"], rounding)


# --- plain loops -----------------------------------------------------------------------------------------


def expected_figures(frame, model, feature, options):
    """Figures and curves of one feature, row by row."""
    numbers, column = frame.matrix, list(frame.names).index(feature.feature)
    n_rows = len(numbers)
    weights = [float(v) for v in options.get("sample_weight", [1.0] * n_rows)]
    positions = feature.rows.tolist() if "sample" in options else list(range(n_rows))
    grid = [fuzz.number(value) for value in np.asarray(feature.grid).tolist()]
    if feature.dtype_kind in {"datetime", "timedelta"}:
        grid = [fuzz.number(value) for value in np.asarray(feature.grid)]
    curves = oracles.curves(model.plain, numbers, column, grid)
    if feature.dtype_kind != "category":
        scale = options.get("distance", {})
        figures = oracles.metrics(
            model.plain, numbers, column, grid=grid, weights=weights, decay=options["decay"],
            own_scale=scale.get(feature.feature), convention=options["convention"], positions=positions,
        )  # fmt: skip
        return figures, curves, oracles.magnitude(model.plain, numbers, column, grid=grid)
    own = [None if math.isnan(value) else value for value in numbers[:, column].tolist()]
    shares = oracles.category_shares(own, weights)
    stand_in = oracles.most_frequent(shares, sorted(shares))  # of equally frequent levels the first one
    filled = [stand_in if value is None else value for value in own]
    kept = [[values[i] for i in positions] for values in (curves, filled, weights)]
    figures = oracles.category_metrics(kept[0], grid, kept[1], shares=shares, weights=kept[2], decay=options["decay"])
    return figures, curves, max(abs(value) for curve in curves for value in curve)


@cases(0.35, 60)
@given(data=st.data())
def test_arbitrary_tables_and_options_have_the_figures_of_plain_loops_or_are_an_error(data):
    """Functions of tables in every container: curves and every figure, whatever the memory and the threads."""
    frame, model = data.draw(fuzz.frames()), data.draw(fuzz.functions())
    options = data.draw(fuzz.options_of(frame))
    if model.n_outputs > 1:
        options["output"] = model.output
    way = data.draw(fuzz.ways()) | {"method": data.draw(st.sampled_from(["auto", "brute"]))}
    note(f"{model}, {options}, {way}")
    found = explain(model, frame.rows, **options, **way)
    if is_refusal(found):
        return
    assert found.notes == [text for text in found.notes if not text.startswith("The prediction of a row")]
    table = found.table(rank_by=None)
    if options.get("distance") == "conditional" or "extreme" in frame.kinds:  # more than loops can tell
        return
    for at, name in enumerate(found.features):
        feature = found[name]
        figures, curves, magnitude = expected_figures(frame, model, feature, options)
        size = max(abs(value) for curve in curves for value in curve)
        # Moments between observed ones are rounded to microseconds.
        rounding = 1e-9 if feature.dtype_kind in {"datetime", "timedelta"} else 1e-12
        close = {"rtol": rounding, "atol": 0.1 * rounding * size}
        assert_allclose(feature.curves, [curves[i] for i in feature.rows], **close, err_msg=str(name))
        for figure, value in figures.items():
            slack = rounding * magnitude if figure in oracles.EFFECTS else 0.0
            if figure in table:
                found_value = table.iloc[at][figure]
                assert_allclose(
                    found_value, value, rtol=max(rounding, 1e-9), atol=slack, err_msg=f"{figure} of {name!r}"
                )


# --- what goes wrong -------------------------------------------------------------------------------------


NOTES_OF_DEPENDENCE = ("Predictions of the same rows", "The prediction of a row")


def differ(found, again):
    """Whether two explanations of one model differ by more than rounding."""
    figures = [e.table(rank_by=None).to_numpy(float) for e in (found, again)]
    size = max(max(map(abs, feature._prediction_range)) for feature in found.values())
    return not np.isclose(*figures, rtol=1e-4, atol=1e-6 * size, equal_nan=True).all()


@st.composite
def bad_arguments(draw):
    """Draw a model that fails or is none, options of any type, or data of any type."""
    frame = draw(fuzz.frames())
    options = draw(fuzz.options_of(frame)) | draw(fuzz.ways())
    name, model = draw(st.one_of(fuzz.bad_models(), st.just(("good", fuzz.good_model()))))
    rows = frame.rows
    if name == "good" or draw(st.integers(0, 3)) == 0:
        for option in draw(st.lists(st.sampled_from(fuzz.OPTIONS), min_size=1, max_size=2)):
            options[option] = draw(st.sampled_from(fuzz.ODD))
        rows = draw(st.sampled_from(fuzz.ODD)) if draw(st.integers(0, 5)) == 0 else rows
    if callable(options.get("progress")) or options.get("progress") is True:
        del options["progress"]  # would be called, and print
    return name, model, rows, options


@cases(0.3, 40)
@given(arguments=bad_arguments(), looks_further=st.integers(0, 3))
def test_arbitrary_models_and_options_are_explained_or_are_an_error(arguments, looks_further):
    """Models that fail, are random or return what is no prediction, and arguments of any type: an explanation or an
    error of ours; and where figures depend on how the model is called, a note says so.
    """
    name, model, rows, options = arguments
    found = explain(model, rows, **options)
    if is_refusal(found):
        return
    assert all(isinstance(text, str) and text for text in found.notes)
    assert not np.isinf(found.table().to_numpy(float)).any()
    if name in {"random: noise", "random: batch"}:
        again = explain(model, rows, **{**options, "memory_limit": 1, "n_jobs": 1})
        if is_refusal(again) or differ(found, again):
            notes = found.notes if is_refusal(again) else [*found.notes, *again.notes]
            assert any(text.startswith(NOTES_OF_DEPENDENCE) for text in notes), notes
    if looks_further == 0:
        try:
            found.drivers(found.features[0])
            if len(found.features) > 1:
                assert np.isfinite(found.two_way(*found.features[:2], grid_size=3).partial_dependence).all()
        except ICEExplorerError as error:
            is_refusal(error)


# --- what was found ----------------------------------------------------------------------------------------


def test_scales_are_conditional_on_numbers_of_any_size():
    """A forest takes columns in single precision, where 1e100 is no number."""
    rows = np.array([[0.0, 1e100], [0.0, 1e15], [2.0, -1e15], [1.0, 3.0]])
    for categorical in ([], ["x0"]):
        found = ice.explain(
            fuzz.good_model(), rows, distance="conditional", categorical_features=categorical, progress=False
        )
        assert np.isfinite(found.table()["impact"]).all()
