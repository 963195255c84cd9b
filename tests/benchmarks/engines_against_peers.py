"""Times every engine against scikit-learn and against stacked prediction, and writes the table down.

`python tests/benchmarks/engines_against_peers.py [--write] [name …]` runs all workloads or those
named, each in one thread, interleaved, medians. What it times of ours is everything: reading the
model, grids, every metric, and in-distribution impact at 101 decays. Where scikit-learn would need
more than a minute it is timed at all observations on three features at five grid values each and
scaled to all of them ("scaled" in the table); stacked prediction is timed on one batch of 100 000
phantoms and scaled likewise.

Run it as `make bench-engines`, which holds the libraries' own threads to one.
"""

import argparse
import platform
import statistics
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.inspection import partial_dependence

import ice_explorer as ice
from ice_explorer import datasets

RESULTS = Path(__file__).with_name("RESULTS.md")
DECAYS = np.arange(1, 102) / 101
A_MINUTE = 60.0
BATCH = 100_000


# --- workloads: (X, model, options of explain) ------------------------------------------------------


def cervical_forest():
    """The paper's data and model: 858 × 32, 500 trees, all observed values."""
    from sklearn.ensemble import RandomForestClassifier

    X, y = datasets.load_cervical_cancer()
    return X, RandomForestClassifier(500, random_state=20).fit(X, y), {}


def houses(n=20_000):
    """Eight columns in the manner of house prices: skewed, whole and rounded numbers."""
    generator = np.random.default_rng(2)
    region = generator.integers(0, 3, n)
    X = np.column_stack(
        [
            np.exp(generator.normal(1.2, 0.45, n)).clip(0.5, 15),
            generator.integers(1, 53, n),
            np.exp(generator.normal(1.65, 0.3, n)),
            1 + generator.gamma(2, 0.05, n),
            np.exp(generator.normal(7, 0.7, n)).round(),
            1 + generator.gamma(4, 0.5, n),
            (np.choose(region, [34, 37.7, 36]) + generator.normal(0, 0.8, n)).round(2),
            (np.choose(region, [-118.2, -122.2, -120]) + generator.normal(0, 0.8, n)).round(2),
        ]
    )
    far = np.hypot(X[:, 6] - 34, X[:, 7] + 118.2)
    y = 0.45 * X[:, 0] - 0.5 * np.log(X[:, 5]) + 0.3 * np.log(X[:, 2]) * (X[:, 0] > 4) - 0.12 * far
    return X, y + generator.normal(0, 0.35, n)


def house_forest():
    """20 000 × 8, 200 fully grown trees, 100 quantiles."""
    from sklearn.ensemble import RandomForestRegressor

    X, y = houses()
    return X, RandomForestRegressor(200, random_state=0).fit(X, y), {"grid": "quantile"}


def house_forest_of_small_trees():
    """20 000 × 8, 200 trees with at least 5 observations in a leaf, 100 quantiles."""
    from sklearn.ensemble import RandomForestRegressor

    X, y = houses()
    model = RandomForestRegressor(200, min_samples_leaf=5, random_state=0).fit(X, y)
    return X, model, {"grid": "quantile"}


def house_histogram_boosting():
    """20 000 × 8, 300 iterations of histogram gradient boosting, 100 quantiles."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    X, y = houses()
    model = HistGradientBoostingRegressor(max_iter=300, early_stopping=False, random_state=0).fit(X, y)
    return X, model, {"grid": "quantile"}


def wide(n=100_000, p=50):
    """100 000 × 50 normal, whole, binary and skewed columns, and two classes."""
    generator = np.random.default_rng(3)
    X = generator.normal(size=(n, p))
    X[:, 10:20] = generator.integers(0, 10, (n, 10))
    X[:, 20:25] = generator.integers(0, 2, (n, 5))
    X[:, 25:30] = np.exp(X[:, 25:30])
    score = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3] ** 2 + 0.5 * X[:, 20] * X[:, 4]
    score += 0.1 * X[:, 10] * X[:, 5] + 0.3 * X[:, 6:10].sum(axis=1) + np.tanh(X[:, 25])
    return X, (score + generator.normal(size=n) > np.median(score)).astype(int)


def wide_lightgbm():
    """100 000 × 50, LightGBM with 500 trees of 63 leaves, 64 quantiles."""
    from lightgbm import LGBMClassifier

    X, y = wide()
    model = LGBMClassifier(n_estimators=500, max_depth=7, num_leaves=63, learning_rate=0.05, n_jobs=1, verbose=-1).fit(
        X, y
    )
    return X, model, {"grid": "quantile", "grid_size": 64}


def wide_xgboost():
    """100 000 × 50, XGBoost with 500 trees of depth 6, 64 quantiles."""
    from xgboost import XGBClassifier

    X, y = wide()
    model = XGBClassifier(n_estimators=500, max_depth=6, learning_rate=0.05, n_jobs=1).fit(X, y)
    return X, model, {"grid": "quantile", "grid_size": 64}


def small(n=1000, p=10):
    """1000 × 10 numbers with a smooth output."""
    generator = np.random.default_rng(4)
    X = generator.normal(size=(n, p)).round(2)
    X[:, 5:] = generator.integers(0, 12, (n, p - 5))
    return X, np.sin(X[:, 0]) * X[:, 1] + X[:, 5] * 0.1 + generator.normal(0, 0.1, n)


def small_forest_by_brute_force():
    """1000 × 10, 200 trees, every phantom predicted."""
    from sklearn.ensemble import RandomForestRegressor

    X, y = small()
    model = RandomForestRegressor(200, random_state=0).fit(X, y)
    return X, model, {"grid": "quantile", "grid_size": 50, "engine": "brute"}


def small_network():
    """1000 × 10, a neural network of 100 units."""
    from sklearn.neural_network import MLPRegressor

    X, y = small()
    model = MLPRegressor(random_state=0, max_iter=200).fit(X, y)
    return X, model, {"grid": "quantile", "grid_size": 50}


def small_support_vectors():
    """1000 × 10, support vector regression with a radial kernel behind a scaler."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    X, y = small()
    return X, make_pipeline(StandardScaler(), SVR()).fit(X, y), {"grid": "quantile", "grid_size": 50}


def small_linear():
    """1000 × 10, ridge regression."""
    from sklearn.linear_model import Ridge

    X, y = small()
    return X, Ridge().fit(X, y), {"grid": "quantile", "grid_size": 50}


def strings():
    """1000 × 10, scaler and one-hot encoder of text in front of logistic regression."""
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers, y = small()
    X = pd.DataFrame(numbers, columns=[f"x{position}" for position in range(numbers.shape[1])])
    X["town"] = np.random.default_rng(0).choice(["Ur", "Uruk", "Lagash"], len(X))
    prepare = make_column_transformer((StandardScaler(), list(X.columns[:-1])), (OneHotEncoder(), ["town"]))
    model = make_pipeline(prepare, LogisticRegression()).fit(X, y > 0)
    return X, model, {"grid": "quantile", "grid_size": 50}


WORKLOADS = [
    cervical_forest, house_forest, house_forest_of_small_trees, house_histogram_boosting, wide_lightgbm,
    wide_xgboost, small_forest_by_brute_force, small_network, small_support_vectors, small_linear, strings,
]  # fmt: skip
TARGETS = {
    "cervical_forest": 200, "house_forest": 110, "house_forest_of_small_trees": 160, "house_histogram_boosting": 850,
    "wide_lightgbm": 1500, "wide_xgboost": 220, "small_forest_by_brute_force": 5, "small_network": 1,
    "small_support_vectors": 150, "small_linear": 100, "strings": 20,
}  # fmt: skip


# --- what is timed ----------------------------------------------------------------------------------


def ours(X, model, options, n_jobs=1):
    """Everything, from the model to 101 decays."""
    explanation = ice.explain(model, X, progress=False, n_jobs=n_jobs, **options)
    explanation.table()
    explanation.decay_profile(DECAYS)
    return explanation


def theirs(X, model, feature, values):
    """ICE curves of scikit-learn at some values of one feature."""
    return partial_dependence(
        model, X, [feature], kind="individual", method="brute", custom_values={feature: values}
    ).individual


def cpu_seconds(function, *arguments):
    """Processor seconds of one call: other work on the machine does not count."""
    start = time.process_time()
    function(*arguments)
    return time.process_time() - start


def sample_of_grids(explanation):
    """Three features that have enough values, and five values of each."""
    wide_enough = [name for name in explanation.features if len(explanation[name].grid) >= 5] or explanation.features
    chosen = [wide_enough[at] for at in np.linspace(0, len(wide_enough) - 1, 3).astype(int)]
    for name in dict.fromkeys(chosen):
        grid = explanation[name].grid
        yield name, np.unique(grid[np.linspace(0, len(grid) - 1, 5).astype(int)])


def stacked(X, model, name, values):
    """One batch of phantoms of one feature, predicted at once."""
    rows = np.arange(max(1, BATCH // len(values))) % len(X)
    frame = X.iloc[np.repeat(rows, len(values))].copy() if hasattr(X, "iloc") else np.repeat(X[rows], len(values), 0)
    tiled = np.tile(values, len(rows))
    if hasattr(frame, "iloc"):
        frame[name] = tiled
    else:
        frame[:, int(name[1:])] = tiled
    (model.predict_proba if hasattr(model, "predict_proba") else model.predict)(frame)
    return len(frame)


def measure(workload, rounds):
    """One row of the table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X, model, options = workload()
        explanation = ours(X, model, options)  # compiles, too
        n_values = sum(len(explanation[name].grid) for name in explanation.features)
        features = {
            name: position for position, name in enumerate(X.columns if hasattr(X, "columns") else explanation.features)
        }
        few = list(sample_of_grids(explanation))
        n_few = sum(len(values) for _, values in few)
        seconds = {"ours": [], "sklearn": [], "stacked": []}
        for _ in range(rounds):
            seconds["ours"].append(cpu_seconds(ours, X, model, options))
            some = sum(
                cpu_seconds(theirs, X, model, name if hasattr(X, "columns") else features[name], values)
                for name, values in few
            )
            seconds["sklearn"].append(some / n_few * n_values)
            name, _ = few[-1]
            grid = explanation[name].grid
            one = cpu_seconds(stacked, X, model, name, grid)
            size = max(1, BATCH // len(grid)) * len(grid)
            seconds["stacked"].append(one / size * len(X) * n_values)
    medians = {who: statistics.median(taken) for who, taken in seconds.items()}
    ratio = medians["sklearn"] / medians["ours"]
    target = TARGETS[workload.__name__]
    return (
        f"| {workload.__doc__.rstrip('.')} | {explanation.engine} | {medians['ours']:.3g} s | "
        f"{medians['sklearn']:.3g} s | {ratio:.3g} (≥ {target}) | {medians['stacked'] / medians['ours']:.3g} |"
    )


def main():
    """Print the table, and write it down on request."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    head = [
        "| workload | engine | ours | scikit-learn, scaled | ratio (target) | ratio to stacked |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    print("\n".join(head), flush=True)
    rows = []
    for workload in WORKLOADS:
        if not arguments.names or workload.__name__ in arguments.names:
            rows.append(measure(workload, arguments.rounds))
            print(rows[-1], flush=True)
    if arguments.write:
        RESULTS.write_text(
            f"# Engines against their peers\n\n"
            f"`python tests/benchmarks/engines_against_peers.py --write`, {time.strftime('%Y-%m-%d')}, "
            f"{platform.machine()}, Python {platform.python_version()}; processor seconds in one thread, "
            f"medians of {arguments.rounds}, interleaved. Of ours everything is timed: reading the model, grids, "
            "every metric, 101 decays.\n\n" + "\n".join(head + rows) + "\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
