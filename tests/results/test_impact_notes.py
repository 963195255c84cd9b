"""Notes on curves that move mostly within one step, or up and down, or whose figure rests on close values."""

import numpy as np
import pytest

import ice_explorer as ice

VALUES = np.concatenate([np.linspace(0, 9.75, 40), [10.0, 10.03], np.linspace(10.25, 20, 40)])
CONVENTIONS = ("step", "paper")


def explained(model, X, **options):
    return ice.explain(model, X, progress=False, **options)


def columns(n_columns, values=VALUES):
    """A few columns of the same values, each in an order of its own."""
    return np.column_stack([np.roll(values, shift) for shift in range(n_columns)])


def steps(*shares):
    """A model that steps by 1 between 10 and 10.03 in some columns, and rises in a line besides."""

    def predict(X):
        X = np.asarray(X, dtype=float)
        return sum(s * (X[:, column] > 10.02) + (1 - s) * X[:, column] / 20 for column, s in enumerate(shares))

    return predict


def zigzag(height):
    """A model that goes up and down from value to value."""
    return lambda X: height * (np.searchsorted(VALUES, np.asarray(X)[:, 0]) % 2)


def test_a_step_that_brings_most_of_the_movement_is_named():
    """More than half between two neighbours that few observations are at, in every convention; several are one note."""
    for convention in CONVENTIONS:
        notes = explained(steps(0.7), columns(1), convention=convention).notes
        assert "'x0': 70 % of the movement happens between 10 and 10.03." in notes
    (note,) = explained(steps(0.7, 0.8, 0.9), columns(3)).notes
    assert note == "3 features ('x0', 'x1' and 'x2'): more than half of the movement happens within one grid step."
    (note,) = explained(steps(0.7, 0.8, 0.9, 0.6, 0.75), columns(5)).notes
    assert note.startswith("5 features ('x0', 'x1', 'x2' and 2 more): ")


def test_five_values_are_enough_for_a_step():
    """Where few observations are at the two between which most of the movement happens."""
    X = np.repeat([0.0, 9.0, 10.0, 10.03, 20.0], [10, 10, 1, 1, 10])[:, None]
    (note,) = explained(steps(0.7), X).notes
    assert note.startswith("'x0': 70 % of the movement")


@pytest.mark.wide
def test_many_features_have_one_note():
    """However many features step, there is one note of at most a few hundred letters."""
    X = np.tile(VALUES[:, None], (1, 300))
    (note,) = explained(lambda X: (np.asarray(X) > 10.02).sum(axis=1).astype(float), X).notes
    assert note.startswith("300 features ('x0', 'x1', 'x2' and 297 more): ")
    assert len(note) < 300


@pytest.mark.parametrize(
    ("share", "values"),
    [
        (0.5 / (1 - 0.03 / 20) * (1 - 2 * 0.03 / 20), VALUES),  # exactly half of the movement
        (0.7, np.array([0.0, 9.0, 10.0, 10.03])),  # four values
        (0.7, np.repeat([0.0, 9.0, 10.0, 10.03, 20.0], [1, 1, 9, 9, 1])),  # most of the data
    ],
    ids=["half", "few values", "many observations"],
)
def test_no_note_without_need(share, values):
    """Half is not more than half; on few values or where the observations are there is no news."""
    assert explained(steps(share), values[:, None]).notes == []


def test_curves_that_go_up_and_down_are_told():
    """Where the way is more than four times the range, by steps; five values are enough for that."""
    e = explained(zigzag(1.0), columns(1))
    assert e.notes == ["'x0': Curves go up and down (81 times their range): the model may follow noise there."]
    (note,) = explained(lambda X: zigzag(1.0)(X) + zigzag(1.0)(X[:, [1]]), columns(2)).notes
    assert note == "2 features ('x0' and 'x1'): curves go up and down, so the model may follow noise there."
    for n_values, is_told in ((5, False), (6, True)):
        X = np.arange(float(n_values))[:, None]
        assert bool(explained(lambda X: np.asarray(X)[:, 0] % 2, X).notes) == is_told


def test_impact_from_values_close_together_is_told():
    """Where the paper's figure is more than twice that of a step; large figures are whole numbers."""
    for size, shown in ((1.0, ".3g"), (10_000.0, ",.0f")):
        model = lambda X, size=size: size * steps(0.7)(X)  # noqa: E731
        e, per_step = (explained(model, columns(1), convention=name) for name in ("paper", "step"))
        paper, step = (each["x0"].metrics()["impact"] for each in (e, per_step))
        assert (
            f"'x0': By the paper's intervals {paper:{shown}}, per step of one standard deviation {step:{shown}}: "
            "changes between close values weigh most."
        ) in e.notes
    e = explained(steps(0.7, 0.7), columns(2), convention="paper")
    assert (
        "2 features ('x0' and 'x1'): by the paper's intervals impact is more than twice that per step of one standard "
        "deviation, because changes between close values weigh most."
    ) in e.notes
    assert not any("paper" in note for note in explained(steps(0.7), columns(1)).notes)
    assert not any("paper" in note for note in explained(steps(0.0), columns(1), convention="paper").notes)
