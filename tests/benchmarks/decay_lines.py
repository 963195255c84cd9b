"""Lines of the modules that sum likelihoods for every decay, here and in another checkout."""

from turns import ROOT

TITLE = "Lines of the decay"
CAPTION = (
    "Lines of the modules of `metrics/` that sum likelihoods for every decay, with comments and blank lines; modules "
    "that the version before had and this one has not, and the other way round, are counted where they are."
)
HEAD = ["module", "before", "now"]
MODULES = [
    "chebyshev", "decay_sums", "decay_sums_numba", "distance_pairs", "likelihood_sums", "likelihood_sums_numba",
    "observed_value_nodes", "running_sums", "running_sums_numba",
]  # fmt: skip


def lines_of(checkout):
    """Lines of each module that is there, by its name."""
    files = [checkout / "src" / "ice_explorer" / "metrics" / f"{module}.py" for module in MODULES]
    return {file.stem: len(file.read_text(encoding="utf-8").splitlines()) for file in files if file.exists()}


def rows(options):
    """Yield the lines of the table."""
    now, before = lines_of(ROOT), lines_of(options.before) if options.before else {}
    for module in MODULES:
        if module in now or module in before:
            yield [f"`{module}`", before.get(module, "–"), now.get(module, "–")]
    yield ["all", sum(before.values()) or "–", sum(now.values())]
