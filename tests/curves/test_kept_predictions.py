"""Predictions of all classes that an explorer keeps for another class: as many as it has room for."""

import numpy as np

from ice_explorer.widget import session

N = 30
OF_A_FEATURE = N * N  # phantom observations: every value of each row
X = np.random.default_rng(0).normal(size=(N, 4))


class Counted:
    """A classifier of three classes that counts the rows it predicts."""

    classes_ = ("red", "green", "blue")

    def __init__(self):
        self.n_rows = 0

    def predict(self, rows):
        return np.array(self.classes_)[self.predict_proba(rows).argmax(axis=1)]

    def predict_proba(self, rows):
        self.n_rows += len(rows)
        scores = np.exp(np.column_stack([rows[:, 0], rows[:, 1] * rows[:, 2], rows[:, 3]]))
        return scores / scores.sum(axis=1, keepdims=True)


def test_what_has_no_room_is_predicted_again(make, monkeypatch):
    """The room is for all features together: here two of four, which need no call for another class."""
    monkeypatch.setattr(session, "_KEPT_ANSWERS", int(2.5 * OF_A_FEATURE * len(Counted.classes_) * 8))
    model = Counted()
    explorer = make(model, X, output="red", engine="brute")
    assert explorer.explanation is not None
    n_before = model.n_rows
    explorer.output = "blue"
    assert explorer.explanation is not None
    assert 2 * OF_A_FEATURE <= model.n_rows - n_before < 3 * OF_A_FEATURE
