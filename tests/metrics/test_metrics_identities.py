"""What must hold between figures whatever the model and the table: no expected values, only laws."""

import math

import numpy as np
import pandas as pd
import pytest
import strategies as own
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.tree import DecisionTreeRegressor

import ice_explorer as ice
from ice_explorer.errors import DataError

EFFECTS = ["impact", "in_distribution_impact", "direction", "heterogeneity", "non_linearity"]
NUMBERS = [*EFFECTS, "missing_impact", "support"]
CONVENTIONS = ["step", "paper"]
FEW = settings(max_examples=40)
COARSE = st.one_of(own.WHOLE, own.QUARTERS)


def explained(model, X, **options):
    return ice.explain(model, X, progress=False, **options)


def table(model, X, **options):
    return explained(model, X, **options).table(rank_by=None)


def steepest(e):
    """Largest slope of any feature per standard deviation: the size that rounding is relative to."""
    ordered = [f for f in e.values() if f.dtype_kind != "category"]
    return max((float(f.scale * np.abs(f.slopes).max(initial=0.0)) for f in ordered), default=1.0)


def assert_same(actual, expected, size, columns=NUMBERS, rtol=1e-9):
    """Compare two tables column by column, effects up to the rounding of the steepest slope."""
    for name in columns:
        found, known = (values[name].to_numpy(dtype=float) for values in (actual, expected))
        assert_allclose(found, known, rtol=rtol, atol=1e-11 * size if name in EFFECTS else 0.0, err_msg=name)


@st.composite
def cases(draw, **options):
    """A table, its weights, and an explanation by brute force of a function, or by the trees that learned it."""
    X, model = draw(own.varied_tables(**options)), draw(own.curved_models())
    weights = draw(st.one_of(st.none(), own.weights(len(X))))
    method = draw(st.sampled_from(["brute", "tree"]))
    if method == "tree":
        model = DecisionTreeRegressor(random_state=0).fit(X, model(X))
    return model if method == "brute" else model.predict, X, {"sample_weight": weights}, model, {"method": method}


# --- effects ---------------------------------------------------------------------------------------


@FEW
@given(X=own.tables(n_features=3, values=COARSE), model=own.linear_models(3), options=own.OPTIONS, data=st.data())
def test_a_linear_model_has_its_coefficients_for_figures(X, model, options, data):
    """Impact and in-distribution impact are σ·|β| for every decay, direction σ·β, nothing bends, nothing differs."""
    weights = data.draw(st.one_of(st.none(), own.weights(len(X)) if len(X) > 1 else st.none()))
    e = explained(model, X, sample_weight=weights, **options)
    beta, other = np.array(model.parameters[1:]), data.draw(own.OTHER_DECAYS)
    for figures in (e.table(rank_by=None), e.table(other, rank_by=None)):
        sigma = np.array([f.scale for f in e.values()])
        close = {"rtol": 1e-9, "atol": 1e-9 * (1 + np.abs(beta).max())}
        assert_allclose(figures["impact"], sigma * np.abs(beta), **close)
        assert_allclose(figures["in_distribution_impact"], sigma * np.abs(beta), **close)
        assert_allclose(figures["direction"], sigma * beta, **close)
        assert_allclose(figures[["heterogeneity", "non_linearity"]], 0.0, **close)
        assert_allclose(sigma, [own_sd(X[:, j], weights) for j in range(3)], rtol=1e-12)


def own_sd(values, weights):
    mean = np.average(values, weights=weights)
    return math.sqrt(np.average((values - mean) ** 2, weights=weights))


@FEW
@given(case=cases(), convention=own.CONVENTION_NAMES)
def test_bounds_and_identities_of_effects(case, convention):
    """Impact is between direction and, by steps, the mean range of the curves; without decay nothing weighs less."""
    _, X, weights, model, method = case
    e = explained(model, X, convention=convention, **weights, **method)
    for f in e.values():
        figures, slack = f.metrics(1.0), 1e-11 * (1 + steepest(e))
        assert figures["impact"] >= abs(figures["direction"]) - slack
        assert_allclose(figures["in_distribution_impact"], figures["impact"], rtol=1e-9, atol=slack)
        assert_allclose(figures["support"], 1.0, rtol=1e-12)
        if convention == "step" and len(f.grid) > 1 and np.ptp(f.grid) >= f.scale:
            extent = np.average(np.ptp(f.curves, axis=1), weights=weights["sample_weight"])
            assert figures["impact"] <= extent * (1 + 1e-9) + slack
        if len(f.grid) == 2:
            assert_allclose(figures["non_linearity"], 0.0, atol=slack)


@FEW
@given(X=own.tables(min_rows=2), model=own.additive_models(), options=own.OPTIONS, method=st.sampled_from("bt"))
def test_rows_of_an_additive_model_do_not_differ(X, model, options, method):
    """The curves of a feature are parallel: of a sum of functions, and of stumps."""
    if method == "t":
        model = GradientBoostingRegressor(n_estimators=4, max_depth=1, random_state=0).fit(X, model(X))
    e = explained(model, X, method="tree" if method == "t" else "brute", **options)
    size = (
        max(max(map(abs, f._prediction_range)) * f.scale / np.diff(f.grid).min() for f in e.values() if len(f.grid) > 1)
        if any(len(f.grid) > 1 for f in e.values())
        else 1.0
    )
    assert_allclose(e.table()["heterogeneity"], 0.0, atol=1e-13 * size)


@FEW
@given(case=cases())
def test_curves_and_their_mean(case):
    """The mean is the partial dependence, weighted; the spread their SD, ddof 0; each passes its row's prediction."""
    predict, X, options, model, method = case
    e, weights = explained(model, X, **options, **method), options["sample_weight"]
    for column, f in enumerate(e.values()):
        mean = np.average(f.curves, axis=0, weights=weights)
        spread = np.sqrt(np.average((f.curves - mean) ** 2, axis=0, weights=weights))
        size = 1 + np.abs(f.curves).max()
        assert_allclose(f.partial_dependence, mean, rtol=1e-12, atol=1e-13 * size)
        assert_allclose(f.spread, spread, rtol=1e-9, atol=1e-12 * size)
        on_grid = np.flatnonzero(np.isin(X[:, column], f.grid))  # rows without weight may be elsewhere
        at_own = np.searchsorted(f.grid, X[on_grid, column])
        assert_allclose(f.curves[on_grid, at_own], predict(X)[on_grid], rtol=1e-14, atol=1e-14 * size)
        assert_allclose(f._predictions(np.arange(len(X))), predict(X), rtol=1e-14, atol=1e-14 * size)
        assert_array_equal(f.observed, X[:, column])


# --- rows -------------------------------------------------------------------------------------------


@st.composite
def mixed_tables(draw):
    """Numbers, with missing ones, flags, texts, ordered levels and moments."""
    n = draw(st.integers(6, 14))
    column = lambda values: draw(st.lists(values, min_size=n, max_size=n))  # noqa: E731
    return pd.DataFrame(
        {
            "number": column(COARSE),
            "gap": column(st.one_of(st.just(math.nan), COARSE)),
            "flag": column(st.booleans()),
            "text": column(st.sampled_from(["a", "b", "c"])),
            "lost": column(st.sampled_from(["x", "y", "z", None])),
            "size": pd.Categorical(column(st.sampled_from("SML")), ["S", "M", "L"], ordered=True),
            "day": pd.Timestamp("2024-02-28") + pd.to_timedelta(column(st.integers(0, 4)), unit="D"),
        }
    ).assign(gap=lambda X: X["gap"].where(X.index > 0, 1.0), lost=lambda X: X["lost"].where(X.index > 0, "y"))


def of_mixed(X):
    """Predict from every column, with interactions."""
    day = (pd.to_datetime(X["day"]) - pd.Timestamp("2024-03-01")).dt.total_seconds().to_numpy() / 86400
    gap = X["gap"].fillna(3.0).to_numpy(float)
    size = X["size"].astype(str).map({"S": 0, "M": 1, "L": 4}).to_numpy(float)
    text = X["text"].astype(str).map({"a": 0, "b": 2, "c": 1}).to_numpy(float)
    lost = X["lost"].map({"x": 1, "y": 3, "z": -2}).fillna(0.5).to_numpy(float)
    flag = X["flag"].to_numpy().astype(float)
    return (
        lost * (flag + size)
        + X["number"].to_numpy() * (text + flag)
        + np.abs(gap) * size
        + day * text
        + np.maximum(day, 0) * gap
    )


@settings(max_examples=8)
@given(X=mixed_tables(), options=own.OPTIONS, data=st.data())
def test_the_order_of_rows_does_not_matter(X, options, data):
    """To any figure of any kind, and to any effect of numbers and of texts, with missing ones."""
    assert_order_is_nothing(of_mixed, X, data.draw(st.permutations(range(len(X)))), **options)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_order_of_rows_does_not_matter_to_conditional_scales(seed):
    """Of numbers and of texts, with ties."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"number": rng.integers(-3, 4, 30) / 2, "text": rng.choice(list("abc"), 30)})
    model = lambda Z: Z["number"].to_numpy() ** 2 * (1 + (Z["text"] == "b").to_numpy())  # noqa: E731
    assert_order_is_nothing(model, X, rng.permutation(30), distance="conditional")


def assert_order_is_nothing(model, X, order, **options):
    e, other = (explained(model, rows, **options) for rows in (X, X.iloc[order]))
    assert_same(e.table(rank_by=None), other.table(rank_by=None), 1 + steepest(e))
    for name in e.features:
        assert str(other[name]._item.feature.levels) == str(e[name]._item.feature.levels)
        pd.testing.assert_frame_equal(other.effects(name), e.effects(name), rtol=1e-9, atol=1e-11)


@FEW
@given(case=cases(), options=own.OPTIONS)
def test_every_row_twice(case, options):
    """Changes heterogeneity by its ddof factor, nothing else."""
    _, X, _, model, method = case
    e, n = explained(model, X, **options, **method), len(X)
    expected = e.table(rank_by=None)
    expected["heterogeneity"] *= math.sqrt((2 * n - 2) / (2 * n - 1))
    assert_same(table(model, np.repeat(X, 2, axis=0), **options, **method), expected, 1 + steepest(e))


@FEW
@given(case=cases(), options=own.OPTIONS, n_jobs=st.sampled_from([1, 2]), memory=st.sampled_from(["20kB", "1GB"]))
def test_threads_and_memory_change_no_bit(case, options, n_jobs, memory):
    """Figures and curves are those of one thread and the usual memory."""
    _, X, _, model, method = case
    options |= method
    usual, other = explained(model, X, **options), explained(model, X, n_jobs=n_jobs, memory_limit=memory, **options)
    pd.testing.assert_frame_equal(other.table(), usual.table(), check_exact=True)
    for f, known in zip(other.values(), usual.values(), strict=True):
        assert_array_equal(f.curves, known.curves)


# --- units and codes ---------------------------------------------------------------------------------


@FEW
@given(
    X=own.varied_tables(),
    model=own.curved_models(),
    unit=st.one_of(
        st.tuples(st.sampled_from([0.125, 0.5, 2.0, 64.0]), st.sampled_from([0.0, -8.0, 0.5])), st.just((-1.0, 0.0))
    ),
    options=own.OPTIONS,
)
def test_the_unit_of_a_feature_does_not_matter(X, model, unit, options):
    """Shifting and stretching change nothing but its scale; mirroring, by steps, nothing but the sign of direction."""
    factor, shift = unit
    if factor < 0:
        options = options | {"convention": "step"}
    e = explained(model, X, **options)
    expected = e.table(rank_by=None)
    expected.iloc[0, expected.columns.get_loc("direction")] *= np.sign(factor)

    def adjusted(Z):
        Z = np.array(Z, dtype=float)
        Z[:, 0] = (Z[:, 0] - shift) / factor
        return model(Z)

    moved = X.copy()
    moved[:, 0] = X[:, 0] * factor + shift
    assert_same(table(adjusted, moved, **options), expected, steepest(e))


@FEW
@given(
    X=own.tables(values=COARSE),  # an offset costs digits, which a tiny gap would magnify
    model=own.curved_models(),
    factor=st.sampled_from([-3.0, -1.0, 0.25, 1e6]),
    offset=st.sampled_from([0.0, 2.0]),
    options=own.OPTIONS,
)
def test_the_unit_of_the_output_scales_the_effects(X, model, factor, offset, options):
    """Direction follows the factor with its sign, every other effect its size; an offset is lost."""
    e = explained(model, X, **options)
    expected = e.table(rank_by=None)
    for name in EFFECTS:
        expected[name] *= factor if name == "direction" else abs(factor)
    scaled = explained(lambda Z: factor * (model(Z) + offset), X, **options)
    assert_same(scaled.table(rank_by=None), expected, abs(factor) * max(steepest(e), 1.0))


@FEW
@given(
    flags=st.lists(st.booleans(), min_size=2, max_size=12).filter(lambda flags: len(set(flags)) == 2),
    model=own.curved_models(),
    decays=st.tuples(own.DECAYS, own.OTHER_DECAYS),
    data=st.data(),
)
def test_one_variable_has_one_column_of_figures_however_it_is_coded(flags, model, decays, data):
    """0/1, 1/0, False/True, two texts and two ordered levels agree at every decay."""
    flags = np.array(flags)
    z = np.array(data.draw(st.lists(COARSE, min_size=len(flags), max_size=len(flags))))
    texts = np.where(flags, "yes", "no")
    codings = {
        "0/1": (flags.astype(float), lambda values: values),
        "1/0": (1.0 - flags, lambda values: 1.0 - values),
        "bool": (flags, lambda values: values.astype(float)),
        "texts": (texts, lambda values: (values == "yes").astype(float)),
        "levels": (pd.Categorical(texts, ["no", "yes"], ordered=True), lambda values: (values == "yes").astype(float)),
    }
    for decay in decays:
        found = {}
        for name, (column, decoded) in codings.items():

            def predict(Z, decoded=decoded):
                return model(np.column_stack([decoded(Z["x"].to_numpy()).astype(float), Z["z"].to_numpy()]))

            e = explained(predict, pd.DataFrame({"x": column, "z": z}), decay=decays[0], features=["x"])
            found[name] = e["x"].metrics(decay)
        known = found["0/1"]
        close = {"rtol": 1e-9, "atol": 1e-12 * (1 + max(abs(v) for v in known.values() if not math.isnan(v)))}
        for name, figures in found.items():
            for metric in ("impact", "in_distribution_impact", "heterogeneity"):
                assert_allclose(figures[metric], known[metric], **close, err_msg=f"{metric} of {name}")
        assert_allclose(found["1/0"]["direction"], -known["direction"], **close)
        for name in ("bool", "levels"):
            assert_allclose([found[name][metric] for metric in EFFECTS], [known[m] for m in EFFECTS], **close)


@settings(max_examples=10)
@given(X=mixed_tables(), options=own.OPTIONS)
def test_kinds_are_numbers_or_levels(X, options):
    """Ordered levels are ranks, moments days, with their own grids; conventions tell no unordered levels apart."""
    e, n = explained(of_mixed, X, **options), len(X)
    present = X["size"].cat.remove_unused_categories()
    start = X["day"].min()
    codes = {"size": X["size"].cat.codes.astype(float), "day": (X["day"] - start).dt.days.astype(float)}

    def decoded(Z):
        size = pd.Categorical.from_codes(Z["size"].astype(int), dtype=X["size"].dtype)
        return of_mixed(Z.assign(size=size, day=start + pd.to_timedelta(Z["day"], unit="D")))

    of_numbers = explained(decoded, X.assign(**codes), **options)
    assert_same(e.table(rank_by=None), of_numbers.table(rank_by=None), 1 + steepest(e))
    assert list(e["size"].grid) == list(present.cat.categories)
    assert list(e["day"].grid) == sorted(X["day"].unique())
    assert set(e["text"].grid) == set(X["text"])
    with pytest.raises(ValueError, match="Slopes"):
        _ = e["text"].slopes
    by_paper = explained(of_mixed, X, **{**options, "convention": "paper"})["text"]
    assert_array_equal(*(list(each.metrics(0.3).values()) for each in (e["text"], by_paper)))
    shares = X["text"].value_counts().to_numpy() / n
    assert_allclose(e["text"].scale, math.sqrt((1 - np.square(shares).sum()) / 2), rtol=1e-9, atol=1e-12)


# --- missing values, constants ------------------------------------------------------------------------


@settings(max_examples=10)
@given(X=mixed_tables(), decay=own.DECAYS, jump=st.sampled_from([0.0, 5.0]), data=st.data())
def test_missing_values_are_a_level_of_their_own(X, decay, jump, data):
    """What is predicted there moves `missing_impact` alone: the mean change from the own value, or the median."""
    X["text"] = X["text"].where(np.array(data.draw(st.lists(st.booleans(), min_size=len(X), max_size=len(X)))), None)
    X.loc[0, "text"] = "a"
    counts = X["text"].value_counts()
    assume(len(counts) == 1 or counts.iloc[0] > counts.iloc[1])

    def predict(Z, jump=jump):
        at_nan = Z["gap"].isna().to_numpy() + 2.0 * Z["text"].isna().to_numpy()
        return of_mixed(Z.assign(text=Z["text"].fillna("b"))) + jump * at_nan

    e, plain = explained(predict, X, decay=decay), explained(lambda Z: predict(Z, 0.0), X, decay=decay)
    figures = [name for name in NUMBERS if name != "missing_impact"]
    assert_same(e.table(rank_by=None), plain.table(rank_by=None), 1 + steepest(e), figures)
    for name in ("gap", "text"):
        known = X[name].dropna()
        if len(known) == len(X):
            assert math.isnan(e[name].metrics()["missing_impact"])
            continue
        usual = np.sort(known)[(len(known) - 1) // 2] if name == "gap" else counts.index[0]
        change = predict(X.assign(**{name: None if name == "text" else math.nan})) - predict(
            X.assign(**{name: X[name].fillna(usual)})
        )
        assert_allclose(e[name].metrics()["missing_impact"], np.abs(change).mean(), rtol=1e-9, atol=1e-11)
        assert_allclose(e[name].missing_curve, predict(X.assign(**{name: None if name == "text" else math.nan})))
        assert not pd.isna(np.asarray(e[name].grid)).any()


@FEW
@given(X=own.varied_tables(min_rows=3), model=own.curved_models(), options=own.OPTIONS, value=COARSE)
def test_a_feature_of_one_value_has_no_effect_and_a_curve(X, model, options, value):
    """A constant one without a note; a grid of one value of one that has more is told."""
    constant = X.copy()
    constant[:, 0] = value
    for rows, more in ((constant, {}), (X, {"grid": {"x0": [value]}})):
        e = explained(model, rows, **options, **more)
        figures = e["x0"].metrics()
        assert [figures[name] for name in EFFECTS] == [0.0] * 5
        assert figures["support"] == 1.0
        assert_allclose(e["x0"].curves[:, 0], model(constant), rtol=1e-14)
        assert any("one value" in note for note in e.notes) == bool(more), e.notes


def test_infinite_values_are_an_error():
    """Which names the column and the rows."""
    X = pd.DataFrame({"x": [0.0, math.inf, 2.0, -math.inf], "z": 1.0})
    with pytest.raises(DataError, match=r"(?s)'x'.*\b1\b.*\b3\b"):
        explained(lambda Z: Z["x"].to_numpy(), X)


@pytest.mark.parametrize(("convention", "ratio"), [("step", 1.0), ("paper", 2.0)])
def test_halving_the_gap_under_a_jump(convention, ratio):
    """The slope across a jump doubles when its gap halves; the change by one standard deviation does not."""

    def jump(X):
        return (np.asarray(X)[:, 0] > 0.5).astype(float)

    def steepness(gap):
        values = np.array([0.0, 0.125, 0.25, 0.375, 0.5, 0.5 + gap, 0.625, 0.75, 1.0])
        f = explained(jump, values[:, np.newaxis], convention=convention)["x0"]
        return f.metrics()["impact"] / f.scale

    assert_allclose(steepness(2.0**-8) / steepness(2.0**-7), ratio, rtol=1e-2)
