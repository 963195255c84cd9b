"""Which engine explains which model, why, and the notes where the fast one cannot be used."""

import numpy as np
import pandas as pd
import parity
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    AdaBoostRegressor,
    BaggingRegressor,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingRegressor,
    VotingRegressor,
)
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeRegressor

import ice_explorer as ice
from ice_explorer.adapters.structure import kernel, linear
from ice_explorer.adapters.structure.trees import sklearn as sklearn_trees
from ice_explorer.adapters.structure.trees.ensemble import TreeEnsemble
from ice_explorer.curves.trees import walk
from ice_explorer.engines import choose
from ice_explorer.errors import InvalidOptionError, PredictionError

BRUTE = "every phantom observation is predicted, which works for any model"


def table(n=60):
    rng = np.random.default_rng(11)
    return np.column_stack([rng.normal(size=n).round(1), rng.integers(0, 4, n), rng.normal(3, 2, n).round(1)])


def target():
    X = table()
    return X[:, 0] * X[:, 1] + X[:, 2]


def forest(**options):
    return RandomForestRegressor(**{"n_estimators": 3, "max_depth": 4, "random_state": 0, **options})


def fitted(model):
    return parity.quiet(model.fit, table(), target())


def engine_notes(explanation):
    return [note for note in explanation.notes if "engine" in note]


def assert_left_to_the_model(model, X, *notes, **options):
    """Brute force, in so many words, and the right numbers."""
    fast = parity.explained(model, X, **options)
    assert (fast.engine, fast.engine_reason) == ("brute", BRUTE)
    assert engine_notes(fast) == list(notes)
    parity.assert_equal_explanations(fast, parity.explained(model, X, engine="brute", **options))


# Which, and why ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "engine", "reason"),
    [
        (LinearRegression(), "linear", "LinearRegression has a closed form"),
        (SVR(), "kernel", "SVR is a sum of radial kernels: one matrix product per feature"),
        (forest(), "tree", "RandomForestRegressor is evaluated tree by tree: all features at once, exactly"),
        (
            make_pipeline(StandardScaler(), forest()), "tree",
            "RandomForestRegressor after its transformers is evaluated tree by tree: all features at once, exactly",
        ),
        (
            make_pipeline(StandardScaler(), Ridge()), "linear",
            "Ridge after its transformers has a closed form",
        ),
        (
            MLPRegressor(hidden_layer_sizes=3, max_iter=20, random_state=0), "network",
            "MLPRegressor is evaluated layer by layer; the first layer is summed once per row",
        ),
        (KNeighborsRegressor(3), "brute", BRUTE),
        (VotingRegressor([("a", forest()), ("b", Ridge())]), "brute", BRUTE),
        (StackingRegressor([("a", forest())], Ridge(), cv=2), "brute", BRUTE),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else "",
)  # fmt: skip
def test_the_engine_is_named_with_its_reason(model, engine, reason):
    """Models of no known kind are predicted without a word of trees."""
    explanation = parity.explained(fitted(model), table(), grid="quantile", grid_size=3)
    assert (explanation.engine, explanation.engine_reason) == (engine, reason)
    assert engine_notes(explanation) == []
    assert explanation.settings.engine == "auto"


def test_brute_force_can_be_asked_for():
    """Whatever the model, and without looking into it."""
    explanation = parity.explained(fitted(forest()), table(), engine="brute")
    assert (explanation.engine, explanation.engine_reason) == ("brute", "requested; " + BRUTE)
    assert engine_notes(explanation) == []


def test_an_engine_can_be_insisted_on():
    """Where it can explain the model."""
    for model, engine in ((forest(), "tree"), (Ridge(), "linear"), (SVR(), "kernel")):
        assert parity.explained(fitted(model), table(), engine=engine).engine == engine


def test_a_function_has_no_inside():
    """It is predicted, even if it is a method of a forest."""
    model = fitted(forest())
    assert_left_to_the_model(model.predict, table())


def refusal(model, X=None, **options):
    with pytest.raises(InvalidOptionError) as caught:
        ice.explain(model, table() if X is None else X, progress=False, **options)
    return str(caught.value)


def test_an_engine_that_cannot_explain_the_model_says_so():
    """Which engine, what it needs, what the model is, what to do."""
    said = {
        ("tree", LinearRegression()):
            "LinearRegression is not a supported tree ensemble.",
        ("linear", forest()): "RandomForestRegressor is not a supported linear model.",
        ("kernel", forest()): "RandomForestRegressor is not a supported model with radial kernels.",
        ("network", forest()): "RandomForestRegressor is not a supported neural network.",
        ("kernel", SVR(kernel="poly")): "The kernel of SVR is not radial.",
        ("tree", AdaBoostRegressor(n_estimators=2, random_state=0)):
            "AdaBoostRegressor predicts a weighted median of its trees, not a sum.",
    }  # fmt: skip
    for (engine, model), reason in said.items():
        assert refusal(fitted(model), engine=engine) == (
            f'`engine="{engine}"` needs a model that it computes exactly. {reason} Use `engine="auto"`.'
        )


def test_responses_that_an_engine_cannot_give_are_refused():
    """Support vectors have probabilities of their own, a logistic regression has classes."""
    y = np.where(target() > 3, "yes", "no")
    assert refusal(SVC().fit(table(), y), engine="kernel", response="predict") == (
        '`engine="kernel"` needs a model that it computes exactly. Only the decision function of two classes is a sum '
        'of kernels. Use `engine="auto"`.'
    )
    assert refusal(LogisticRegression().fit(table(), y), engine="linear", response="predict") == (
        '`engine="linear"` needs a model that it computes exactly. predict of LogisticRegression is not a supported '
        'function of its margins. Use `engine="auto"`.'
    )


def test_an_unknown_engine_is_refused_with_the_known_ones():
    """And the closest of them."""
    assert refusal(fitted(Ridge()), engine="trees").startswith("`engine` must be 'auto'")
    assert "Did you mean 'tree'?" in refusal(fitted(Ridge()), engine="trees")


# Trees that are not summed -----------------------------------------------------------------------


def tree_note(reason):
    return f"The tree engine is not used; every phantom observation is predicted: {reason}"


def test_a_median_of_trees_is_left_to_the_model():
    """AdaBoostRegressor."""
    assert_left_to_the_model(
        fitted(AdaBoostRegressor(n_estimators=3, random_state=0)), table(),
        tree_note("AdaBoostRegressor predicts a weighted median of its trees, not a sum."),
    )  # fmt: skip


def test_lightgbm_trees_that_no_threshold_describes_are_left_to_it():
    """Linear leaves, and 0 that goes another way than its neighbours."""
    lightgbm = pytest.importorskip("lightgbm")
    options = {"n_estimators": 3, "min_child_samples": 3, "verbose": -1, "n_jobs": 1}
    leaves = fitted(lightgbm.LGBMRegressor(linear_tree=True, **options))
    assert_left_to_the_model(
        leaves, table(), tree_note("The leaves of these LightGBM trees are linear models, not numbers.")
    )
    X = table().copy()
    X[::2, 0] = 0.0
    zeros = parity.quiet(
        lightgbm.LGBMRegressor(zero_as_missing=True, **options).fit, X, target() + 20 * (X[:, 0] == 0)
    )  # fmt: skip
    assert_left_to_the_model(
        zeros, X,
        tree_note(
            "With `zero_as_missing`, LightGBM sends 0 to a different side than the numbers next to it, which no "
            "threshold does."
        ),
    )  # fmt: skip


def test_catboost_splits_on_statistics_of_categories_are_left_to_it():
    """It turns categories into numbers of its own."""
    catboost = pytest.importorskip("catboost")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(table(), columns=list("abc"))
    X["city"] = np.array(["Oslo", "Rome", "Lima", "Riga"])[rng.integers(0, 4, 60)]
    y = target() + 5 * (X["city"] == "Oslo") + rng.normal(size=60)
    model = catboost.CatBoostRegressor(
        iterations=5, depth=2, verbose=0, thread_count=1, cat_features=["city"], one_hot_max_size=1,
        allow_writing_files=False,
    ).fit(X, y)  # fmt: skip
    assert_left_to_the_model(
        model, X,
        tree_note(
            "CatBoost encodes categorical, text or embedding features internally (a split of type "
            "'OnlineCtr'), which is not reproduced."
        ),
    )  # fmt: skip


def test_predicted_classes_of_several_trees_are_left_to_the_model():
    """A tie depends on the order of the sum."""
    y = np.where(target() > 3, "yes", "no")
    model = RandomForestClassifier(n_estimators=4, max_depth=2, random_state=0).fit(table(), y)
    assert_left_to_the_model(
        model, table(),
        tree_note(
            "The class predicted by RandomForestClassifier is ambiguous where classes tie, and ties depend on the "
            "order in which the trees are summed."
        ),
        response="predict",
    )  # fmt: skip


class Rounded(RandomForestRegressor):
    """Has a predict of its own."""

    def predict(self, X):
        return np.round(super().predict(X))


class Renamed(RandomForestRegressor):
    """Answers as its parent does."""


def test_a_subclass_that_predicts_otherwise_is_left_to_itself():
    """One that does not is read."""
    assert_left_to_the_model(
        fitted(Rounded(n_estimators=3, random_state=0)), table(),
        tree_note("Rounded overrides predict(), which the trees of RandomForestRegressor may not reproduce."),
    )  # fmt: skip
    assert parity.explained(fitted(Renamed(n_estimators=3, random_state=0)), table()).engine == "tree"


def test_a_predict_method_set_on_the_model_is_heeded():
    """No class says so, the phantoms do."""
    model = fitted(forest())
    own = model.predict
    model.predict = lambda X: own(X) + 0.125 * X[:, 0]
    fast = parity.explained(model, table())
    assert fast.engine == "brute"
    assert len(engine_notes(fast)) == 1
    linear_ = fitted(Ridge())
    linear_.predict = lambda X: np.sin(X[:, 0])
    assert parity.explained(linear_, table()).engine == "brute"


# What the phantoms catch --------------------------------------------------------------------------


def broken(monkeypatch, change):
    """Let the tree engine read ensembles wrongly."""
    read = choose.tree_ensemble

    def tree_ensemble(*args, **options):
        return change(read(*args, **options))

    monkeypatch.setattr(choose, "tree_ensemble", tree_ensemble)


def replaced(ensemble, **changes):
    fields = {name: getattr(ensemble, name) for name in TreeEnsemble.__dataclass_fields__}
    return TreeEnsemble(**{**fields, **changes})


def differs(note):
    start = (
        "The tree engine is not used; every phantom observation is predicted: Its predictions of phantom observations "
    )
    return note.startswith(start + "differ from those of the model by ") and note.endswith(" of their size.")


@pytest.mark.parametrize(
    "change",
    [
        lambda e: replaced(e, base=e.base + 1e-6),
        lambda e: replaced(e, value=e.value * (1 + 1e-8)),
        lambda e: replaced(e, left=e.right, right=e.left),
        lambda e: replaced(e, threshold=e.threshold + 0.2),
        lambda e: replaced(e, feature=np.where(e.feature >= 0, (e.feature + 1) % e.n_features, -1).astype(np.int32)),
        lambda e: replaced(e, root=e.root[:-1], margin=e.margin[:-1]),
    ],
    ids=["base", "values", "sides", "thresholds", "columns", "a tree less"],
)
@pytest.mark.parametrize("model", [forest(), GradientBoostingRegressor(n_estimators=4, random_state=0)], ids=str)
def test_trees_that_are_read_wrongly_are_not_believed(monkeypatch, change, model):
    """The model predicts 64 phantoms; where the trees differ, it predicts all."""
    broken(monkeypatch, change)
    model = fitted(model)
    explanation = parity.explained(model, table())
    assert explanation.engine == "brute"
    assert [differs(note) for note in engine_notes(explanation)] == [True]


def test_a_walk_that_is_wrong_is_not_believed(monkeypatch):
    """The walk stands for the sweep: where it is off, trees that were read rightly are refused, too."""
    predict = walk.predict
    monkeypatch.setattr(walk, "predict", lambda ensemble, columns: predict(ensemble, columns) + 1e-6)
    explanation = parity.explained(fitted(forest()), table())
    assert explanation.engine == "brute"
    assert [differs(note) for note in engine_notes(explanation)] == [True]


@pytest.mark.parametrize(
    "change", [{"comparison": "lt"}, {"input_dtype": np.dtype(np.float64)}], ids=["comparison", "dtype"]
)
def test_a_wrong_comparison_or_cast_is_not_believed_where_it_matters(monkeypatch, change):
    """On rows that lie on the thresholds, and between two numbers of single precision."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (60, 3)).astype(float)
    y = X[:, 0] * X[:, 1] + X[:, 2]
    model = forest(max_depth=None).fit(X, y) if "comparison" in change else ExtraTreesRegressor(3, random_state=0)
    trees = [tree.tree_ for tree in model.fit(X, y).estimators_]
    for at in range(3):
        thresholds = np.concatenate([tree.threshold[tree.feature == at] for tree in trees])
        if "input_dtype" in change:
            # Between a threshold and the middle of its two neighbours in single precision, which
            # therefore lie on the other side of the threshold.
            single = thresholds.astype(np.float32)
            below = np.where(single <= thresholds, single, np.nextafter(single, -np.float32(np.inf)))
            middle = (below.astype(float) + np.nextafter(below, np.float32(np.inf))) / 2
            thresholds = (thresholds + middle) / 2
        X[:, at] = np.resize(thresholds, 60)
    broken(monkeypatch, lambda ensemble: replaced(ensemble, **change))
    wrong = parity.explained(model, X)
    monkeypatch.undo()
    right = parity.explained(model, X)
    assert right.engine == "tree"
    assert wrong.engine == "brute"
    parity.assert_equal_explanations(right, wrong, 1e-12)


@pytest.mark.parametrize(
    ("engine", "module", "name"),
    [("linear", linear, "linear_model"), ("kernel", kernel, "radial_model")],
)
def test_closed_forms_that_are_read_wrongly_are_not_believed(monkeypatch, engine, module, name):
    """A coefficient or weight that is off by a millionth."""
    read = getattr(module, name)

    def wrong(*args):
        found = read(*args)
        changed = "coefficients" if engine == "linear" else "weights"
        object.__setattr__(found, changed, getattr(found, changed) * (1 + 1e-6))
        return found

    monkeypatch.setattr(choose, name, wrong)
    model = fitted(Ridge() if engine == "linear" else SVR())
    explanation = parity.explained(model, table())
    assert explanation.engine == "brute"
    start = f"The {engine} engine is not used; every phantom observation is predicted: Its predictions of phantom "
    assert [note.startswith(start) for note in engine_notes(explanation)] == [True]
    with pytest.raises(
        InvalidOptionError, match="Its predictions of phantom observations differ from those of the model"
    ):
        ice.explain(model, table(), engine=engine, progress=False)


def test_a_model_changed_after_fitting_is_explained_as_it_is():
    """Inside and outside change together: leaves are read when asked, nothing is remembered."""
    model = fitted(forest())
    before = parity.explained(model, table())
    model.estimators_.pop()
    after = parity.explained(model, table())
    assert after.engine == "tree"
    parity.assert_equal_explanations(after, parity.explained(model, table(), engine="brute"))
    assert np.abs(after["x0"].curves - before["x0"].curves).max() > 0.01


@pytest.mark.parametrize("error", [AttributeError, KeyError, IndexError, TypeError, ValueError])
def test_a_version_that_keeps_its_trees_otherwise_is_predicted(monkeypatch, error):
    """What reading it stumbles over stands in the note."""
    model = fitted(forest())

    def stumble(*_args):
        raise error("tree_")

    monkeypatch.setitem(sklearn_trees.READERS, "RandomForestRegressor", stumble)
    explanation = parity.explained(model, table())
    assert explanation.engine == "brute"
    assert len(engine_notes(explanation)) == 1
    assert error.__name__ in engine_notes(explanation)[0]


def test_fewer_private_attributes_than_expected_are_no_reason_to_fail(monkeypatch):
    """Support vectors whose gamma is kept elsewhere are still predicted."""
    model = fitted(SVR())

    def stumble(*_args):
        raise AttributeError("_gamma")

    monkeypatch.setattr(kernel, "_support_vectors", stumble)
    assert parity.explained(model, table()).engine == "brute"
    model = fitted(Ridge())
    monkeypatch.setattr(linear, "dense", stumble)
    assert parity.explained(model, table()).engine == "brute"


# What stands around ------------------------------------------------------------------------------


def test_transformers_that_mix_columns_say_so():
    """The note names what hinders."""
    said = {
        PCA(2): "The transformers combine 'x0' with other columns.",
        FunctionTransformer(np.negative): "The transformers turn the order of 'x0' around.",
    }
    for transformer, reason in said.items():
        model = make_pipeline(transformer, forest()).fit(table(), target())
        explanation = parity.explained(model, table())
        if explanation.engine == "brute":
            assert engine_notes(explanation) == [tree_note(reason)]
        parity.assert_equal_explanations(explanation, parity.explained(model, table(), engine="brute"))


def test_a_feature_that_moves_several_columns_is_refused_when_insisted_on():
    """The sentence is the same as in the note."""
    model = make_pipeline(PCA(2), forest()).fit(table(), target())
    message = refusal(model, engine="tree")
    assert message.startswith('`engine="tree"` needs a model that it computes exactly. ')
    assert message.endswith(' Use `engine="auto"`.')


def test_one_hot_codes_of_text_stay_put_while_numbers_move():
    """A frame of mixed columns; the text is no feature."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(table(), columns=list("abc"))
    X.insert(1, "city", np.array(["Oslo", "Rome"])[rng.integers(0, 2, 60)])
    from sklearn.compose import make_column_transformer

    columns = make_column_transformer((OneHotEncoder(), ["city"]), ("drop", ["b"]), remainder=StandardScaler())
    model = make_pipeline(columns, forest()).fit(X, target())
    fast = parity.explained(model, X)
    assert fast.engine == "tree"
    assert fast.table(sort_by=None).loc["b", "impact"] == 0.0
    parity.assert_equal_explanations(fast, parity.explained(model, X, engine="brute"), 1e-12)


def test_a_model_that_needs_its_columns_named_gets_them():
    """Extra columns of X that the model does not know are the model's to refuse."""
    X = pd.DataFrame(table(), columns=list("abc"))
    model = forest().fit(X, target())
    assert parity.explained(model, X).engine == "tree"
    chosen = parity.explained(model, X, features=["c"])
    assert chosen.features == ["c"]
    assert_array_equal(chosen["c"].curves, parity.explained(model, X)["c"].curves)


# Numbers that are none ---------------------------------------------------------------------------


def test_infinite_log_odds_are_an_error_whatever_the_engine():
    """A forest with pure leaves: the same error names feature and value."""
    X = np.arange(40.0)[:, None] % 20
    y = (X[:, 0] > 9).astype(int)
    y[[3, 23]] = 1
    model = RandomForestClassifier(n_estimators=2, max_depth=2, random_state=0).fit(X, y)
    for engine in ("auto", "brute"):
        with pytest.raises(PredictionError) as caught:
            parity.explained(model, X, response="log_odds", engine=engine)
        assert str(caught.value).startswith(
            "Log-odds need probabilities between 0 and 1; the model returned a probability of 0 for a phantom "
            "observation of 'x0' (grid value "
        )


def test_rarely_infinite_log_odds_are_an_error_too():
    """One leaf in many is pure, and no row of X is in it: only phantoms are."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 30, (3000, 2)).astype(float)
    y = rng.integers(0, 2, 3000)
    corner = (X[:, 0] == 29) & (X[:, 1] == 29)
    y[corner] = 1
    model = DecisionTreeClassifierOfCorner().fit(X, y)
    for engine in ("auto", "brute"):
        with pytest.raises(PredictionError, match="a probability of 1 for a phantom observation of 'x0'"):
            parity.explained(model.tree, X[~corner], response="log_odds", engine=engine, output=1)


class DecisionTreeClassifierOfCorner:
    """A forest of one tree whose last leaf holds one corner alone."""

    def fit(self, X, y):
        weights = np.where((X[:, 0] == 29) & (X[:, 1] == 29), 1000.0, 1.0)
        self.tree = RandomForestClassifier(n_estimators=1, bootstrap=False, max_depth=2, max_features=None)
        self.tree.fit(X, y, sample_weight=weights)
        return self


def test_a_model_that_fails_on_phantoms_is_reported_as_before():
    """The engine is chosen without hiding the model's own error."""

    class Fails(RegressorMixin, BaseEstimator):
        def predict(self, X):
            if (X[:, 0] == 1.0).any():
                message = "no ones"
                raise RuntimeError(message)
            return X[:, 1]

    X = np.array([[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]])
    with pytest.raises(PredictionError, match="no ones"):
        ice.explain(Fails(), X, progress=False)


# Cheap where it can be ---------------------------------------------------------------------------


def test_the_model_is_asked_a_handful_of_times(monkeypatch):
    """64 phantoms to check, no others: not one call per grid value."""
    asked = []
    own = RandomForestRegressor.predict

    def predict(self, X):
        asked.append(len(X))
        return own(self, X)

    monkeypatch.setattr(RandomForestRegressor, "predict", predict)
    model = fitted(forest())
    explanation = ice.explain(model, table(), progress=False)
    assert explanation.engine == "tree"
    assert explanation["x0"].curves.shape[0] == 60
    assert sum(asked) <= 2 * 64 + 4


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeRegressor(max_depth=3),
        BaggingRegressor(n_estimators=2, random_state=0),
        HistGradientBoostingRegressor(max_iter=3, min_samples_leaf=5),
        SVR(),
        Ridge(),
    ],
    ids=str,
)
def test_the_table_is_there_before_any_curve(model):
    """Metrics need no curves; `rows` computes those asked for, in any order."""
    explanation = parity.explained(fitted(model), table())
    feature = explanation["x2"]
    few = feature.rows([7, 3, 7])
    assert_array_equal(few[0], few[2])
    np.testing.assert_allclose(few, feature.curves[[7, 3, 7]], rtol=0, atol=1e-12)
