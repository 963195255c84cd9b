"""What the layout of a tree ensemble means, as plainly as it can be written: every row walks every tree."""

import numpy as np


def columns_of(X):
    """The columns of an array or a DataFrame as the package hands them on: numbers, or objects with None."""
    if isinstance(X, np.ndarray):
        return [X[:, j] for j in range(X.shape[1])]
    columns = []
    for j in range(X.shape[1]):
        column = X.iloc[:, j]
        if column.dtype.kind in "fiub":
            columns.append(column.to_numpy())
        else:
            labels = column.astype(object)
            columns.append(labels.where(~column.isna(), None).to_numpy(object))
    return columns


def leaf_of_each_row(ensemble, compared, root):
    """Walk one tree with all rows at once, level by level."""
    n_rows = compared.shape[0]
    split_at = {int(node): split for split, node in enumerate(ensemble.categorical.node)}
    node = np.full(n_rows, root)
    while (ensemble.feature[node] >= 0).any():
        for at in np.unique(node[ensemble.feature[node] >= 0]):
            rows = np.flatnonzero(node == at)
            x = compared[rows, ensemble.feature[at]]
            if int(at) in split_at:
                left = ensemble.categorical.goes_left(split_at[int(at)], x)
            elif ensemble.comparison == "le":
                left = x <= ensemble.threshold[at]
            else:
                left = x < ensemble.threshold[at]
            left = np.where(np.isnan(x), ensemble.missing_left[at], left)
            node[rows] = np.where(left, ensemble.left[at], ensemble.right[at])
    return node


def compared_columns(ensemble, X):
    """X as the trees compare it, (n_rows, n_features); NaN in columns that no tree looks at."""
    compared = np.full(np.shape(X), np.nan)
    for j, column in enumerate(columns_of(X)):
        if j in ensemble.feature:
            compared[:, j] = ensemble.as_compared(j, column)
    return compared


def margins(ensemble, X):
    """Sums of leaves, (n_margins, n_rows)."""
    compared = compared_columns(ensemble, X)
    sums = np.repeat(ensemble.base[:, None], len(compared), axis=1)
    for root, margin in zip(ensemble.root, ensemble.margin, strict=True):
        sums[margin] += ensemble.value[leaf_of_each_row(ensemble, compared, root)]
    return sums


def predictions(ensemble, X):
    """Outputs, (n_rows,)."""
    return ensemble.link.apply(margins(ensemble, X))
