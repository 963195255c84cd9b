"""What else answers the same question, each called as its authors mean it to be called.

Every peer takes a workload, the grid of each feature, and returns by feature the values at which it
evaluated and the average prediction there: what all have in common, and what is compared with ours.
"""

import copy
import logging
from unittest import mock

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose
from sklearn.inspection import partial_dependence


class ScikitLearn:
    """`partial_dependence(kind="individual", method="brute")`: ICE curves."""

    def run(self, work, grids):
        """Evaluate the features of the grids."""
        return {
            feature: (values, self._curves(work, feature, values).mean(axis=0)) for feature, values in grids.items()
        }

    @staticmethod
    def _curves(work, feature, values):
        column = work.column(feature)
        found = partial_dependence(
            work.model, work.X, [column], kind="individual", method="brute", custom_values={column: values}
        )
        return found.individual[0]


class PDPilot:
    """`pdpilot.partial_dependence`: ICE curves, clustered in 2 to 5 groups with a tree for each; no pairs.

    Chooses its own values, 20 evenly spaced ones by default. Only where all columns are said to be
    ordinal does it take every observed value; so it does where we do.
    """

    def run(self, work, grids):
        """Evaluate the features of the grids, at its own values."""
        import pdpilot

        found = pdpilot.partial_dependence(
            predict=work.predict if isinstance(work.X, pd.DataFrame) else lambda X: work.predict(X.to_numpy()),
            df=framed(work.X),
            features=[feature for feature, values in grids.items() if len(values) > 1],
            **self._kinds(work),
            compute_two_way_pdps=False,
            seed=0,
            logging_level="ERROR",
        )
        return {
            one["x_feature"]: (np.asarray(one["x_values"], float), np.asarray(one["mean_predictions"]))
            for one in found["one_way_pds"]
        }

    def grids(self, work, observed):
        """Return the values at which it will evaluate; a single value it leaves out."""
        from pdpilot.metadata import Metadata

        logging.getLogger("pdpilot").setLevel(logging.ERROR)  # it tells which features it leaves out
        kinds = self._kinds(work)
        found = Metadata(framed(work.X), 20, list(observed), None, *kinds.values(), None).feature_info
        return {feature: np.asarray(found[feature]["values"], float) for feature in observed}

    @staticmethod
    def _kinds(work):
        ordinal = list(work.X.columns) if takes_every_value(work) else None
        return {"nominal_features": [], "ordinal_features": ordinal}


class Effector:
    """`effector.PDP(...).fit(...)`: ICE curves, their mean and variance.

    Evaluates at 30 evenly spaced values; only ordinal columns at every observed value, which is what
    columns are said to be where we take every observed value. All rows, not its default of 10 000.
    """

    def run(self, work, grids):
        """Evaluate the features of the grids, at its own values, as many as the grids have."""
        import effector

        positions = [position_of(work, feature) for feature in grids]
        kind = "ordinal" if takes_every_value(work) else "continuous"
        schema = {"feature_types": [kind] * work.X.shape[1]}
        n_values = len(next(iter(grids.values())))  # its 30, or fewer where a run is cut short
        with mock.patch.object(effector.helpers, "NOF_INTERNAL_POINTS", n_values):
            effect = effector.PDP(numbers_of(work.X), work.predict, nof_instances="all", schema=schema)
            effect.fit(positions)
            return {
                feature: (values, effect.eval(position, values, centering=False))
                for (feature, values), position in zip(grids.items(), positions, strict=True)
            }

    def grids(self, work, observed, n_values=30):
        """Return the values at which it will evaluate."""
        if takes_every_value(work):
            return observed
        columns = numbers_of(work.X).T
        ends = {feature: columns[position_of(work, feature)] for feature in observed}
        return {feature: np.linspace(column.min(), column.max(), n_values) for feature, column in ends.items()}


class Woodelf:
    """`woodelf.pdp` of woodelf_explainer: averages only, on the scale on which trees add up, less their mean.

    These are the lines of its `woodelf_pdp`, with our grids in the place of evenly spaced ones, and
    the second of two classes in the place of the first. Forests of scikit-learn round a table to single
    precision; here we do so, because otherwise ties with a threshold go the other way.
    """

    def run(self, work, grids):
        """Evaluate all features at our values."""
        from woodelf.core.trees.parse_models import load_decision_tree_ensemble_model
        from woodelf.pdp import woodelf_fast_pdp

        frame = framed(work.X)
        most = max(map(len, grids.values()))
        points = pd.DataFrame({name: _padded(grids.get(name, frame[name][:1]), most) for name in frame})
        if "forest" in type(work.model).__module__:
            frame, points = (table.astype(np.float32).astype(float) for table in (frame, points))
        trees = load_decision_tree_ensemble_model(work.model, list(frame.columns), class_index=1)
        found = woodelf_fast_pdp(
            trees, points, frame, model_was_loaded=True, use_woodelfhd=trees.max_depth <= 6, verbose=False
        )
        unused = np.zeros(most)
        return {name: (values, found.get(name, unused)[: len(values)]) for name, values in grids.items()}


def few_of(grids):
    """Three features that have enough values, and five values of each."""
    wide_enough = [feature for feature, grid in grids.items() if len(grid) >= 5] or list(grids)
    chosen = [wide_enough[at] for at in np.linspace(0, len(wide_enough) - 1, 3).astype(int)]
    few = {feature: grids[feature] for feature in dict.fromkeys(chosen)}
    return {feature: grid[np.unique(np.linspace(0, len(grid) - 1, 5).astype(int))] for feature, grid in few.items()}


def tolerance(model):
    """XGBoost adds up in single precision, everything else in double."""
    return 2e-5 if "xgboost" in type(model).__module__ else 1e-9


def check_averages(explanation, found, tolerance_):
    """Insist that the averages of a peer are ours at the same values."""
    for feature, (values, averages) in found.items():
        mine = explanation[feature].partial_dependence
        at = np.searchsorted(explanation[feature].grid, values)
        scale = max(1.0, np.abs(mine).max())
        assert_allclose(averages, mine[at], rtol=0, atol=tolerance_ * scale, err_msg=str(feature))


def framed(X):
    """A table with names, ours where it had none."""
    return X if isinstance(X, pd.DataFrame) else pd.DataFrame(X).add_prefix("x")


def numbers_of(X):
    """A table without names."""
    return X.to_numpy(float) if isinstance(X, pd.DataFrame) else X


def position_of(work, feature):
    """Where the column of a feature stands."""
    return list(work.X.columns).index(feature) if isinstance(work.X, pd.DataFrame) else work.column(feature)


def takes_every_value(work):
    """Whether ours evaluates at all observed values."""
    return "grid" not in work.options


def _padded(values, size):
    """So many values, the last one repeated."""
    values = np.asarray(values, float)
    return np.pad(values, (0, size - len(values)), mode="edge")


def with_first_trees(model, n_trees):
    """A forest of the first trees of a forest."""
    few = copy.copy(model)
    few.n_estimators = n_trees
    few.estimators_ = model.estimators_[:n_trees]
    return few
