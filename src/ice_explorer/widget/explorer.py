"""The explorer in a notebook: a few traits, one dispatcher, no arithmetic.

Document state is in traits, which every view shares; whatever is large or asked for is a message
with one reply. Computing happens in `Background`, laying out bytes in `wire`.

Threads: the notebook's own, where cells run; maybe a second one of the kernel's, where messages of
the browser arrive while a cell is running; and the two of the background. What the browser sets and
what the background publishes take turns under one lock, because setting several traits at once is
not thread-safe in traitlets. The background never waits for that lock while features are still to
come: an observer that holds it may be waiting for just those features.
"""

from __future__ import annotations

import copy
import inspect
import logging
import sys
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar, cast

import anywidget
import traitlets

from ice_explorer.checks import check_flag
from ice_explorer.errors import Cancelled, ICEExplorerError, OptionError, UnknownAttributeError, missing_front_end
from ice_explorer.errors.base import closest, counted, did_you_mean, quoted
from ice_explorer.errors.tracebacks import short_tracebacks
from ice_explorer.explain_model import explain
from ice_explorer.locks import Lock
from ice_explorer.metrics.ordered import Convention
from ice_explorer.results.column_colors import RESIDUAL
from ice_explorer.results.options import DEFAULTS, OF_EXPLORERS, OF_MODELS, Kind, RankBy
from ice_explorer.runtime import is_unattended
from ice_explorer.scene.choices import STATE_VERSION, DocumentState, PublicTraits, ViewState
from ice_explorer.widget.background import Background, Snapshot
from ice_explorer.widget.filling_tables import FillingTables
from ice_explorer.widget.front_end import IS_WATCHED, SCRIPT, STYLE, front_end
from ice_explorer.widget.lifetime import Lifetime, is_shared, weakly
from ice_explorer.widget.replies import answer_of, sentence, status_of
from ice_explorer.widget.static_picture import EXPLORER, SECONDS_FOR_PICTURE, draw_picture, offer_pictures
from ice_explorer.widget.traits import check_color_by, check_feature, checked, fit_state, read_state
from ice_explorer.widget.work import Wanted, Work, work_of
from ice_explorer.wire.arrays import packed
from ice_explorer.wire.header import describe_header, score_text
from ice_explorer.wire.messages import NoBody, Note, Refusal, Reply
from ice_explorer.wire.replies import describe_colors
from ice_explorer.wire.requests import CancelRequest, ColorsRequest, Request, ResumeRequest, is_text, parse_request

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Unpack

    import pandas as pd
    from matplotlib.figure import Figure

    from ice_explorer.comparison import ModelComparison
    from ice_explorer.explain_model import ExplainOptions
    from ice_explorer.explanation import Explanation
    from ice_explorer.standalone.page import Frozen

logger = logging.getLogger(__name__)

_TRAITS: Final = PublicTraits()  # their defaults
_OF_SETTINGS: Final = ("max_lines",)  # traits that the settings of a JupyterLab have defaults for


def _with_options(init: Callable[..., object]) -> inspect.Signature:
    """Spell out the options of `explain`, for notebooks that show what an explorer takes."""
    _self, *named, _options = inspect.signature(init).parameters.values()
    options = inspect.signature(explain).parameters
    return inspect.Signature([*named, *(options[name] for name in OF_EXPLORERS)])


G = TypeVar("G")
S = TypeVar("S")


class _Checked(traitlets.TraitType[G, S]):
    """A trait that `checked` checks, in the package's own words.

    It is read as a G, and set to an S.
    """

    def validate(self, obj: Any, value: object) -> G:
        feature = obj.feature if self.name == "anchor" else ""  # read for it alone: reading checks defaults
        return cast("G", checked(cast("str", self.name), value, obj._open_work, feature))  # noqa: SLF001 - its own

    def set(self, obj: Any, value: S) -> None:
        super().set(obj, value)
        obj._tell_given(self.name)  # noqa: SLF001 - the explorer's own trait


@short_tracebacks
class ICEExplorer(anywidget.AnyWidget):
    """What a fitted model does with each feature, to look at and to move.

    The explorer appears at once and computes behind it; bars fill in as features complete. All
    traits can be set before the result is there, and are followed by every view.

    Parameters
    ----------
    model : object or dict
        Fitted model with a predict method, or a function of X that returns one number per row; or
        an `Explanation`, which has model and X. A dict of two to four of them by name,
        {"forest": forest, "boosting": boosting}, compares models on the same rows and grids; they must have the same
        kind of response and the same outputs. What `explain` returns of such a dict is taken, too.
    X : DataFrame, ndarray or sparse matrix of shape (n_observations, n_columns)
        Real observations to explain the model on; never modified.
    y : array-like of shape (n_observations,), optional
        Observed target, to show beside the predictions: numbers, or labels of the classes. Missing values
        are left out. Of a model with several outputs, a table with one column for each.
    state : dict, optional
        What `state` of an explorer returned: this one looks like it. Its output, response and decay take
        precedence over the options of that name. What the data at hand do not have is ignored, with a
        warning and a note under the picture.
    static_picture : bool
        Whether a saved notebook keeps a picture of the explorer, for where there is no kernel: in JupyterLab, on
        GitHub, in nbviewer, in what nbconvert makes. JupyterLab and Notebook 7 store the view as it is when the
        notebook is saved. Elsewhere it is the view when the explorer is displayed, if the result is there within 0.25
        seconds: read `explanation` before. Where a program runs the notebook, as nbconvert and papermill do, the
        constructor waits for the result, and raises if the model fails.
    **options
        Those of `explain`, but `budget`: samples of the rows are shown until the result is there.

    Attributes
    ----------
    feature : str
        Label of the open feature; also set by name or position. "" until one is chosen, then the
        one that ranks first. The label of a column whose name is "" is "(no name)".
    color_by : str or None
        Label of the column, or of the group of columns, that colours the lines. Where y is given, also "residual", y
        minus the prediction, and "observed" with the name of the target, such as "observed species".
    kind : {"ice", "c-ice", "d-ice"}
        Curves, curves since the anchor, or slopes.
    decay : float
        λ of the likelihood, greater than 0 and at most 1.
    rank_by : str
        What the bars show and are sorted by: "impact", "in_distribution_impact", "heterogeneity",
        "non_linearity" or "missing_impact"; of several models also "disagreement", see `models`.
    convention : {"step", "paper"}
        What figures are averages of, as for `explain`; another one is explained anew by a model.
    ci : float or None
        Level of the intervals that the ranking shows, as for `Explanation.table`; True is 0.95, and None or
        False shows none. They are computed in the background, without predicting phantom observations again where
        curves are kept.
    anchor : {"min", "max", "median", "own"} or float
        Where c-ICE is 0: a value of the open feature, or on levels their place, 0 the first. Labels of
        levels, dates and durations of the open feature are taken too, and become such numbers. A number
        stays when another feature is opened, and is a value or a place of that one.
    max_lines : int
        How many lines are drawn, selected rows besides.
    selection : list of int
        Positions of the selected rows of X.
    output : str
        Which class or output of the model is explained, as text; "" where it has one. Without the option
        `output` it starts with the second of two classes, with the class most frequent in y, else in the
        predictions, or with the first output. Another one is explained anew.
    response : str
        On which scale, as `explain` names it.
    distance : {"marginal", "conditional", "custom"}
        Unit of the distance from the observed value, as for `explain`; "custom" are values by feature that were given.
        The conditional scale is estimated in the background, feature by feature; predictions of phantom observations
        are kept where memory allows, and going back takes no time.
    model : str
        Name of the open one of several models, the first by default; "" with one. Everything is about it, but the
        curves and bars of all models, which are drawn together while `color_by` is None.

    Raises
    ------
    ICEExplorerError
        If an argument cannot be used; a subclass that is also a ValueError, TypeError or KeyError.

    Examples
    --------
    >>> x = ICEExplorer(model, X)  # doctest: +SKIP
    >>> x.feature = "bmi"  # doctest: +SKIP
    >>> x.table  # doctest: +SKIP
    """

    if IS_WATCHED:
        _esm: Path | str = SCRIPT
        _css: Path | str = STYLE

    feature = _Checked[str, Any](_TRAITS.feature).tag(sync=True)
    color_by = _Checked[str | None, Any](_TRAITS.color_by).tag(sync=True)
    kind = _Checked[Kind, Kind](_TRAITS.kind).tag(sync=True)
    # The slider is ahead of any echo of its own past positions, which would make it jitter.
    decay = _Checked[float, float](_TRAITS.decay).tag(sync=True, echo_update=False)
    rank_by = _Checked[RankBy, RankBy](_TRAITS.rank_by).tag(sync=True)
    convention = _Checked[Convention, Convention](_TRAITS.convention).tag(sync=True)
    ci = _Checked[float | None, bool | float | None](_TRAITS.ci).tag(sync=True)
    anchor = _Checked[str | float, object](_TRAITS.anchor).tag(sync=True)
    max_lines = _Checked[int, int](_TRAITS.max_lines).tag(sync=True)
    selection = _Checked[list[int], Any](_TRAITS.selection).tag(sync=True)
    output = _Checked[str, object](_TRAITS.output).tag(sync=True)
    response = _Checked[str, str](_TRAITS.response).tag(sync=True)
    distance = _Checked[str, str](_TRAITS.distance).tag(sync=True)
    model = _Checked[str, str](_TRAITS.model).tag(sync=True)

    # What a reader chose about the view, as the browser wrote it.
    _view = _Checked[dict[str, Any], Mapping[str, Any]]({}).tag(sync=True)
    # Traits that were chosen, so that the settings of a JupyterLab leave them alone.
    _given = _Checked[list[str], list[str]]([]).tag(sync=True)
    _front_end = traitlets.Unicode().tag(sync=True)  # reference to the model that has it, or ""
    _status = traitlets.Dict().tag(sync=True)
    _header = traitlets.Dict().tag(sync=True)
    _impact = traitlets.Bytes().tag(sync=True)
    _profile = traitlets.Bytes().tag(sync=True)
    _models_impact = traitlets.Bytes().tag(sync=True)
    _models_profile = traitlets.Bytes().tag(sync=True)

    def __init__(
        self,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        state: Mapping[str, Any] | None = None,
        static_picture: bool = True,
        **options: Unpack[ExplainOptions],
    ) -> None:
        if not SCRIPT.is_file():
            raise missing_front_end(SCRIPT)
        self._lifetime = Lifetime(self)
        self._sync_lock = Lock()
        self._hearing: int | None = None  # thread that takes over what the browser sets
        self._prepared: Work | None = None  # on the output that it sets
        self._has_picture = check_flag("static_picture", static_picture, usual=True)
        traits = self._public_traits()
        for name, value in options.items():
            if name in traits and name not in DEFAULTS:
                raise OptionError(
                    f"ICEExplorer() has no option {quoted(name)}: it is set on the explorer.",
                    f"Write `x = ICEExplorer(model, X)`, then `x.{name} = {value!r}`.",
                )
        restored = read_state(state, traits)
        wanted = Wanted(*(str(restored.get(name, "")) for name in Wanted._fields))
        self._work: Work | None = work_of(model, X, y, options, wanted)
        self._begin(self._work)
        # Set before the connection opens, so that a view never sees an explorer without them.
        self.decay = self._work.known.settings.decay
        fitting, lost = fit_state(restored, self._work)
        self._lost = [*self._work.lost, *lost]
        for name, value in fitting.items():
            setattr(self, name, value)
        if self._lost:
            warnings.warn(" ".join(self._lost), UserWarning, stacklevel=3)
        self._publish()
        if not IS_WATCHED:
            self._esm, self._css, self._front_end = front_end()
        super().__init__()
        self.on_msg(weakly(self._on_message))  # so that nothing but users and `Lifetime` keep an explorer
        self._lifetime.begin()
        offer_pictures()
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    __signature__ = _with_options(__init__)

    if not TYPE_CHECKING:  # with it, type checkers take any name

        def __setattr__(self, name: str, value: object) -> None:
            """Refuse a misspelt trait, which would be kept and never shown."""
            traits = self._public_traits()
            if not name.startswith("_") and not hasattr(type(self), name) and closest(name, traits):
                raise UnknownAttributeError(
                    f"An explorer has no {quoted(name)} to set.{did_you_mean(name, traits)}",
                    f"There are {', '.join(traits)}.",
                )
            super().__setattr__(name, value)

    def _tell_given(self, name: str | None) -> None:
        """Keep that a trait was set here, also to what it was; the browser tells what its reader chose."""
        if name in _OF_SETTINGS and self._hearing != threading.get_ident() and name not in self._given:
            self._given = [*self._given, name]

    @classmethod
    def _public_traits(cls) -> list[str]:
        return [name for name, trait in cls.class_traits().items() if isinstance(trait, _Checked) and name[0] != "_"]

    def _begin(self, work: Work) -> None:
        """Set out to explain one output of the model; nothing runs yet."""
        self._background: Background = Background(
            work.names, work.compute, weakly(self._publish), work.results, None if is_unattended() else work.draft
        )
        self._work = work
        self._tables: FillingTables | None = FillingTables(work)
        self._show_work(work)

    def _show_work(self, work: Work) -> None:
        """Set the traits that name what is explained: together, as one alone may name what there is not."""
        with self.hold_trait_notifications():
            for name, value in work.shown._asdict().items():
                self.set_trait(name, value)

    def _start(self) -> None:
        """Compute in the background, where the model may be called; wait where nobody reads the status of an explorer.

        - raises ICEExplorerError: if the model fails where a program runs the notebook.
        """
        work = self._open_work()
        if work.opened.measured["prediction_sd"] is None:  # after the first feature, which a reader waits for
            self._background.ask(None, partial(weakly(self._measure), work), lambda _error: None, is_exact=True)
        self._background.start()
        if is_unattended():
            self.explanation  # noqa: B018 - waits for it

    def _measure(self, work: Work, _feature: object) -> None:
        """Measure how far the predictions spread and how good they are, and publish it."""
        try:
            known = work.known
            work.opened.measured = {"prediction_sd": known._context.prediction_sd, "score": score_text(known)}
        except Exception:
            logger.exception("The standard deviation of the predictions is not known.")
        else:
            self._publish()

    @traitlets.observe(*Wanted._fields)
    def _explain_another(self, _change: object) -> None:
        """Explain anew what the traits name now; where that cannot be, they go back."""
        with self._sync_lock:
            work = self._work
            wanted = Wanted(*(getattr(self, name) for name in Wanted._fields))
            if work is None or wanted == work.shown:
                return
            try:
                chosen = self._prepared or self._other(work, wanted)
            except Exception:
                self._show_work(work)
                raise
            self._prepared = None
            before = self._background
            self._begin(chosen)
            before.close()  # last, so that a thread that waits for it finds the new one
            self._publish()
            self._start()

    def _other(self, work: Work, wanted: Wanted) -> Work:
        """Return the work on another choice, after the current call of the model, and with no other call before it."""
        self._background.pause()
        try:
            return work.other(wanted)
        except BaseException:
            self._background.unpause()
            raise

    def __repr__(self) -> str:
        if self._work is None:
            return "<ICEExplorer: closed>"
        known, status = self._work.known, status_of(self._background.snapshot(), self._work)
        state = status["message"].rstrip(".") or status["state"]
        if status["state"] == "computing":
            state = f"computing ({status['done']} done)"
        features = counted(status["total"], "feature")
        return f"<ICEExplorer of the {known.output_label}: {features}, {known._context.row_count}, {state}>"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Show the explorer, and where that cannot be a picture of it."""
        bundle = super()._repr_mimebundle_(**kwargs)
        self._lifetime.display()
        work, background = self._work, self._background
        if bundle is None:
            return None
        bundle[0][EXPLORER] = {}
        if work is None or not self._has_picture:
            return bundle
        snapshot = background.wait(SECONDS_FOR_PICTURE)
        if snapshot.state == "ready" and background is self._background:  # else another output is chosen meanwhile
            picture = draw_picture(work, snapshot.results, self._drawn(work), waits=is_unattended())
            if picture is not None:
                bundle[0]["image/png"] = picture
        return bundle

    def _request_picture(self, send: Callable[[str | None], None]) -> None:
        """Draw the view where the model may be called, and send it."""
        work, snapshot = self._work, self._background.snapshot()
        if work is None or snapshot.state != "ready" or not self._has_picture:
            send(None)
            return

        def answer(_feature: object) -> None:
            send(draw_picture(work, snapshot.results, self._drawn(work)))

        self._background.ask(None, answer, lambda _error: send(None))

    # --- what a notebook reads --------------------------------------------------------------------

    @property
    def explanation(self) -> Explanation:
        """The result, once it is there; waits for it.

        Raises
        ------
        ICEExplorerError
            Why there is none: the computation failed or was cancelled, or the explorer is closed.
        """
        snapshot, work = self._wait()
        self._publish()  # the traits are up to date when the result is read
        if snapshot.error is not None:
            raise snapshot.error
        if snapshot.state == "cancelled":
            raise Cancelled(
                "The explanation must be complete to be read; it was cancelled after "
                f"{len(snapshot.results)} of {snapshot.n_features} features.",
                'Press "Resume" in the explorer, or make it again, to compute them all.',
            )
        return work.explanation(snapshot.results)

    def _wait(self) -> tuple[Snapshot, Work]:
        """Wait for what the traits name, also if that becomes another output meanwhile."""
        while True:
            waited_for = self._background
            snapshot = waited_for.wait()
            work = self._open_work()
            if waited_for is self._background:  # which changes before the work does
                return snapshot, work

    @property
    def models(self) -> ModelComparison:
        """All models, once they are explained: their metrics side by side, and where they disagree.

        Raises
        ------
        OptionError
            If the explorer is of one model; also a ValueError.
        """
        self.explanation  # noqa: B018 - waits for it
        found = self._open_work().models
        if found is None:
            raise OptionError.needs_models("models", ", or read `explanation`")
        return found

    @property
    def table(self) -> pd.DataFrame:
        """Every metric of every feature at the current decay, in the order of the bars, with their intervals.

        Of several models it is that of the open one; `models.table()` has all.
        """
        order = "in_distribution_impact" if self.rank_by == OF_MODELS else self.rank_by
        return self.explanation.table(self.decay, rank_by=order, ci=self.ci)

    @property
    def selected(self) -> Any:
        """The selected rows of X, in its own container."""
        return self.explanation._table_rows(self.selection)

    @property
    def _features(self) -> list[str]:
        """Labels of all features, in column order, explained yet or not."""
        return list(self._open_work().by_label)

    def figure(
        self,
        what: str = "view",
        *,
        width: float | str | None = None,
        title: bool | str | None = True,
        max_lines: int | None = None,
    ) -> Figure:
        """Draw the view as it stands with Matplotlib: what `save` writes, to be changed or shown.

        Parameters
        ----------
        what : str
            "view", "panel", or the name of a feature, as for `save`.
        width, title, max_lines
            As for `save`.

        Returns
        -------
        matplotlib.figure.Figure
            Unknown to pyplot: a notebook shows it where it is the last line of a cell.

        Examples
        --------
        >>> figure = x.figure("panel", width="89mm")  # doctest: +SKIP
        >>> figure.axes[0].set_ylabel("bikes a day")  # doctest: +SKIP
        """
        from ice_explorer.export import save as export

        return export.figure(*self._shown(), what, max_lines, width=width, title=title)

    def state(self) -> dict[str, Any]:
        """Everything that was set, here or in the browser, as plain values for JSON.

        Returns
        -------
        dict
            "version" of the form, every public trait by its name, and "view": what a reader chose
            about the view. `ICEExplorer(model, X, state=...)` looks the same again.

        Examples
        --------
        >>> state = x.state()  # doctest: +SKIP
        >>> y = ICEExplorer(model, X, state=state)  # doctest: +SKIP
        """
        with self._sync_lock:
            traits = {name: getattr(self, name) for name in self._public_traits()}
            return copy.deepcopy({"version": STATE_VERSION, **traits, "view": self._view})

    def save(
        self,
        path: str | Path,
        what: str = "view",
        *,
        width: float | str | None = None,
        dpi: float | None = None,
        title: bool | str | None = True,
        max_lines: int | None = None,
        overwrite: bool = False,
    ) -> Path:
        """Write the view as it stands to a file; the suffix chooses the format.

        Parameters
        ----------
        path : str or Path
            Ends in .svg, .png, .pdf, .html, .csv, .parquet (needs pyarrow), .json, or .ice: the
            explanation itself, which `ice_explorer.load` opens without the model.
        what : str
            "view" is what the screen shows: the ranking, and the open feature with what stands under it, or all
            features in small. "panel" is the open feature alone, coloured as it is; the name of a feature is the panel
            of that one. "all" are the panels of all features, in the order of the bars: a PDF has a page for each. Of a
            CSV or Parquet, "view" is the table of metrics, everything else the curves that are drawn, as `to_frame`
            returns them. A JSON has both, and of a view the curves of all features. The provenance of a CSV is written
            to a JSON file next to it, "table.csv.json" for "table.csv". In a CSV, texts that begin with =, +, -, @, a
            tab or a line break get an apostrophe in front, so that spreadsheets do not run them as formulas; numbers
            are unchanged. An HTML is the explorer itself with all features, as far as it works without a kernel: one
            page that needs no network; `what` says what it opens with.
        width : float or str, optional
            Of the figure: in mm, or with its unit, as "89mm" or "3.5in". 180 mm for a view, 120 for a panel. Letters
            are as large as `rcParams["font.size"]` says, or 7.5 pt where that is Matplotlib's own.
        dpi : float, optional
            Of a PNG, and of the lines in an SVG or PDF where they are many; 300 by default.
        title : bool, str or None
            Whether there is a heading over the curves, with a sentence on what the feature does; or what the heading
            says. None is as False.
        max_lines : int, optional
            How many lines are drawn instead of `x.max_lines`. An HTML keeps so many of each feature, the same
            rows of all; by default fewer than `x.max_lines` where that makes more than 2 million values. Of the
            other classes it keeps fewer, of half a million values together, to be compared side by side.
        overwrite : bool
            Replace a file that is there. It is whole or not there, also where the process is killed.

        Returns
        -------
        Path
            Of the file.

        Raises
        ------
        OptionError
            If the suffix is unknown, there is a file already, the system does not write it, or a package is needed that
            is not installed (then also an ImportError).
        """
        from ice_explorer.export import save as export

        return export.save(
            *self._shown(), path, what, overwrite=overwrite, max_lines=max_lines, width=width, dpi=dpi, title=title
        )

    def freeze(self, max_lines: int | None = None) -> Frozen:
        """Leave a copy in the output of a cell that lives without a kernel.

        It is what `save` writes as HTML, in a frame: the slider, the ranking, all features with their lines,
        colours and drivers work in it, also when the notebook is opened again without a kernel, or as a page
        that nbconvert makes. A notebook that is not trusted shows a sentence in its place.

        Parameters
        ----------
        max_lines : int, optional
            How many lines of each feature it keeps, as for `save`.

        Returns
        -------
        Frozen
            Shown where it is the last line of a cell, or by `display`; the notebook grows by its size.

        Examples
        --------
        >>> x.freeze()  # doctest: +SKIP
        """
        from ice_explorer.export import save as export

        return export.frozen(*self._shown(), max_lines)

    def _shown(self) -> tuple[Explanation, ViewState]:
        """Return the result, once it is there, and how the view stands."""
        return self.explanation, self._drawn(self._open_work())

    def _refuse_copy(self, *_protocol: object) -> NoReturn:
        raise ICEExplorerError(
            "An explorer cannot be copied or pickled, because it computes in a thread and is shown on a page.",
            "Use `x.explanation`, or create another one: `ICEExplorer(model, X, state=x.state())`.",
        )

    __copy__ = __deepcopy__ = __reduce_ex__ = _refuse_copy

    def __del__(self, is_python_ending: Callable[[], bool] = sys.is_finalizing) -> None:
        """Close what nothing refers to; where Python itself ends, what closing takes is gone already."""
        if not is_python_ending():
            super().__del__()

    def close(self) -> None:
        """Stop computing, release model and data, and end every view."""
        background = getattr(self, "_background", None)
        if background is not None:  # None where the arguments were refused
            background.close()
            with self._sync_lock:  # what is being published is so to its end
                self._work = self._tables = None
        if self.comm is None:
            return
        self._lifetime.end()
        layout = self.layout
        super().close()
        if not is_shared(layout):
            layout.close()

    def _open_work(self) -> Work:
        if self._work is None:
            raise Cancelled(
                "An explorer must be open to be read; this one is closed and no longer holds its model and data.",
                "Create a new one.",
            )
        return self._work

    # --- to the browser ---------------------------------------------------------------------------

    def open(self) -> None:
        """Open the connection to the browser."""
        super().open()
        self.comm.on_msg(weakly(self._handle_msg))
        self._lifetime.attend(self.comm)
        _take_messages_at_once(self.comm)

    def _send(self, msg: dict[str, Any], buffers: Sequence[bytes] | None = None) -> None:
        super()._send(msg, buffers=buffers)
        _take_messages_at_once(self.comm)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take over what the browser changed, all of it or nothing, and send back what differs from what it sent."""
        # Only what is checked is the browser's to set; the feature comes first, as an anchor may depend on it.
        names = ["feature", *(name for name, trait in self.traits().items() if isinstance(trait, _Checked))]
        heard = {name: sync_data[name] for name in names if name in sync_data}
        with self._sync_lock:
            self._hearing = threading.get_ident()
            try:
                self._check_together(heard)
            except Exception as error:  # noqa: BLE001 - the page shows any error
                logger.warning("What the browser set is not taken: %s", sentence(error))
                self.send(Refusal(type="refused", message=sentence(error)))
            else:
                super().set_state(heard)
            finally:
                self._hearing = self._prepared = None
            changed = [name for name in sync_data if name in self.keys and getattr(self, name) != sync_data[name]]
            if changed:
                self.send_state(changed)

    def _check_together(self, values: Mapping[str, object]) -> None:
        """Check values that are set at once, before any of them is."""
        feature = check_feature(values["feature"], self._open_work) if "feature" in values else self.feature
        found = {name: checked(name, value, self._open_work, feature) for name, value in values.items()}
        chosen = {name: found[name] for name in Wanted._fields if name in found}
        if chosen:
            work = self._open_work()
            wanted = work.shown._replace(**chosen)
            if wanted != work.shown:
                self._prepared = self._other(work, wanted)

    def _publish(self) -> bool:
        """Bring the traits that only the kernel sets up to date; False where some have to wait."""
        is_patient = self._background.snapshot().state != "computing"
        if not self._sync_lock.acquire(blocking=is_patient):
            return False
        try:
            snapshot, work, tables = self._background.snapshot(), self._work, self._tables
            if work is None or tables is None:
                return True
            is_whole = self._publish_tables(work, tables, snapshot)
            if len(snapshot.known) == snapshot.n_features and self.feature == "":
                first, *_ = tables.ranked(self.rank_by, self.decay)
                self.feature = work.opened.outline[first][0]
            # Last: a page that receives "ready" has received the rest.
            self._status = cast("dict[str, Any]", status_of(snapshot, work))
            if snapshot.state != "computing":
                work.finish()
                if not is_whole:
                    self._background.tell_again()
            return is_whole
        finally:
            self._sync_lock.release()

    @traitlets.observe("feature")
    def _prefer_open(self, _change: object) -> None:
        work = self._work
        if work is not None and self.feature in work.by_label:
            self._background.prefer([work.by_label[self.feature]])

    def _publish_tables(self, work: Work, tables: FillingTables, snapshot: Snapshot) -> bool:
        """Publish header and tables unless nothing in them is new, or while it is too soon; False where it is."""
        is_due = tables.fill(snapshot, self.decay)
        if is_due is None:
            measured = work.opened.measured
            if self._header["prediction_sd"] != measured["prediction_sd"]:
                self._header = {**self._header, **measured}
            return True
        if not is_due:
            return False
        work.known = work.explanation(snapshot.known)
        if tables.is_drafted:
            self._background.prefer(tables.ranked(self.rank_by, self.decay))
            self._prefer_open(None)
        for name, value in tables.traits.items():
            setattr(self, name, value)
        choices = {f"{name}s": list(choices) for name, choices in work.choices.items()}
        chosen = {"target_name": work.known._target_name, **work.opened.measured, **choices}
        header = describe_header(work.known, list(work.opened.outline.values()), **chosen)
        header["notes"].extend(Note(feature=None, text=text) for text in self._lost)
        self._header = cast("dict[str, Any]", header)
        return tables.is_whole

    # --- from the browser -------------------------------------------------------------------------

    def _on_message(self, _widget: object, content: object, _buffers: object) -> None:
        if not isinstance(content, Mapping) or not is_text(content.get("id")):
            logger.warning("A message without an id cannot be answered: %s", quoted(content))
            return
        try:
            self._dispatch(parse_request(content))
        except Exception as error:  # noqa: BLE001 - every request gets a reply
            self._refuse(content["id"], error)

    def _dispatch(self, request: Request) -> None:
        """Answer a request, or leave it to the thread that may call the model."""
        work = self._open_work()
        match request:
            case ResumeRequest():
                self._background.resume()
                self._start()
            case CancelRequest():
                self._background.cancel()
            case ColorsRequest(column=column) if not self._is_residual(column, work):
                colors = describe_colors(work.known._column(column), request.positions, request.levels or ())
                self._reply(request.id, colors)
                return
            case _:
                name, answer = answer_of(work, self._background, request)
                self._background.ask(
                    name, lambda feature: self._reply(request.id, answer(feature)), partial(self._refuse, request.id)
                )
                return
        self._reply(request.id, NoBody())

    def _is_residual(self, column: str, work: Work) -> bool:
        """Whether a colour takes predictions of all rows, as no other one does."""
        return check_color_by(column, self._open_work) == work.known._outcome_labels.get(RESIDUAL)

    def _reply(self, request_id: str, body: object) -> None:
        content, buffers = packed(body)
        self.send(Reply(id=request_id, type="result", body=content), buffers)

    def _refuse(self, request_id: str, error: Exception) -> None:
        if isinstance(error, Cancelled):
            self.send(Reply(id=request_id, type="cancelled"))
            return
        if not isinstance(error, ICEExplorerError):
            logger.error("A request of the browser failed.", exc_info=error)
        self.send(Reply(id=request_id, type="error", message=sentence(error)))

    def _drawn(self, work: Work) -> ViewState:
        """Return all that a picture of the view shows: traits, what a reader chose, and what only `work` knows."""
        traits = {each.name: getattr(self, each.name) for each in fields(DocumentState)}
        return ViewState(**traits, choices=self._view, besides=work.besides)


def _take_messages_at_once(connection: object) -> None:
    """Handle messages of the browser in the thread that the browser sends them to.

    JupyterLab sends them to a thread beside that of the cells, so that they need not wait for a
    running cell. ipykernel 7.4 hands them to the thread that the kernel last sent from, which is
    that of the cells where an explorer is made, and where the background seems to send from.
    """
    if connection is not None:
        vars(connection).pop("_reply_subshell_id", None)
