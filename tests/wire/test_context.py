"""What the first screen says: how groups differ, which model it is, and how good it is."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ice_explorer import ICEExplorer, explain
from ice_explorer.scene.build import scene
from ice_explorer.scene.choices import ViewState
from ice_explorer.wire.header import describe_header, score_text
from ice_explorer.wire.replies import describe_curves, describe_drivers

N = 400


@pytest.fixture(scope="module", name="X")
def some_rows():
    draw = np.random.default_rng(0)
    return pd.DataFrame({"a": draw.uniform(-1, 1, N), "b": draw.choice(["x", "y"], N), "c": draw.uniform(-1, 1, N)})


def said(predict, X, feature):
    """The sentence, and which group each of its parts is of."""
    explanation = explain(predict, X)
    parts = describe_drivers(explanation[feature], explanation[feature]._search_drivers()).sentence
    return "".join(part.text for part in parts), [part.group for part in parts if part.group is not None]


def test_groups_with_opposite_effects_are_told_with_their_changes(X):
    """From the lowest to the highest value, as plain means over the rows of each group."""
    sentence, groups = said(lambda X: X["a"] * np.where(X["b"] == "y", 2.0, -1.0), X, "a")
    width = np.ptp(X["a"])
    average = width * np.where(X["b"] == "y", 2.0, -1.0).mean()
    assert re.fullmatch(r"\+\S+ on average, but not one effect: \S+ where b is [xy], \S+ elsewhere\.", sentence)
    first, named, other = (float(text.replace("−", "-")) for text in re.findall(r"[+−][\d.]+", sentence))
    np.testing.assert_allclose([first, *sorted([named, other])], [average, -width, 2 * width], rtol=0.01)
    assert sorted(groups) == [0, 1]


def test_groups_are_compared_where_both_have_rows():
    """Few small flats have many rooms: what the model predicts of such flats says nothing about them."""
    draw = np.random.default_rng(0)
    area = draw.uniform(30, 130, N)
    flats = pd.DataFrame({"rooms": np.clip(np.round(area / 25 + draw.normal(size=N) / 2), 1, 8), "area": area})
    small = flats["rooms"][flats["area"] <= 80]
    most = small.quantile(0.99)

    def rent(X):
        """Opposite changes, and far larger ones where one group alone has rows."""
        signs = np.where(X["area"] > 80, 2.0, -1.0)
        return 10 * signs * np.minimum(X["rooms"], most) + 100 * (X["rooms"] > most)

    sentence, _ = said(rent, flats, "rooms")
    assert re.match(rf"From \d to {most:.0f}: ", sentence), sentence
    assert max(abs(float(number)) for number in re.findall(r"[+−]([\d.]+)", sentence)) < 100


def test_figures_have_the_sentence_of_the_screen(X):
    """Once the groups are known, as they are on screen; figures do not search for them."""
    explanation = explain(lambda X: X["a"] * np.where(X["b"] == "y", 2.0, -1.0), X)
    state = ViewState(feature="a")
    assert scene(explanation, state).average.startswith("On average")
    parts = describe_drivers(explanation["a"], explanation["a"]._search_drivers()).sentence
    assert scene(explanation, state).average == "".join(part.text for part in parts)


def test_the_sentence_says_where_curves_go_up_and_down(X):
    """On screen and in figures, in the words of the note."""
    explanation = explain(lambda X: np.sin(1e4 * X["a"]), X)
    note = "Curves go up and down ("
    assert note in describe_curves(explanation, explanation["a"], 10, []).average
    assert note in scene(explanation, ViewState(feature="a")).average
    assert note not in describe_curves(explanation, explanation["c"], 10, []).average


def test_a_mean_that_turns_is_told_between_its_extrema(X):
    """Else a valley would be no change at all."""
    sentence, _ = said(lambda X: np.abs(X["a"]) * np.where(X["b"] == "y", 3.0, 1.0), X, "a")
    assert re.match(
        r"From (−0\.99\d|−1\.00) to −?0\.0\d\d: −\S+ on average|From −?0\.0\d\d to (0\.99\d|1\.00): \+", sentence
    )


def test_rows_that_change_both_ways_by_chance_are_told(X):
    """Where no column explains the differences between curves."""
    signs = np.random.default_rng(1).permutation(np.repeat([-1.0, 1.0], N // 2))
    places = dict(zip(X["c"], signs, strict=True))
    sentence, groups = said(lambda X: X["a"] * [places[value] for value in X["c"]], X[["a", "c"]], "a")
    pattern = r"Hardly any change on average, but rows differ: the middle 90 % change by −1\.9\d to \+(1\.9\d|2\.00)\."
    assert (bool(re.fullmatch(pattern, sentence)), groups) == (True, []), sentence


def test_one_effect_needs_no_groups(X):
    """Where curves are parallel, or groups change alike."""
    assert said(lambda X: X["a"] + (X["b"] == "y"), X, "a")[0] == ""


def test_log_odds_are_offered_where_probabilities_are_saturated():
    """In a note and on screen; not where few are, nor where some are 0 or 1, whose log-odds are infinite."""
    draw = np.random.default_rng(0)
    data = pd.DataFrame({"a": draw.choice([-1.0, 1.0], N) + 0.1 * draw.normal(size=N), "b": draw.normal(size=N)})
    model = LogisticRegression().fit(data, data["a"] > 0)
    offers = []
    for slope in (1.0, 8.0, 800.0):
        model.coef_ = np.array([[slope, 0.1]])
        notes = explain(model, data, progress=False).notes
        explorer = ICEExplorer(model, data)
        offers.append((explorer._header["is_saturated"], any('response="log_odds"' in note for note in notes)))
        explorer.close()
    assert offers == [(False, False), (True, True), (False, False)]


def test_the_model_is_named_and_scored(X):
    """R² of numbers, the area under the ROC curve of a class, ties counted half, as scikit-learn has them."""
    numbers, target = X[["a", "c"]], X["a"] + 0.1 * X["c"] ** 2
    forest = RandomForestRegressor(10, max_depth=2, random_state=0).fit(numbers, target)
    known = explain(forest, numbers, y=target)
    assert score_text(known) == f"R² {r2_score(target, forest.predict(numbers)):.2f}"
    kinds = (X["c"] > 0.3).to_numpy()
    trees = RandomForestClassifier(5, max_depth=1, random_state=0).fit(numbers, kinds)
    classes = explain(trees, numbers, y=kinds)
    assert score_text(classes) == f"AUC {roc_auc_score(kinds, trees.predict_proba(numbers)[:, 1]):.2f}"
    assert score_text(explain(forest, numbers)) == ""
    search = GridSearchCV(make_pipeline(StandardScaler(), forest), {}).fit(numbers, target)
    names = [describe_header(explain(each, numbers), [])["model"] for each in (forest, search, forest.predict)]
    assert names == ["random forest"] * 3
    assert describe_header(explain(lambda X: X["a"], numbers), [])["model"] == ""


def test_curves_are_coloured_by_what_was_observed(X):
    """A number along a ramp; the class that is explained, and the other one."""
    numbers = X[["a", "c"]]
    known = explain(lambda X: X["a"], numbers, y=pd.Series(X["c"], name="price"))
    column = known._column("observed price")
    assert (column.label, column.kind) == ("observed price", "numeric")
    np.testing.assert_array_equal(column.values, X["c"])
    kinds = np.where(X["c"] > 0, "late", "early")
    trees = RandomForestClassifier(5, random_state=0).fit(numbers, kinds)
    explorer = ICEExplorer(trees, numbers, y=kinds, output="late", static_picture=False)
    explorer.color_by = "observed target"
    column = explorer.explanation._column(explorer.color_by)
    assert (column.kind, column.levels.tolist()) == ("category", ["early", "late"])
    np.testing.assert_array_equal(column.values, (kinds == "late").astype(float))
    explorer.close()
