"""Notes on an impact that rests on one step, or on values that lie close together."""

import numpy as np
import pytest

import ice_explorer as ice

VALUES = np.array([0.0, 1.0, 2.0, 2.03125, 3.0, 4.0])


def explained(model, X, **options):
    return ice.explain(model, X, progress=False, **options)


def columns(n_columns):
    """A few columns of the same values, each in an order of its own."""
    return np.column_stack([np.roll(VALUES, shift) for shift in range(n_columns)])


def steps(*shares):
    """A model that steps by 1 between 2 and 2.03125 in some columns, and rises in a line besides."""

    def predict(X):
        X = np.asarray(X, dtype=float)
        total = np.zeros(len(X))
        for column, share in enumerate(shares):
            total += share * (X[:, column] > 2.02) + (1 - share) * X[:, column] / 4
        return total

    return predict


def test_a_step_that_brings_most_of_the_movement_is_named():
    """More than half between two neighbours that take a small part of the axis, in every convention."""
    for convention in ("stable", "equations", "published"):
        e = explained(steps(0.7), columns(1), convention=convention)
        assert [note for note in e.notes if "of the change happens" in note] == [
            "'x0': 70 % of the change happens between 2 and 2.03125."
        ]


def test_steps_of_several_features_are_one_note():
    """The count, three names with their steps, and how many more there are."""
    e = explained(steps(0.7, 0.8, 0.9), columns(3))
    (note,) = e.notes
    assert note == (
        "3 features: more than half of the change happens within one grid step: "
        "'x0' (70 % between 2 and 2.03125), 'x1' (80 % between 2 and 2.03125) and 'x2' (90 % between 2 and 2.03125)."
    )
    e = explained(steps(0.7, 0.8, 0.9, 0.6, 0.75), columns(5))
    (note,) = e.notes
    assert note == (
        "5 features: more than half of the change happens within one grid step: "
        "'x0' (70 % between 2 and 2.03125), 'x1' (80 % between 2 and 2.03125), 'x2' (90 % between 2 and 2.03125) "
        "and 2 more."
    )


@pytest.mark.wide
def test_two_thousand_features_have_one_note():
    """However many features step, there is one note of at most a few hundred letters."""
    X = np.tile(VALUES[:, None], (1, 2000))

    def predict(X):
        return (np.asarray(X) > 2.02).sum(axis=1).astype(float)

    (note,) = explained(predict, X).notes
    assert note.startswith("2,000 features: ")
    assert note.endswith(" and 1,997 more.")
    assert len(note) < 300


@pytest.mark.parametrize(
    ("share", "values"),
    [
        (0.5 / (1 - 0.03125 / 4) * (1 - 2 * 0.03125 / 4), VALUES),  # exactly half of the movement
        (0.7, VALUES[[0, 1, 2, 3]]),  # four values
        (0.7, np.array([0.0, 1.0, 2.0, 3.0, 4.0])),  # a quarter of the axis
    ],
    ids=["half", "few values", "wide step"],
)
def test_no_note_without_need(share, values):
    """Half is not more than half; on few values or over a wide step there is no news."""
    e = explained(steps(share), values[:, None])
    assert e.notes == []


def test_impact_from_values_close_together_is_told():
    """Where intervals count alike and that makes more than twice the stable impact."""
    e = explained(steps(0.7), columns(1), convention="equations")
    stable = e.table(convention="stable")["impact"].iloc[0]
    assert e.notes[0] == (
        f"'x0': By intervals {e.table()['impact'].iloc[0]:.3g}, evenly along the axis {stable:.3g}: "
        "most comes from values that lie close together."
    )
    published = explained(steps(0.7), columns(1), convention="published")
    assert published.notes[0].startswith("'x0': As published ")
    assert not any("along the axis" in note for note in explained(steps(0.7), columns(1)).notes)
    assert not any("along the axis" in note for note in explained(steps(0.0), columns(1), convention="equations").notes)


def test_large_figures_are_whole_numbers():
    """A note reads 7,106, not 7.11e+03."""
    e = explained(lambda X: 10_000 * steps(0.7)(X), columns(1), convention="equations")
    counted, even = e.table()["impact"].iloc[0], e.table(convention="stable")["impact"].iloc[0]
    assert e.notes[0].startswith(f"'x0': By intervals {counted:,.0f}, evenly along the axis {even:,.0f}: ")


def test_impact_of_several_features_from_values_close_together_is_one_note():
    """The count, and both figures of each feature that is named."""
    e = explained(steps(0.7, 0.7), columns(2), convention="equations")
    figures = [f"{e.table(convention=name)['impact'].iloc[0]:.3g}" for name in ("equations", "stable")]
    both = f"{figures[0]} against {figures[1]}"
    assert e.notes[0] == (
        "2 features: impact by intervals is more than twice that evenly along the axis, "
        f"because most of it comes from values that lie close together: 'x0' ({both}) and 'x1' ({both})."
    )
