"""What a picture shows, as plain arrays: the numbers that every kind of figure shares."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from ice_explorer import payload
from ice_explorer.curves import transforms
from ice_explorer.display_axis import display_axis, histogram, writer
from ice_explorer.feature import UNORDERED
from ice_explorer.figures.besides import Besides
from ice_explorer.figures.choices import USUAL, has_rug, has_target, is_dense, kept_by, shared_span, window_key
from ice_explorer.figures.lettering import number_text
from ice_explorer.figures.palette import Palette, level_palette, plain_palette, ramp_palette, split_palette
from ice_explorer.figures.slope_range import leaving_text, slope_range
from ice_explorer.figures.split import ramp_writer, split_colors, split_of
from ice_explorer.figures.zoom import window_within
from ice_explorer.likelihood import check_decay
from ice_explorer.messages import KINDS, RANKINGS
from ice_explorer.moments import span_texts, unit_of
from ice_explorer.options import check_one_of, resolve_display

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from ice_explorer.classes import ClassLines
    from ice_explorer.display_axis import DisplayAxis
    from ice_explorer.explanation import Explanation, FeatureExplanation
    from ice_explorer.figures.split import Split
    from ice_explorer.figures.zoom import Window
    from ice_explorer.messages import Anchor, ContinuousColorsBody, Kind, RankBy
    from ice_explorer.metrics import Convention, Weighting

RANK_TITLES: Final[Mapping[str, str]] = {
    "impact": "impact",
    "in_distribution_impact": "in-distribution impact",
    "heterogeneity": "heterogeneity",
    "non_linearity": "non-linearity",
    "non_linearity_mad": "non-linearity (MAD)",
    "missing_impact": "missing impact",
}
KIND_TITLES: Final[Mapping[str, str]] = {"ice": "ICE", "c-ice": "c-ICE", "d-ice": "d-ICE"}

# A segment that is out of distribution stays visible as a ghost.
GHOST_OPACITY: Final = 0.06

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
        "non_linearity", "non_linearity_mad" or "missing_impact".
    convention, weighting : str or None
        How impact is counted, as for `explain`; None is as the explanation has it.
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
    decay: float = 0.75
    rank_by: RankBy = "in_distribution_impact"
    convention: Convention | None = None
    weighting: Weighting | None = None
    anchor: Anchor | float = "min"
    max_lines: int = 1000
    selection: tuple[int, ...] = ()
    choices: Mapping[str, Any] = field(default_factory=dict)
    besides: Besides = field(default_factory=Besides, compare=False)

    def __post_init__(self) -> None:
        for option, got, choices in (("kind", self.kind, KINDS), ("rank_by", self.rank_by, RANKINGS)):
            check_one_of(option, got, choices)
        check_decay(self.decay)
        transforms.check_anchor(self.anchor)

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
        What the features are sorted by; NaN where it is undefined.
    fill : float
        How far the bar reaches.
    outline : float or None
        Undecayed impact around a decayed fill; None where the figure does not decay.
    direction : float
        Signed mean slope times σ; NaN where levels have no order.
    is_unordered : bool
    is_open : bool
        Its curves are shown beside the ranking.
    heterogeneity, non_linearity, impact : float
        Where it stands on the map; NaN where undefined.
    """

    label: str
    value: float
    fill: float
    outline: float | None
    direction: float
    is_unordered: bool
    is_open: bool
    heterogeneity: float
    non_linearity: float
    impact: float


@dataclass(frozen=True)
class Ranking:
    """All features, largest first."""

    title: str
    decays: bool
    bars: tuple[Bar, ...]


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
    """

    title: str | None
    palette: Palette
    values: NDArray[np.float32]
    domain: tuple[float, float] | None = None
    ends: tuple[str, str] = ("", "")
    has_named_ends: bool = False
    levels: tuple[str, ...] = ()

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
    mean, spread : float
        As those of the lines.
    count : int
        Observations that lack the value.
    opacity : float
        Of the dots: one change of level away from any other.
    """

    values: NDArray[np.float64]
    mean: float
    spread: float
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
        return writer(self.axis.kind, self.grid, self.axis.levels, number_text)

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
    compared : tuple of Small
        Features pinned under the open one.
    features : tuple of Small
        All features, where they stand instead of the open one; at most so many as are drawn.
    classes : ClassesShown or None
    """

    ranking: Ranking
    lines: Lines
    coloring: Coloring
    state: ViewState
    n_rows: int
    compared: tuple[Small, ...] = ()
    features: tuple[Small, ...] = ()
    classes: ClassesShown | None = None

    @property
    def heading(self) -> str:
        """What the curves are of."""
        if self.features:
            return f"{KIND_TITLES[self.state.kind]} of all features"
        return f"{KIND_TITLES[self.lines.kind]} of {self.lines.feature}"

    @property
    def row_count(self) -> str:
        """How many of the rows are drawn."""
        return f"{len(self.lines.positions):,} of {self.n_rows:,} rows"

    @property
    def description(self) -> str:
        """The view in a sentence, for who cannot see it."""
        ranked = f"{len(self.ranking.bars)} features ranked by {self.ranking.title}, decay {self.state.decay:g}"
        if self.features:
            return f"{self.heading} in small; {ranked}."
        names = ", ".join(small.lines.feature for small in self.compared)
        besides = (f"; compared with {names}" if names else "") + ("; every class" if self.classes is not None else "")
        return f"{self._curves}{besides}; {ranked}."

    @property
    def panel_description(self) -> str:
        """The same of the open feature alone."""
        return f"{self._curves}, decay {self.state.decay:g}."

    @property
    def _curves(self) -> str:
        colored = "" if self.coloring.title is None else f", coloured by {self.coloring.title}"
        dense = " as their density" if self.lines.is_dense else ""
        part = "" if self.lines.window is None else ", a part of the axes"
        return f"{self.row_count}{dense}: {self.lines.y_title} against {self.lines.x_title}{colored}{part}"


def scene(explanation: Explanation, state: ViewState) -> Scene:
    """Gather what a view shows.

    Parameters
    ----------
    explanation : Explanation
    state : ViewState

    Returns
    -------
    Scene
        Its state names the feature that is open, and how impact is counted.
    """
    _, convention, weighting = resolve_display(explanation.settings, state.decay, state.convention, state.weighting)
    table = explanation.table(state.decay, convention, weighting, sort_by=state.rank_by)
    opened = explanation[table.index[0] if state.feature == "" else state.feature]
    state = replace(state, feature=opened.label, convention=convention, weighting=weighting)
    lines = _as_chosen(explanation, lines_of(explanation, opened, state), state)
    split = split_of(state.choice("coloring"), state.color_by, opened)
    coloring = coloring_of(explanation, state.color_by, lines.positions, split, state.choice("palette"))
    lines, coloring = filtered(lines, coloring, state.choices)
    return Scene(
        ranking=ranking_of(explanation, state),
        lines=_zoomed(lines, state, explanation.output_label),
        coloring=coloring,
        state=state,
        n_rows=len(opened.row_positions),
    )


def _as_chosen(explanation: Explanation, lines: Lines, state: ViewState) -> Lines:
    """Draw the lines and their axis as a reader chose to see them."""
    n_lines, target = len(lines.positions), state.besides.target
    if target is not None and state.choice("target") and has_target(lines.kind, explanation.settings.response):
        lines = replace(lines, target=target[lines.positions])
    if state.choice("shared_y"):
        lines = _stretched(lines, shared_span(lines.kind, (feature.prediction_range for feature in explanation)))
    if lines.kind == "d-ice" and not lines.is_empty:
        found = slope_range(lines.x, lines.values, lines.extent, full=state.choice("full_slopes"))
        remark = leaving_text(found, lines.extent, n_lines)
        lines = replace(lines, y_span=(found.low, found.high), is_cut=found.cut == "yes", remark=remark)
    return replace(
        lines,
        is_dense=is_dense(state.choice("lines_as"), n_lines, on_levels=lines.on_levels),
        has_rug=has_rug(state.choice("rug"), n_lines, on_levels=lines.on_levels),
    )


def _zoomed(lines: Lines, state: ViewState, output: str) -> Lines:
    """Show the part of the axes that a reader chose."""
    kept = state.choice("zoom").get(window_key(lines.kind, lines.feature, output))
    if kept is None:
        return lines
    x = lines.x_domain if lines.on_levels else (kept[0], kept[1])
    return replace(lines, window=window_within(x, (kept[2], kept[3]), lines.x_domain, lines.y_domain))


def _stretched(lines: Lines, span: tuple[float, float] | None) -> Lines:
    """Have the value axis reach over a span, and what is drawn all the same."""
    if span is None:
        return lines
    low, high = lines.extent
    return replace(lines, y_span=(min(low, span[0]), max(high, span[1])))


def filtered(lines: Lines, coloring: Coloring, choices: Mapping[str, Any]) -> tuple[Lines, Coloring]:
    """Leave out the lines that the legend has switched off; mean and axes stay those of all."""
    rule = choices.get("filters", {}).get(coloring.title)
    if rule is None:
        return lines, coloring
    keeps = kept_by(rule, coloring.values, coloring.domain, coloring.levels)
    missing = lines.missing
    fewer = replace(
        lines,
        positions=lines.positions[keeps],
        selected=lines.selected[keeps],
        values=lines.values[keeps],
        opacity=lines.opacity[keeps],
        dot_opacity=lines.dot_opacity[keeps],
        own_x=lines.own_x[keeps],
        own_y=lines.own_y[keeps],
        missing=None if missing is None else replace(missing, values=missing.values[keeps]),
        target=None if lines.target is None else lines.target[keeps],
        y_span=lines.y_span or lines.extent,
    )
    return fewer, replace(coloring, values=coloring.values[keeps])


def ranking_of(explanation: Explanation, state: ViewState) -> Ranking:
    """Sort the features and measure their bars."""
    table = explanation.table(state.decay, state.convention, state.weighting, sort_by=state.rank_by)
    decays = state.rank_by in ("impact", "in_distribution_impact")
    return Ranking(
        title=RANK_TITLES[state.rank_by],
        decays=decays,
        bars=tuple(
            Bar(
                label=explanation[feature].label,
                value=float(figures[state.rank_by]),
                fill=float(figures["in_distribution_impact" if decays else state.rank_by]),
                outline=float(figures["impact"]) if decays else None,
                direction=float(figures["direction"]),
                is_unordered=explanation[feature].kind in UNORDERED,
                is_open=explanation[feature].label == state.feature,
                heterogeneity=float(figures["heterogeneity"]),
                non_linearity=float(figures["non_linearity"]),
                impact=float(figures["impact"]),
            )
            for feature, figures in table.iterrows()
        ),
    )


def coloring_of(
    explanation: Explanation,
    color_by: str | None,
    positions: NDArray[np.int64],
    split: Split = None,
    ramp: str = "default",
) -> Coloring:
    """Colour some rows by a column, or by the side of a split that they are on, as the browser does."""
    if color_by is None:
        return Coloring(None, plain_palette(), np.zeros(len(positions), dtype=np.float32))
    column = explanation.column(color_by)
    apart = () if split is None or split == "median" else split.levels or ()
    body, buffers = payload.colors(column, positions.tolist(), apart)
    is_category = body["kind"] == "category"
    exact = np.frombuffer(buffers[0], dtype="<f4" if is_category else "<f8").astype(np.float64)
    sides = split_colors(body, exact, split)
    if sides is not None:
        names, on = sides
        return Coloring(column.label, split_palette(), on.astype(np.float32), levels=names)
    if body["kind"] == "category":
        palette = level_palette(len(body["levels"]), ordered=body["ordered"], ramp=ramp)
        return Coloring(column.label, palette, exact.astype(np.float32), levels=tuple(body["levels"]))
    low, high = body["domain"]
    share = np.clip((exact - low) / (high - low), 0, 1) if high > low else exact * 0 + 0.5
    return Coloring(
        column.label,
        ramp_palette(ramp),
        share.astype(np.float32),
        domain=(low, high),
        ends=_ramp_ends(body),
        has_named_ends=body["of"] != "numeric",
    )


def _ramp_ends(body: ContinuousColorsBody) -> tuple[str, str]:
    low, high = body["domain"]
    if body["of"] == "datetime":
        return span_texts(low, high)
    write = ramp_writer(body)
    return write(low), write(high)


def lines_of(
    explanation: Explanation,
    feature: FeatureExplanation,
    state: ViewState,
    positions: NDArray[np.int64] | None = None,
) -> Lines:
    """Compute the lines of a feature as one kind of picture shows them; of some rows, or those that it draws."""
    axis = display_axis(feature)
    kind: Kind = "ice" if state.kind == "d-ice" and axis.is_unordered else state.kind
    positions = feature.draw(state.max_lines, state.selection) if positions is None else positions
    curves = feature.rows(positions)
    observed = axis.observed[positions]
    own = axis.own(positions)
    rows = _Rows(feature, axis, positions, curves, own, observed, _fade(feature, positions, state.decay), state.decay)
    shape = _SHAPES[kind](rows, transforms.check_anchor(state.anchor))
    lowest, highest = feature.prediction_range
    centred_on_range = kind == "c-ice" and highest > lowest
    edges, counts = histogram(axis)
    own_y = shape.own_y if shape.missing is not None else np.where(np.isnan(observed), math.nan, shape.own_y)
    return Lines(
        feature=feature.label,
        kind=kind,
        axis=axis,
        positions=positions,
        selected=np.isin(positions, state.selection),
        own_x=observed,
        histogram_edges=edges,
        histogram_counts=counts,
        prediction_span=highest - lowest if centred_on_range else None,
        x_title=_x_title(feature.label, axis),
        y_title=_y_title(explanation.output_label, feature.label, axis, shape.anchored_at, kind),
        x=shape.x,
        values=shape.values,
        opacity=shape.opacity,
        dot_opacity=rows.fade,
        mean=shape.mean,
        spread=shape.spread,
        own_y=own_y,
        missing=shape.missing,
        anchored_at=shape.anchored_at,
        remark=None if kind == state.kind else no_slopes_text(feature.label),
    )


def no_slopes_text(feature: str) -> str:
    """Why a feature without an order is drawn otherwise than asked for."""
    return (
        f"{feature} has levels without an order, so there is no slope from one to the next. Its ICE is shown instead."
    )


@dataclass(frozen=True)
class _Rows:
    """Some rows of a feature: their curves, own places, and opacity at each grid value."""

    feature: FeatureExplanation
    axis: DisplayAxis
    positions: NDArray[np.int64]
    curves: NDArray[np.float64]
    own: NDArray[np.float64]
    observed: NDArray[np.float64]
    fade: NDArray[np.float64]
    decay: float


@dataclass(frozen=True)
class _Shape:
    """The part of `Lines` that depends on the kind of picture."""

    x: NDArray[np.float64]
    values: NDArray[np.float64]
    opacity: NDArray[np.float64]
    mean: NDArray[np.float64]
    spread: NDArray[np.float64]
    own_y: NDArray[np.float64]
    missing: Missing | None = None
    anchored_at: float | None = None


def _fade(feature: FeatureExplanation, positions: NDArray[np.int64], decay: float) -> NDArray[np.float64]:
    """Opacity at each grid value, (n_lines, n_grid)."""
    if decay == 1:
        return np.ones((len(positions), len(feature.axis)))
    return _faded(feature.likelihood_of(positions, decay))


def _faded(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    return GHOST_OPACITY + (1 - GHOST_OPACITY) * weights


def _beside_axis(rows: _Rows, held: NDArray[np.float64], shift: float, *, spread_of_drawn: bool) -> Missing | None:
    """Predictions with the value missing, each lowered by what its line was and their mean by `shift`."""
    known = rows.feature.missing_dependence
    if known is None:
        return None
    values = rows.feature.missing_rows(rows.positions) - held
    return Missing(
        values=values,
        mean=known[0] - shift,
        spread=float(values.std()) if spread_of_drawn and len(values) else known[1],
        count=int(np.isnan(rows.axis.observed).sum()),
        opacity=float(_faded(np.array(rows.decay))),
    )


def _on_grid(rows: _Rows, shape: _Shape) -> _Shape:
    """Draw a single grid value as short dashes: there is no interval to draw a line over."""
    if len(shape.x) > 1 or rows.axis.has_levels:
        return shape
    value = float(shape.x[0])
    reach = (abs(value) * 0.1 or 0.5) / 4
    return replace(
        shape,
        x=np.array([value - reach, value + reach]),
        values=np.repeat(shape.values, 2, axis=1),
        opacity=np.ones((len(rows.positions), 1)),
        mean=np.repeat(shape.mean, 2),
        spread=np.repeat(shape.spread, 2),
    )


def _ice_shape(rows: _Rows, _anchor: Anchor | float) -> _Shape:
    feature = rows.feature
    shape = _Shape(
        x=rows.axis.grid,
        values=rows.curves,
        opacity=rows.fade[:, 1:],
        mean=feature.partial_dependence,
        spread=feature.spread,
        own_y=feature.predictions(rows.positions),
        missing=_beside_axis(rows, np.zeros(len(rows.positions)), 0.0, spread_of_drawn=False),
    )
    return _on_grid(rows, shape)


def _centered_shape(rows: _Rows, anchor: Anchor | float) -> _Shape:
    feature, grid = rows.feature, rows.axis.grid
    median = rows.axis.median
    centered = transforms.centered_curves(rows.curves, grid, rows.own, median, anchor)
    held = rows.curves[:, 0] - centered[:, 0]  # what each line was moved by
    predictions = feature.predictions(rows.positions)
    if anchor == "own":  # a level that is not on the grid is a row's own all the same
        off = rows.axis.is_off(rows.observed)
        held[off] = predictions[off]
        centered[off] = rows.curves[off] - held[off, None]
    if anchor == "own":
        anchored_at, shift = None, float(held.mean())
    else:
        anchored_at = _anchor_value(grid, median, anchor)
        shift = float(feature.partial_dependence[transforms.nearest_index(grid, anchored_at)])
    own_y = predictions - held
    if anchor == "own":  # a row that lacks the value has its own prediction beside the axis, not on its line
        own_y = np.where(np.isnan(rows.observed), own_y, 0.0)
    shape = _Shape(
        x=grid,
        values=centered,
        opacity=rows.fade[:, 1:],
        mean=feature.partial_dependence - shift,
        spread=centered.std(axis=0),
        own_y=own_y,
        missing=_beside_axis(rows, held, shift, spread_of_drawn=True),
        anchored_at=anchored_at,
    )
    return _on_grid(rows, shape)


def _anchor_value(grid: NDArray[np.float64], median: float, anchor: Anchor | float) -> float:
    """Grid value at which all lines meet."""
    if anchor in ("min", "max"):
        return float(grid[0 if anchor == "min" else -1])
    wanted = median if anchor == "median" else float(cast("float", anchor))
    return float(grid[transforms.nearest_index(grid, wanted)])


def _slope_shape(rows: _Rows, _anchor: Anchor | float) -> _Shape:
    grid, fade = rows.axis.grid, rows.fade[:, 1:]
    slopes = transforms.slopes(rows.curves, grid)
    n_lines, n_intervals = slopes.shape
    opacity = np.empty((n_lines, max(0, 2 * n_intervals - 1)))
    opacity[:, ::2] = fade
    opacity[:, 1::2] = np.minimum(fade[:, :-1], fade[:, 1:])  # the step in between takes the fainter
    own_y = np.full(n_lines, math.nan)
    if n_intervals > 0:
        interval = np.clip(np.searchsorted(grid, rows.own), 1, n_intervals) - 1
        own_y = slopes[np.arange(n_lines), interval]
    mean = transforms.slopes(rows.feature.partial_dependence[None, :], grid)[0]
    return _Shape(
        x=np.repeat(grid, 2)[1:-1],
        values=np.repeat(slopes, 2, axis=1),
        opacity=opacity,
        mean=np.repeat(mean, 2),
        spread=np.repeat(slopes.std(axis=0), 2),
        own_y=own_y,
    )


_SHAPES: Final = {"ice": _ice_shape, "c-ice": _centered_shape, "d-ice": _slope_shape}


def _x_title(feature: str, axis: DisplayAxis) -> str:
    """The name of the feature, with its unit where the axis chose one."""
    return f"{feature} ({unit_of(axis.grid).name})" if axis.kind == "timedelta" else feature


_STEPS: Final[Mapping[str, str]] = {"ordered": "rank", "datetime": "day", "timedelta": "day"}


def _y_title(output: str, feature: str, axis: DisplayAxis, anchored_at: float | None, kind: Kind) -> str:
    if kind == "ice":
        return output
    if kind == "d-ice":
        return f"slope of the {output} per {_STEPS.get(axis.kind, 'unit')} of {feature}"
    write = writer(axis.kind, axis.grid, axis.levels, payload.number_text)
    start = "its own value" if anchored_at is None else f"{feature} = {write(anchored_at)}"
    return f"change of the {output} since {start}"
