"""How often and how much at a time a model is called, and what is reported meanwhile."""

import time

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import ice_explorer as ice
from ice_explorer.curves.brute import BatchSize
from ice_explorer.errors import Cancelled
from ice_explorer.locks import working
from ice_explorer.plan import prepare
from ice_explorer.results.options import Options

X = np.random.default_rng(0).normal(size=(60, 3)).round(1)


class Model:
    """Counts the rows of its calls; each row takes some time."""

    def __init__(self, seconds=0.0):
        self.seconds, self.calls = seconds, []

    def __call__(self, rows):
        self.calls.append(len(rows))
        time.sleep(self.seconds * len(rows))
        return rows[:, 0] * rows[:, 1] + rows[:, 2]


# --- the size of a call ---------------------------------------------------------------------------


def settled(seconds_of, most=1 << 16):
    """Sizes of the calls of a model that takes so long for so many phantoms, until they stay the same."""
    calls, sizes = BatchSize(most), []
    for _ in range(30):
        sizes.append(calls.next)
        calls.record_time(sizes[-1], seconds_of(sizes[-1]))
    return sizes


@pytest.mark.parametrize(
    ("seconds_of", "most", "size"),
    [
        (lambda n: 1e-3 * n, 1 << 16, 500),  # half a second
        (lambda n: 1e-2 * n, 1 << 16, 50),
        (lambda n: 1.0 * n, 1 << 16, 1),
        (lambda n: 1e-8 * n + 1e-5, 1 << 16, 1 << 16),
        (lambda _: 3.0, 1 << 16, 1 << 16),  # of a service, whose answers take the same time whatever their number
        (lambda n: 1e-6 * n, 1, 1),
        (lambda n: 1e-6 * n, 600, 600),
    ],
    ids=["slow", "slower", "a row at a time", "fast", "a service", "one phantom", "little memory"],
)
def test_calls_take_half_a_second_or_are_as_large_as_they_may_be(seconds_of, most, size):
    """Never larger than memory allows, nor smaller than one phantom observation."""
    sizes = settled(seconds_of, most)
    assert sizes[-1] == pytest.approx(size, rel=0.01)
    assert max(sizes) <= most


def test_one_slow_call_does_not_decide_the_size():
    """Another program may have held it up."""
    slow = iter([True] + [False] * 30)
    assert settled(lambda n: 1e-8 * n * (2 if n > 1 << 12 and next(slow) else 1))[-1] == 1 << 16


# --- progress and cancelling ----------------------------------------------------------------------


def test_progress_is_reported_while_a_block_is_computed():
    """One block holds all phantoms of a feature here."""
    done, model = [], Model(2e-4)
    ice.explain(model, X, method="brute", progress=lambda made, total, label: done.append((made, total, label)))
    totals = {total for _, total, _ in done}
    assert len(totals) == 1
    assert done[-1][0] == totals.pop()
    assert len([made for made, _, label in done if label == "x0"]) > 2
    assert [made for made, _, _ in done] == sorted(made for made, _, _ in done)


def test_a_cancel_takes_effect_before_the_next_call():
    """Not after the block."""
    model, calls = Model(), []

    def cancelled():
        calls.append(len(model.calls))
        return len(model.calls) >= before + 2

    plan = prepare(model, X, Options(grid="uniform", grid_size=200))
    before = len(model.calls)
    with pytest.raises(Cancelled), working(cancelled):
        plan.compute("x0")
    assert len(model.calls) == before + 2


# --- curves that are there are used ---------------------------------------------------------------


def test_curves_that_are_there_are_not_computed_again():
    """Neither for rows, nor for pictures, tidy data or drivers."""
    model = Model()
    e = ice.explain(model, X)
    f = e["x0"]
    curves = f.curves
    n_calls = len(model.calls)
    assert_array_equal(f.compute_curves([5, 1]), curves[[5, 1]])
    e.to_frame("x0")
    plt.close(e.plot("x0").figure)
    assert all(size <= 64 for size in model.calls[n_calls:])  # the few that show whether the model has changed


def test_rows_without_weight_are_computed_once_and_others_are_kept():
    """The metrics leave them out, so that their curves are new; a second call has them."""
    model = Model()
    f = ice.explain(model, X, sample_weight=np.arange(60) % 3, method="brute")["x0"]
    n_calls = len(model.calls)
    curves = f.compute_curves([0, 1, 2])  # the first one has weight 0
    assert sum(model.calls[n_calls:]) <= 64 + len(f.grid)  # 64 show whether the model has changed
    n_calls = len(model.calls)
    assert_array_equal(f.compute_curves([2, 0]), curves[[2, 0]])
    assert model.calls[n_calls:] == []
    assert_array_equal(f.curves[[0, 1, 2]], curves)


@pytest.mark.parametrize("weights", [None, np.arange(60) % 3])
@pytest.mark.parametrize("options", [{}, {"sample": 20}, {"method": "brute"}])
def test_curves_are_kept_where_they_fit_into_memory(options, weights):
    """They are what they would have been, and the model is not called for them."""
    model = Model()
    kept = ice.explain(model, X, sample_weight=weights, **options)
    n_rows = sum(model.calls)
    curves = {f.feature: f.curves for f in kept.values()}
    if weights is None:
        assert sum(model.calls) == n_rows
    plain = ice.explain(model, X, sample_weight=weights, memory_limit="1kB", **options)
    n_rows = sum(model.calls)
    for f in plain.values():
        assert_array_equal(f.curves, curves[f.feature])
    assert sum(model.calls) > n_rows


def test_late_curves_report_their_progress():
    """By the option of the explanation."""
    done = []
    f = ice.explain(Model(), X, memory_limit="1kB", progress=lambda *report: done.append(report))["x0"]
    done.clear()
    assert f.curves.size == done[-1][0] == done[-1][1]
