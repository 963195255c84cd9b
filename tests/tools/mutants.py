"""Break the code by one line at a time, and report which of these faults the tests notice.

`python tests/tools/mutants.py` copies the checkout, applies one mutation after another to the copy, and runs the tests
that should notice it. A mutation is "killed" if a test fails, "survived" if none does, and "gone" if its text is no
longer in the code: adapt it then. Tests that fail without it do not count. Seconds are those of the tests with the
mutation; compiled code is compiled anew, which takes most of them.
"""

from __future__ import annotations

import argparse
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parents[2]
SECONDS: Final = 1800  # of one run of tests; a longer one hangs, which is noticed
_BROKEN: Final = "no result"
# Each has a name, a module with the tests that are run first, the text to replace, which occurs once, and its
# replacement. Modules and tests are relative to the folders of the package and of its tests, or of the front end.
MUTATIONS: Final = r"""
= the conditional scale ignores weights
@ curves/inputs.py : metrics/test_conditional_scale.py metrics/test_conditional_scale_weights.py
- row_scales = conditional_moments(values, others, sigma, weights, settings.random_state).scale
+ row_scales = conditional_moments(values, others, sigma, None, settings.random_state).scale
= levels of texts follow their first appearance
@ tables/column.py : tables/test_tables.py metrics/test_metrics_identities.py
- return sorted(levels, key=key)
+ return list(levels)
= copies of the target on another scale are overlooked
@ results/notes.py : results/test_target_check.py
- slope = float(x @ y / (y @ y)) if y.any() else 0.0
+ slope = float(y.any())
= missing values that tell the target are overlooked
@ results/notes.py : results/test_target_check.py
- _is_copy(column.missing.astype(np.float64), numbers)
+ _is_copy(column.missing.astype(np.float64), 0.0 * numbers)
= influences on missing impact are those on its sum
@ metrics/influence.py : metrics/test_influence.py results/test_missing_impact_intervals.py
- missing = block.missing_change - figures["missing_impact"]
+ missing = block.missing_change
= notes need six grid values
@ results/notes.py : results/test_impact_notes.py
- _FEWEST_VALUES: Final = 5
+ _FEWEST_VALUES: Final = 6
= tied pairs count among the known features
@ wire/replies.py : widget/test_intervals_widget.py widget/test_unfinished.py
- tied = [(places[first], places[second]) for first, second in ties]
+ tied = list(ties)
= tables of drafts lack the decay below that of the view
@ wire/header.py : widget/test_drafts_widget.py widget/test_unfinished.py
- np.searchsorted(DECAYS, [decay - 0.01, decay, 1.0])
+ np.searchsorted(DECAYS, [decay, decay, 1.0])
= x.table forgets the level of intervals
@ widget/explorer.py : widget/test_intervals_widget.py
- rank_by=order, ci=self.ci)
+ rank_by=order)
= a saved selection may hold row n
@ widget/traits.py : widget/test_state.py widget/test_state_of_fewer_rows.py
- "selection", range(known._n_observations), "rows
+ "selection", range(known._n_observations + 1), "rows
= the dots of a heat map are the first rows
@ wire/replies.py : widget/test_joint_widget.py widget/test_heat_map_dots.py
- axis.observed[two.rows]
+ axis.observed[: len(two.rows)]
= a call that ran out of memory is repeated as it was
@ curves/brute.py : curves/test_brute.py
- self._most = max(1, min(self._most, n_phantoms // 2))
+ self._most = max(1, self._most)
= a cancel is not published
@ widget/background.py : widget/test_background.py widget/test_unfinished.py
-                 self._state = "cancelled"
-             self._untold = True
+                 self._state = "cancelled"
= values that no row has take the columns of the next row
@ features/moves.py : features/test_moves.py
- moved[~is_observed] = self.apply_rule(distinct[~is_observed])
+ self.apply_rule(distinct[~is_observed])
= heterogeneity divides by n
@ metrics/sums.py : metrics/test_metrics_vs_oracle.py metrics/test_metrics_identities.py
- np.sqrt(moments.squared / (total - 1.0))
+ np.sqrt(moments.squared / total)
= steps weigh by the right end alone
@ metrics/ordered.py : metrics/test_metrics_vs_oracle.py metrics/test_metrics_identities.py
- ends, of_windows, left_shares = _step_ends(grid, scale), shares / shares.sum(), np.full(n_grid, 0.5)
+ ends, of_windows, left_shares = _step_ends(grid, scale), shares / shares.sum(), np.full(n_grid, 0.0)
= windows stick out of the axis
@ metrics/ordered.py : metrics/test_metrics_vs_oracle.py metrics/test_oracles.py
- start = np.minimum(np.maximum(grid - length / 2.0, grid[0]), grid[-1] - length)
+ start = grid - length / 2.0
= non-linearity ignores the flat part of a curve
@ metrics/ordered.py : metrics/test_sums.py trees/test_libraries.py
- return np.asarray(np.abs(deviations) @ shares + self.constant_share * np.abs(mean))
+ return np.asarray(np.abs(deviations) @ shares)
= the copy of the first slope has the likelihood of its right end
@ metrics/ordered.py : metrics/test_metrics_vs_oracle.py metrics/test_published_tables.py
- of_windows[0], left_shares[0] = 2.0 / n_grid, 0.5
+ of_windows[0], left_shares[0] = 2.0 / n_grid, 0.0
= ties between grid values count above
@ metrics/ordered.py : metrics/test_sums.py metrics/test_metrics_identities.py
- below = (cumulative[ends[0]] + cumulative[ends[1]]) / 2.0
+ below = cumulative[ends[0]]
= parts that are merged forget how near their rows are
@ metrics/sums.py : metrics/test_sums.py distributed/test_same_result.py
- * (part.nearest - self.nearest))
+ * 0.0)
= a bucket of observed values has its nodes too near
@ metrics/sums.py : metrics/test_sums.py metrics/test_decay.py
- _NODES: Final = np.polynomial.legendre.leggauss(4)[0]
+ _NODES: Final = np.polynomial.legendre.leggauss(4)[0] * 0.9
= weighted quantiles take the next value
@ tables/column.py : metrics/test_sample_weight.py metrics/test_edge_values.py
- levels * cumulative[-1], side="left")
+ levels * cumulative[-1], side="right")
= disagreement ignores weights of phantoms
@ metrics/disagreement.py : results/test_models.py
- terms = (mass, mass * size, mass * far, mass * size * far)
+ terms = (mass, size, mass * far, mass * size * far)
= intervals scale distances by the inverse ratio
@ results/intervals.py : results/test_intervals.py
- decay ** (1.0 / units)
+ decay**units
= intervals forget the places that rows count for
@ results/intervals.py : results/test_intervals.py
- found[present] = (by_place[below] + by_place[above]) / 2.0
+ found[present] = 0.0
= shares forget that their sum varies
@ results/intervals.py : results/test_intervals.py
- block -= np.outer(
+ block -= 0.0 * np.outer(
= differences of neighbours forget that both have the same rows
@ results/intervals.py : results/test_intervals.py
- - 2.0 * covariance[known, at]
+ - 0.0 * covariance[known, at]
= few rows do not stand for all
@ results/intervals.py : results/test_intervals.py
- weights[at] * (weights.sum() / weights[at].sum())
+ weights[at]
= errors of a sample do not shrink towards all rows
@ metrics/influence.py : metrics/test_influence.py
- math.sqrt(max(0.0, 1.0 - n_rows / n_all) / n_rows)
+ math.sqrt(1.0 / n_rows)
= XGBoost sends the threshold left
@ trees/read_xgboost.py : trees/test_libraries.py
- comparison="lt",
+ comparison="le",
= a nested split forgets the one above it
@ trees/sweep_numba.py : trees/test_sweep.py trees/test_libraries.py
- return low, min(high, cut), max(low, cut), high, runs_end
+ return low, cut, max(low, cut), high, runs_end
= a phantom with the observed value is that of another row
@ curves/method.py : curves/test_brute.py
- curves[matches, place[matches]] = self._of_rows[rows[matches]]
+ curves[matches, place[matches]] = self._of_rows[matches]
= a budget leaves out rows before grid values
@ drafts.py : results/test_drafts.py
- size = self._choose_size(wanted, _VALUES_WITHIN)
+ size = self._choose_size(wanted, math.inf)
= a column that no grid value moved stays where it is
@ curves/choose.py : curves/test_pipelines.py
- moving[number, rest] = are_equal(crossed[:, rest], matrix[np.ix_(rows, rest)]).all(axis=0)
+ pass
= missing changes of a group are those of the first rows
@ results/intervals.py : results/test_subgroups.py
- moved = None if change is None else change[inside]
+ moved = None if change is None else change[: inside.sum()]
= the threshold of unlike observations ignores weights
@ results/extrapolation.py : results/test_extrapolation.py
- np.array([_LEVEL]), weights)[0])
+ np.array([_LEVEL]), None)[0])
= ALE is centred over the grid
@ beyond/effects.py : beyond/test_effects.py
- return effect - float(effect @ mass / mass.sum())
+ return effect - effect.mean()
= equal values have the rank of the last of them
@ drivers/candidates.py : drivers/test_correlations.py
- ranks = (np.cumsum(mass) - mass / 2)[of_row]
+ ranks = np.cumsum(mass)[of_row]
= one large side is enough for a driver
@ drivers/drivers.py : drivers/test_drivers.py
- min_weight_fraction_leaf=least / total * (1 - 1e-9),
+ min_weight_fraction_leaf=0.0,
= likelihood scales of lines are those of the first rows
@ wire/replies.py : widget/test_drawn_rows.py widget/test_distance.py wire/test_bodies.py
- likelihood_scale=feature.likelihood_scale[positions],
+ likelihood_scale=feature.likelihood_scale[: len(positions)],
= a request does not wake a paused explorer
@ widget/background.py : widget/test_background.py faults/test_cells_and_pages.py
-                 self._is_paused = False
-                 self._questions.append
+                 self._questions.append
= what was computed before another scale is lost
@ widget/work.py : widget/test_distance.py
- results = self.results.setdefault(distance, {})
+ results = self.results[distance] = {}
= a refused change stays in the browser
@ widget/explorer.py : widget/test_widget.py widget/test_state.py
-             if changed:
+             if not changed:
= an opened draft forgets that it is one
@ saved/read.py : saved/test_saved.py
- method, item, sums, sampling=sampling)
+ method, item, sums)
= outlying rows of trees are those of another order
@ curves/method.py : results/test_outlying_rows.py
- sums.outlying = np.sort(np.searchsorted(summed, added[sums.outlying]))
+ sums.outlying = np.sort(sums.outlying)
= outlying rows are not drawn
@ feature.py : results/test_outlying_rows.py
- np.union1d(np.union1d(drawn, self._outlying), context
+ np.union1d(drawn, context
= the shape of curves tells no rows apart
@ metrics/sums.py : results/test_outlying_rows.py
- highest - lowest, *along])
+ highest - lowest])
= models draw the outlying rows of the open one
@ scene/build.py : results/test_outlying_rows.py
- [*state.selection, *models._outlying(opened.feature)]
+ state.selection
= c-ICE shows the mean of missing values unshifted
@ scene/lines.py : figures/test_drawn_view.py figures/test_figures.py contract
- else missing.mean - mean_level
+ else missing.mean
= of two grid values equally near the upper is taken
@ plot/geometry/transforms.ts : plot/geometry/transforms.test.ts
- if (Math.abs(grid[k]! - value) < Math.abs(grid[best]! - value)) best = k;
+ if (Math.abs(grid[k]! - value) <= Math.abs(grid[best]! - value)) best = k;
= segments fade by their left ends
@ plot/geometry/likelihood.ts : plot/geometry/contract.test.ts plot/scene.test.ts drawn.test.ts
- Math.exp(rate * distance[i * nGrid + k]!)
+ Math.exp(rate * distance[i * nGrid + k - 1]!)
= figures between two decays are taken from the other one
@ wire/tables.ts : wire/arrays.test.ts
- at(left) + (place - left) * (at(left + 1) - at(left))
+ at(left + 1) - (place - left) * (at(left + 1) - at(left))
= a refused decay stays on the slider
@ state/store.ts : state/store.test.ts
-       this.#local<keyof Traits>(key).value = this.#given(key);
+       // the kernel may have refused the last value
= curves of other rows are kept
@ state/curves.ts : state/drafts.test.ts
- if (last !== null && this.#nRows.get(last) === nRows && hasRows(last[0]!, rows))
+ if (last !== null && hasRows(last[0]!, rows))
= a whisker begins below zero
@ state/ranking.ts : state/drafts.test.ts state/ranking.test.ts
- [Math.max(0, value - draft.margin), value + draft.margin]
+ [value - draft.margin, value + draft.margin]
= the steepest slope is the steepest way up
@ panels/feature/sentence.tsx : panels/feature/sentence.test.ts
- const sizes = Array.from(mean, Math.abs);
+ const sizes = Array.from(mean);
= intervals that are switched on again have the usual level
@ panels/controls/settings.tsx : browser/intervals.test.ts browser/interval_level.test.ts
- level.current = intervals.value ?? level.current;
+ level.current = intervals.value ?? USUAL_LEVEL;
"""


@dataclass(frozen=True)
class Mutant:
    """One mutation; `tests` are run first."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


def mutants() -> list[Mutant]:
    """Read the mutations."""
    found = []
    for entry in re.findall(r"^= (.*)\n@ (\S+) : (.*)\n((?:- .*\n)+)((?:\+ .*\n)+)", MUTATIONS, re.MULTILINE):
        name, module, tests, *texts = entry
        source, folder = ("js/src", "js/test") if module.endswith((".ts", ".tsx")) else ("src/ice_explorer", "tests")
        old, new = ("\n".join(line[2:] for line in text.splitlines()) for text in texts)
        named = tuple(f"{folder}/{each}" for each in tests.split())
        found.append(Mutant(name, f"{source}/{module}", old, new, named))
    return found


class Copy:
    """A copy of a checkout that can be broken; `marks` are the tests of pytest that are run, as `-m` takes them."""

    def __init__(self, tree: Path, folder: Path, marks: str) -> None:
        self.root, self._marks = folder / "checkout", marks
        listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listing, cwd=tree, check=True, capture_output=True, text=True).stdout.split("\0")
        # Compiled functions are valid while the times of their modules are the same.
        for pattern in ("static/*", "**/*.nb[ci]"):
            names += [str(path.relative_to(tree)) for path in (tree / "src/ice_explorer").glob(pattern)]
        for name in filter(lambda name: (tree / name).is_file(), names):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(tree / name, self.root / name)
        shutil.copytree(tree / "js/node_modules", self.root / "js/node_modules", symlinks=True)  # Vite follows no link
        if (tree.parent / "shared").is_dir():
            (folder / "shared").symlink_to(tree.parent / "shared")

    def has(self, mutant: Mutant) -> bool:
        """Return whether the text of a mutation is there once."""
        path = self.root / mutant.file
        return path.is_file() and path.read_text(encoding="utf-8").count(mutant.old) == 1

    @contextmanager
    def mutated(self, mutant: Mutant) -> Iterator[dict[str, str]]:
        """Apply a mutation, and yield environment variables for the tests."""
        path = self.root / mutant.file
        text, times = path.read_text(encoding="utf-8"), path.stat()
        path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
        # A cache would return the callers of a compiled function as they were.
        variables = {"NUMBA_CACHE_DIR": tempfile.mkdtemp(dir=self.root.parent)} if "@njit" in text else {}
        try:
            yield variables
        finally:
            path.write_text(text, encoding="utf-8")
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def stages(self, mutant: Mutant) -> list[tuple[str, ...]]:
        """Return the tests to run: the files that are named, then the folders of those that are gone."""
        there = [test for test in mutant.tests if (self.root / test).exists()]
        folders = {str(Path(test).parent) for test in mutant.tests if test not in there}
        return [tuple(stage) for stage in (there, sorted(folders)) if stage]

    def failing(self, tests: tuple[str, ...], known: list[str] | None = None, **variables: str) -> list[str]:
        """Run tests, and return those that fail: all, or up to the first one that is not `known` to fail."""
        if tests[0].startswith("js/"):
            folder, project = self.root / "js", "browser" if "/browser" in " ".join(tests) else "node"
            command = ["node_modules/.bin/vitest", "run", *(["--tags-filter=!slow"] if self._marks else [])]
            command += [f"--project={project}"] if tests != ("js/test",) else []
            command += [*(["--bail=1"] if known == [] else []), *(test.removeprefix("js/") for test in tests)]
        else:
            folder, command = self.root, [sys.executable, "-m", "pytest", "-q", "--tb=no", "-rfE", "-m", self._marks]
            command += ["-p", "no:cacheprovider", "-p", "no:randomly", *([] if known is None else ["-x"]), *tests]
            command += [f"--deselect={test}" for test in known or ()]
        path = os.pathsep.join(str(self.root / name) for name in ("src", "tests"))
        environment = {**os.environ, "PYTHONPATH": path, "CI": "1", "NO_COLOR": "1", **variables}
        with subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True,
        ) as process:  # fmt: skip
            try:
                output, _ = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return [f"{_BROKEN}: more than {SECONDS} seconds"]
        failed = re.findall(r"^ ?(?:FAILED|ERROR|FAIL) +(.+?)(?: - .*)?$", output, re.MULTILINE)
        # 5: pytest found no tests, as in a folder of slow ones.
        return failed or ([] if process.returncode in {0, 5} else [f"{_BROKEN}: exit {process.returncode}"])


def main() -> None:
    """Run the mutations that the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tree", type=Path, default=ROOT, help="another checkout, with its own tests")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="mutations whose name has one of these texts")
    parser.add_argument("--jobs", type=int, default=1, help="how many run at a time, each in a copy of its own")
    parser.add_argument("--marks", default="not slow", help="tests that are run, as `pytest -m` takes them")
    parser.add_argument("--all", action="store_true", help="run all tests where those that are named notice nothing")
    options = parser.parse_args()
    chosen = [each for each in mutants() if not options.only or any(text in each.name for text in options.only)]
    unbroken: dict[tuple[str, ...], list[str]] = {}  # tests that fail without a mutation
    copies: queue.Queue[Copy] = queue.Queue()

    def tried(mutant: Mutant) -> str:
        copy, status, first, seconds = copies.get(), "gone", "", 0.0
        every = ("js/test" if mutant.file.startswith("js/") else "tests",)
        try:
            for tests in [*copy.stages(mutant), *([every] if options.all else [])] if copy.has(mutant) else []:
                known = unbroken[tests] = unbroken[tests] if tests in unbroken else copy.failing(tests)
                start = time.monotonic()
                with copy.mutated(mutant) as variables:
                    found = copy.failing(tests, known, **variables)
                seconds += time.monotonic() - start
                first = next((test for test in found if test not in known), "")
                is_unclear = any(test.startswith(_BROKEN) for test in known)
                status = "killed" if first else "unclear" if is_unclear else "survived"
                if first:
                    break
        finally:
            copies.put(copy)
        print(f"{status:8} {seconds:6.1f} s  {mutant.name:60} {first}", flush=True)
        return status

    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(options.jobs) as pool:
        for job in range(options.jobs):
            copies.put(Copy(options.tree.resolve(), Path(folder) / str(job), options.marks))
        found = list(pool.map(tried, chosen))
    print(", ".join(f"{found.count(status)} {status}" for status in ("killed", "survived", "unclear", "gone")))


if __name__ == "__main__":
    main()
