"""What a picture shows, as plain arrays: the numbers that every kind of figure shares."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from ice_explorer.checks import check_one_of
from ice_explorer.curves import transforms
from ice_explorer.display_axis import writer
from ice_explorer.figures.besides import Besides
from ice_explorer.figures.choices import USUAL
from ice_explorer.figures.words import reach_text, weight_text
from ice_explorer.glossary import explanation as explained
from ice_explorer.likelihood import check_decay
from ice_explorer.metrics import CONVENTIONS
from ice_explorer.number_text import axis_number, figure_format, is_nothing
from ice_explorer.options import KINDS, RANKINGS, UNITS, Options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from ice_explorer.classes import ClassLines
    from ice_explorer.curves.transforms import AnchorName
    from ice_explorer.display_axis import DisplayAxis
    from ice_explorer.figures.palette import Palette
    from ice_explorer.figures.zoom import Window
    from ice_explorer.metrics import Convention
    from ice_explorer.options import Kind, RankBy, Unit

RANK_TITLES: Final[Mapping[str, str]] = {metric: explained(metric).name for metric in RANKINGS}
CONVENTION_TITLES: Final[Mapping[Convention, str]] = {each: explained(each).name for each in CONVENTIONS}
UNIT_TITLES: Final[Mapping[Unit, str]] = {"prediction": "", "sd": "% of SD", "share": "share"}
KIND_TITLES: Final[Mapping[str, str]] = {"ice": "ICE", "c-ice": "c-ICE", "d-ice": "d-ICE"}

FAR_OFF: Final = "*"
"""Stands beside a figure that is far from that of "stable"."""

# Differences below this share of the values are rounding, not a picture.
ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class ViewState:
    """What is shown of an explanation; the public traits of the explorer.

    Attributes
    ----------
    feature : str
        Label of the open feature; "" is the one that ranks first.
    color_by : str or None
        Label of the column that colours the lines.
    kind : {"ice", "c-ice", "d-ice"}
    decay : float
    rank_by : str
        What the bars show and are sorted by: "impact", "in_distribution_impact", "heterogeneity",
        "non_linearity" or "missing_impact".
    convention : {"stable", "equations", "published"} or None
        How impact is counted, as for `explain`; None is as the explanation has it.
    unit : {"prediction", "sd", "share"}
        Unit of the bars, as for `Explanation.table`.
    anchor : {"min", "max", "median", "own"} or float
        Where c-ICE is 0.
    max_lines : int
        Lines drawn, selected rows besides.
    selection : tuple of int
        Rows of X that are drawn and marked.
    choices : mapping
        What a reader chose about the view in the browser, as `state` of an explorer has it under "view".
    besides : Besides
        What an explorer knows besides the explanation.
    """

    feature: str = ""
    color_by: str | None = None
    kind: Kind = "ice"
    decay: float = Options.decay
    rank_by: RankBy = "in_distribution_impact"
    convention: Convention | None = None
    unit: Unit = "prediction"
    anchor: AnchorName | float = "min"
    max_lines: int = 1000
    selection: tuple[int, ...] = ()
    choices: Mapping[str, Any] = field(default_factory=dict)
    besides: Besides = field(default_factory=Besides, compare=False)

    def __post_init__(self) -> None:
        for option, got, choices in (
            ("kind", self.kind, KINDS), ("rank_by", self.rank_by, RANKINGS), ("unit", self.unit, UNITS),
        ):  # fmt: skip
            check_one_of(option, got, choices)
        if self.convention is not None:
            check_one_of("convention", self.convention, CONVENTIONS)
        # As plain numbers, which a file names as they are.
        object.__setattr__(self, "decay", check_decay(self.decay))
        object.__setattr__(self, "anchor", transforms.check_anchor(self.anchor))

    @classmethod
    def of(cls, state: ViewState | Mapping[str, Any]) -> ViewState:
        """Take a state as it is, or from a mapping with the same names, as messages carry it."""
        if isinstance(state, ViewState):
            return state
        return cls(**{**state, "selection": tuple(state.get("selection", ()))})

    def choice(self, name: str) -> Any:
        """Return what a reader chose of one thing, or what is usual."""
        return self.choices.get(name, USUAL[name])


@dataclass(frozen=True)
class Bar:
    """One feature of the ranking.

    Attributes
    ----------
    label : str
    value : float
        Length of the bar, which the features are sorted by, in the unit of the view; NaN where it is undefined.
    tick : float or None
        Impact without decay, in a ranking by in-distribution impact; None in any other.
    direction : float
        Signed mean slope times σ; NaN where levels have no order.
    is_far_off : bool
        Whether the value is more than twice, or less than half, what it is by "stable".
    is_unordered : bool
    is_open : bool
        Its curves are shown beside the ranking.
    heterogeneity, non_linearity, impact : float
        Where it stands on the map; NaN where undefined.
    step : str
        What follows the label: the step that bars are per, where some features have one of their own.
    """

    label: str
    value: float
    tick: float | None
    direction: float
    is_far_off: bool
    is_unordered: bool
    is_open: bool
    heterogeneity: float
    non_linearity: float
    impact: float
    step: str = ""


@dataclass(frozen=True)
class Ranking:
    """All features, largest first.

    Attributes
    ----------
    rank_by : str
    convention : {"stable", "equations", "published"}
    unit : {"prediction", "sd", "share"}
    bars : tuple of Bar
    """

    rank_by: RankBy
    convention: Convention
    unit: Unit
    bars: tuple[Bar, ...]

    @property
    def has_ticks(self) -> bool:
        """Whether bars are decayed, and ticks mark the impact without decay."""
        return self.rank_by == "in_distribution_impact"

    @property
    def longest(self) -> float:
        """Largest value of any bar or tick; 0 where none is defined."""
        reaches = (reach for bar in self.bars for reach in (bar.value, bar.tick or 0.0))
        return max((reach for reach in reaches if math.isfinite(reach)), default=0.0)

    @property
    def title(self) -> str:
        """The metric, with its unit unless that is the unit of the prediction."""
        return ", ".join(filter(None, [RANK_TITLES[self.rank_by], UNIT_TITLES[self.unit]]))

    @property
    def counted(self) -> str:
        """How intervals count; empty for a metric that has none."""
        return "" if self.rank_by == "missing_impact" else f"counted {CONVENTION_TITLES[self.convention]}"

    @property
    def sign_term(self) -> str:
        """The term of the glossary for what the triangles mean."""
        return "sign" if self.convention == "stable" else "sign_by_interval"

    @property
    def footnote(self) -> str:
        """Explain the marked figures; empty where there are none."""
        is_due = any(bar.is_far_off for bar in self.bars)
        return f"{FAR_OFF} more than twice or less than half the figure evenly along the axis" if is_due else ""

    @property
    def write(self) -> Callable[[float], str]:
        """How the values are written."""
        write = figure_format([bar.value for bar in self.bars])
        if self.unit == "prediction":
            return write
        return lambda value: f"{write(value)}\N{NO-BREAK SPACE}%" if math.isfinite(value) else write(value)

    def sign(self, bar: Bar) -> Literal["up", "down", "levels", "none"]:
        """What stands before a bar; a direction that would be written as nothing is none."""
        if bar.is_unordered:
            return "levels"
        figures = [abs(bar.direction), *([bar.value] if self.rank_by in ("impact", "in_distribution_impact") else [])]
        if not math.isfinite(bar.direction) or any(is_nothing(self.write(figure)) for figure in figures):
            return "none"
        return "up" if bar.direction > 0 else "down"


@dataclass(frozen=True)
class Coloring:
    """What the colours of the lines mean.

    Attributes
    ----------
    title : str or None
        Label of the column; None where all lines have one colour.
    palette : Palette
    values : ndarray of shape (n_lines,)
        0 to 1 on the ramp, or the index of a level; NaN is missing.
    domain : tuple of float or None
        Ends of the ramp, in the units of the column.
    ends : tuple of str
        The same as they are written.
    has_named_ends : bool
        Whether they are dates, durations or ranks, so that no number between them says anything.
    levels : tuple of str
    is_ordered : bool
        Whether the levels have an order, and their colours are those of a ramp.
    """

    title: str | None
    palette: Palette
    values: NDArray[np.float32]
    domain: tuple[float, float] | None = None
    ends: tuple[str, str] = ("", "")
    has_named_ends: bool = False
    levels: tuple[str, ...] = ()
    is_ordered: bool = False

    @property
    def n_missing(self) -> int:
        """Lines without a value."""
        return int(np.isnan(self.values).sum())


@dataclass(frozen=True)
class Missing:
    """Predictions with the value missing, which stand beside the axis.

    Attributes
    ----------
    values : ndarray of shape (n_lines,)
        In the units of the lines.
    mean : float
        As that of the lines.
    band : tuple of float
        The ends of their band.
    count : int
        Observations that lack the value.
    opacity : float
        Of the dots: one change of level away from any other.
    """

    values: NDArray[np.float64]
    mean: float
    band: tuple[float, float]
    count: int
    opacity: float


@dataclass(frozen=True)
class Lines:
    """The curves of one feature as one kind of picture draws them.

    Attributes
    ----------
    feature : str
    kind : {"ice", "c-ice", "d-ice"}
        Levels without an order have no slopes: their ICE is drawn instead.
    axis : DisplayAxis
        Places of the grid values, and how they are written.
    x : ndarray of shape (n_points,)
        [feature]; a step curve repeats the ends of its intervals.
    values : ndarray of shape (n_lines, n_points)
        [output], or [output / feature] for d-ICE.
    opacity : ndarray of shape (n_lines, n_points - 1)
        Of each segment, by the likelihood at its right end.
    dot_opacity : ndarray of shape (n_lines, n_grid)
        Of a dot at each grid value.
    mean, spread : ndarray of shape (n_points,)
        Partial dependence as this kind of picture has it, and the standard deviation of the lines.
    band : ndarray of shape (2, n_points)
        What is shaded around the mean: one standard deviation to either side, or the middle 68 % of the curves.
    has_quantile_band : bool
        Whether it is the latter, as for probabilities, which mean ± SD would let leave [0, 1].
    own_x, own_y : ndarray of shape (n_lines,)
        Observed value of the row and where its line is there; x is NaN where the value is missing,
        and y, too, where nothing stands beside the axis.
    missing : Missing or None
        What stands beside the axis.
    positions : ndarray of shape (n_lines,)
        Rows of X.
    selected : ndarray of shape (n_lines,)
        True for rows that are marked.
    histogram_edges, histogram_counts : ndarray
        Where the data are.
    anchored_at : float or None
        Grid value at which c-ICE is 0 in all lines.
    prediction_span : float or None
        Largest minus smallest prediction of the feature, which c-ICE is measured against.
    x_title, y_title : str
    remark : str or None
        Why another kind is drawn than was asked for, or how many lines leave the axis.
    y_span : tuple of float or None
        What the value axis reaches over, where that is not what is drawn.
    is_cut : bool
        Whether that leaves out the steepest slopes.
    window : Window or None
        The part of the axes that shows; None where all of them does.
    target : ndarray of shape (n_lines,) or None
        What was observed of each row, where it is to be seen.
    is_dense : bool
        Whether the lines are drawn as their density.
    has_rug : bool
        Whether there are ticks at the rows' own values.
    """

    feature: str
    kind: Kind
    axis: DisplayAxis
    x: NDArray[np.float64]
    values: NDArray[np.float64]
    opacity: NDArray[np.float64]
    dot_opacity: NDArray[np.float64]
    mean: NDArray[np.float64]
    spread: NDArray[np.float64]
    band: NDArray[np.float64]
    has_quantile_band: bool
    own_x: NDArray[np.float64]
    own_y: NDArray[np.float64]
    missing: Missing | None
    positions: NDArray[np.int64]
    selected: NDArray[np.bool_]
    histogram_edges: NDArray[np.float64]
    histogram_counts: NDArray[np.float64]
    anchored_at: float | None
    prediction_span: float | None
    x_title: str
    y_title: str
    remark: str | None = None
    y_span: tuple[float, float] | None = None
    is_cut: bool = False
    window: Window | None = None
    target: NDArray[np.float64] | None = None
    is_dense: bool = False
    has_rug: bool = False

    @property
    def grid(self) -> NDArray[np.float64]:
        """Places of the grid values, (n_grid,)."""
        return self.axis.grid

    @property
    def on_levels(self) -> bool:
        """Whether the points are levels: dots, with nothing in between."""
        return self.axis.has_levels and self.kind != "d-ice"

    @property
    def write(self) -> Callable[[float], str]:
        """How a value of the feature is written."""
        return writer(self.axis.kind, self.grid, self.axis.levels, axis_number(self.grid), self.axis.clock)

    @property
    def x_domain(self) -> tuple[float, float]:
        """Range of the horizontal axis: what shows of it, the grid, or a little on either side of a single value."""
        if self.window is not None:
            return self.window.x
        low, high = float(self.grid[0]), float(self.grid[-1])
        if self.axis.has_levels:
            half = 0.5
        elif high == low:
            half = abs(low) * 0.1 or 0.5
        else:  # few values stand away from the edges of the plot, as levels do
            half = (high - low) * (0.12 if len(self.grid) == 2 else 0.05 if len(self.grid) <= 6 else 0.0)
        return low - half, high + half

    @property
    def cuts(self) -> tuple[bool, bool]:
        """Whether the horizontal and the vertical axis leave out something that is drawn."""
        window = self.window
        return window is not None and window.cuts_x, self.is_cut or (window is not None and window.cuts_y)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing that lines could be drawn of: a single value has no slope."""
        return len(self.x) == 0

    @property
    def extent(self) -> tuple[float, float]:
        """Smallest and largest of everything drawn; from infinity to its opposite where that is nothing."""
        drawn = [self.values.ravel(), self.mean, self.own_y]
        if self.missing is not None:
            drawn += [self.missing.values, np.array([self.missing.mean])]
        if self.target is not None:
            drawn.append(self.target)
        finite = np.concatenate([part[np.isfinite(part)] for part in drawn])
        return float(finite.min(initial=math.inf)), float(finite.max(initial=-math.inf))

    @property
    def y_domain(self) -> tuple[float, float]:
        """What shows of the range of everything drawn; a flat picture gets room on either side."""
        if self.window is not None:
            return self.window.y
        low, high = self.extent if self.y_span is None else self.y_span
        if low > high:
            return -1.0, 1.0
        size = max(abs(low), abs(high))
        is_flat = high - low <= ROUNDING * size
        pad = (size * 0.05 or 0.5) if is_flat else (high - low) * 0.03
        return low - pad, high + pad


@dataclass(frozen=True)
class Small:
    """A feature in small.

    Attributes
    ----------
    lines : Lines
    coloring : Coloring
    y_span : tuple of float
        What the value axis reaches over.
    has_picture : bool
        Whether it is drawn in the kind that was asked for: levels without an order have no slopes.
    """

    lines: Lines
    coloring: Coloring
    y_span: tuple[float, float]
    has_picture: bool


@dataclass(frozen=True)
class ClassesShown:
    """The open feature for every class.

    Attributes
    ----------
    lines : Lines
        Of the class that is explained, as ICE.
    found : ClassLines
    """

    lines: Lines
    found: ClassLines


@dataclass(frozen=True)
class Scene:
    """A whole view: the ranking, the open feature and its colours, and what stands around them.

    Attributes
    ----------
    ranking : Ranking
    lines : Lines
    coloring : Coloring
    state : ViewState
        With the name of the feature that is open.
    n_rows : int
        Rows that the curves of the feature were computed for, of which some are drawn.
    average : str
        How the mean prediction changes along the open feature, in one sentence.
    compared : tuple of Small
        The open feature and those that it is compared with, in its place.
    features : tuple of Small
        All features, where they stand instead of the open one; at most so many as are drawn.
    classes : ClassesShown or None
    """

    ranking: Ranking
    lines: Lines
    coloring: Coloring
    state: ViewState
    n_rows: int
    average: str
    compared: tuple[Small, ...] = ()
    features: tuple[Small, ...] = ()
    classes: ClassesShown | None = None

    @property
    def heading(self) -> str:
        """What the curves are of."""
        if self.features:
            return f"{KIND_TITLES[self.state.kind]} of all features"
        if self.compared:
            names = [small.lines.feature for small in self.compared]
            return f"{KIND_TITLES[self.state.kind]} of {', '.join(names[:-1])} and {names[-1]}"
        return f"{KIND_TITLES[self.lines.kind]} of {self.lines.feature}"

    @property
    def rank(self) -> str:
        """Place of the open feature in the ranking; empty where its figure is undefined."""
        places = enumerate(self.ranking.bars, 1)
        return next(
            (
                f"Rank {rank:,} of {len(self.ranking.bars):,}."
                for rank, bar in places
                if bar.is_open and math.isfinite(bar.value)
            ),
            "",
        )

    @property
    def row_count(self) -> str:
        """How many of the rows are drawn."""
        return f"{len(self.lines.positions):,} of {self.n_rows:,} rows"

    @property
    def description(self) -> str:
        """The view in a sentence, for who cannot see it."""
        by = ", ".join(filter(None, [self.ranking.title, self.ranking.counted]))
        ranked = f"{len(self.ranking.bars)} features ranked by {by}, {self._weight}"
        if self.features:
            return f"{self.heading} in small; {ranked}."
        names = ", ".join(small.lines.feature for small in self.compared[1:])
        besides = (f"; compared with {names}" if names else "") + ("; every class" if self.classes is not None else "")
        return f"{self._curves}{besides}; {ranked}."

    @property
    def panel_description(self) -> str:
        """The same of the open feature alone."""
        return f"{self._curves}, {self._weight}."

    @property
    def _weight(self) -> str:
        decay, unordered = self.state.decay, self.lines.axis.is_unordered
        return f"{weight_text(decay)} ({reach_text(decay, unordered=unordered)})"

    @property
    def _curves(self) -> str:
        colored = "" if self.coloring.title is None else f", coloured by {self.coloring.title}"
        dense = " as their density" if self.lines.is_dense else ""
        part = "" if self.lines.window is None else ", a part of the axes"
        return f"{self.row_count}{dense}: {self.lines.y_title} against {self.lines.x_title}{colored}{part}"
