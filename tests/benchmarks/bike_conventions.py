"""Prints impact by all three conventions for four models of the bike-sharing data, beside two measures of their own.

The *largest swing* is the most that any observation's prediction changes along the feature: the maximum over all ICE
curves of maximum − minimum. No impact per standard deviation should exceed it; figures that do are marked "*".
*Permutation importance* is scikit-learn's mean decrease of R² on the same observations.

Run it as `python tests/benchmarks/bike_conventions.py [bike.csv]`. The file is read from the folder `shared` beside the
checkout unless it is named. The exit status is 1 if an impact by the default convention exceeds the largest swing.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
from lightgbm import LGBMRegressor
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.inspection import permutation_importance
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from xgboost import XGBRegressor

import ice_explorer as ice
from ice_explorer.metrics.ordered import Convention

DATA = Path(__file__).parents[3] / "shared" / "data" / "bike_sharing" / "bike.csv"
TARGET = "cnt"
NOT_FEATURES = ["instant", "dteday", "casual", "registered"]  # the last two add up to the target
MODELS = {
    "Random forest, 300 trees, at least 3 observations in a leaf": RandomForestRegressor(
        n_estimators=300, min_samples_leaf=3, random_state=0
    ),
    "LightGBM": LGBMRegressor(random_state=0, verbose=-1),
    "XGBoost": XGBRegressor(random_state=0),
    "HistGradientBoosting": HistGradientBoostingRegressor(random_state=0),
}
CONVENTIONS = get_args(Convention)
SHORT = {"impact": "impact", "in_distribution_impact": "in distr."}


def table_of(regressor, X, y):
    """Figures of one model: a row per feature, the one with the largest permutation importance first."""
    texts = make_column_selector(dtype_exclude="number")
    encoder = make_column_transformer((OneHotEncoder(sparse_output=False), texts), remainder="passthrough")
    model = make_pipeline(encoder.set_output(transform="pandas"), regressor).fit(X, y)
    explanation = ice.explain(model, X, progress=False)
    permuted = permutation_importance(model, X, y, n_repeats=5, random_state=0)
    columns = {
        ("", "permutation"): pd.Series(permuted.importances_mean, X.columns),
        ("", "swing"): pd.Series({each.feature: np.ptp(each.curves, axis=1).max() for each in explanation}),
    }
    for convention in CONVENTIONS:
        figures = explanation.table(convention=convention)
        columns |= {(convention, SHORT[name]): figures[name] for name in SHORT}
    return pd.DataFrame(columns).sort_values(("", "permutation"), ascending=False)


def above_swing(table):
    """Return which figures exceed the largest swing of their feature."""
    return table[[*CONVENTIONS]].gt(table["", "swing"], axis=0)


def written(table):
    """Write the table for readers, with a mark at each figure above the largest swing."""
    text = table[[*CONVENTIONS]].map("{:,.0f}".format) + above_swing(table).replace({True: "*", False: " "})
    text.insert(0, ("", "swing"), table["", "swing"].map("{:,.0f}".format))
    text.insert(0, ("", "permutation"), table["", "permutation"].map("{:.3f}".format))
    ranks = table.corr("spearman")["", "permutation"]
    text.loc["rank correlation with permutation"] = ["", *(f"{value:.2f} " for value in ranks.iloc[1:])]
    return text.to_string()


def main(path):
    """Print the tables and return the exit status."""
    if not path.is_file():
        print(f"The bike-sharing data are not at {path}. Pass the path of bike.csv.")
        return 0
    data = pd.read_csv(path)
    X, y = data.drop(columns=[TARGET, *NOT_FEATURES]), data[TARGET]
    print(f"{len(X)} days, {X.shape[1]} features. * = above the largest swing of any observation.")
    exceeded = []
    for name, regressor in MODELS.items():
        table = table_of(regressor, X, y)
        print(f"\n{name}\n{written(table)}")
        exceeded += [f"{name}: {feature}" for feature, above in above_swing(table)["stable"].iterrows() if above.any()]
    if exceeded:
        print(f"\nBy the default convention above the largest swing: {', '.join(exceeded)}.")
    else:
        print("\nBy the default convention no figure exceeds the largest swing.")
    return int(bool(exceeded))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA))
