"""Prints figures of this package beside those of other packages and closed forms, with their difference and source.

Of a quantity at several values, the row shows the place where both differ most. The figures are those that
`tests/beyond/test_witnesses.py` compares. Run it as `python tests/tools/witness_table.py`.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from comparisons import ALL


def main():
    """Print the table."""
    print("| quantity | values | ours | theirs | difference | source |\n| --- | --- | --- | --- | --- | --- |")
    for compare in ALL:
        for found in compare():
            at = np.argmax(np.abs(found.ours - found.theirs))
            ours, theirs = found.ours[at], found.theirs[at]
            print(
                f"| {found.quantity} | {len(found.ours)} | {ours:.6g} | {theirs:.6g} | {abs(ours - theirs):.1e} "
                f"| {found.source} |"
            )


if __name__ == "__main__":
    main()
