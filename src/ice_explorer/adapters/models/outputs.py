"""Split the return value of a model into its outputs: one numeric column each.

What an array means follows from what the model says of itself and from the number of its axes, never
from the length of one: two rows are not two classes.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ice_explorer.checks import n_masked
from ice_explorer.errors import ICEExplorerError, OutputError, PredictionError
from ice_explorer.errors.base import cause_of, counted, did_you_mean, listed, quoted
from ice_explorer.errors.labels import labels_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from ice_explorer.adapters.models.source import Source, Way

    Array = NDArray[np.float64]
    Check = Callable[[Any, int], Any]
    Take = Callable[[Any], Array]

_NUMBER_KINDS = "fiub"
_SCORES = {"decision_function": "score (decision function)", "score_samples": "score (of samples)"}
_PREDICTION = "prediction"
_SHOWN = 30  # outputs in a message: one of them has to be chosen
_TO_A_NUMBER_PER_ROW = "Wrap the model in a function that returns a number per row."
_TEXT = {
    "probabilities": "probability of {}",
    "log-odds": "log-odds of {}",
    "scores": "score (decision function) of {}",
    "labels": "predicted as {} (1) or not (0)",
}


@dataclass(frozen=True)
class Layout:
    """How the outputs of a model lie in what it returns.

    - `outputs`: what `output=` chooses from; empty where the model has one output.
    - `what`: what the numbers of an output are, "{}" for a class.
    - `check`: (returned, n_rows) -> the same as checked arrays.
    - `takes`: of each output: checked arrays -> (n_rows,).
    - `find`: what the user chose, or None -> position of the output and notes on what was chosen for him.
    - `of_classes`: whether the outputs are classes, or numbers of their own.
    """

    outputs: tuple[object, ...]
    what: str
    check: Check
    takes: tuple[Take, ...]
    find: Callable[[object], tuple[int, tuple[str, ...]]]
    of_classes: bool = True

    def text(self, position: int, target: Sequence[str] = ()) -> str:
        """Return what the numbers of an output are called.

        - `position`: of the output.
        - `target`: names of the columns of y; empty where they have none.
        - returns: "predicted cnt", "probability of malignant", "probability of survived = 1"; "prediction" where a
          number has no name.
        """
        own = target[position] if len(target) == max(1, len(self.outputs)) else None
        if not self.of_classes:
            return self._number_text(position, own)
        output: Any = self.outputs[position]
        if isinstance(output, tuple):
            number, label = output
            if len(target) > number:
                return self.what.format(f"{target[number]} = {_word(label)}")
            return f"{self.what.format(_word(label))}, output {number}"
        if len(target) > 1 and own is not None:  # one column for each label
            return self.what.format(own)
        named = len(target) == 1 and not isinstance(output, str)
        return self.what.format(f"{target[0]} = {_word(output)}" if named else _word(output))

    def _number_text(self, position: int, own: str | None) -> str:
        name: Any = own
        if name is None and self.outputs:
            name = self.outputs[position]
        if name is None:
            return self.what
        if not isinstance(name, str):
            return f"{self.what} of output {_word(name)}"
        return f"predicted {_word(name)}" if self.what == _PREDICTION else f"{self.what} of {_word(name)}"


def _word(label: object) -> str:
    """Write a class or an output as part of a sentence: text as it is."""
    return labels_of([label])[0] if isinstance(label, str) else quoted(label)


def layout_of(way: Way, source: Source, returned: Any, rows: Any) -> Layout:
    """Find out how outputs lie in what a way of asking returned for some rows.

    - raises PredictionError: if that is no prediction of these rows.
    """
    n_rows = rows.shape[0]
    if way.returns == "numbers" or (way.returns == "scores" and source.classes is None):
        return _of_numbers(way, returned, n_rows)
    if _is_list_of_lists(source.classes):
        return _of_several(way, [_plain_labels(labels) for labels in source.classes], returned)
    if way.returns == "labels" and source.classes is None and "predict_proba" not in source.ways:
        return _of_labels_seen(way, returned)
    if way.returns == "labels":
        return _of_labels(way, _known_classes(source, rows), returned)
    return _of_classes(way, source, returned, rows)


def asked(way: Way, rows: Any) -> Any:
    """Predict rows of X itself, while an explanation is prepared; the error of the model is chained to ours."""
    try:
        with _one_filter():
            return way.ask(rows)
    except ICEExplorerError:
        raise
    except Exception as error:
        raise PredictionError.failed_on_rows(error) from error


@contextmanager
def _one_filter() -> Iterator[None]:
    """Have one filter of warnings, and pass what it lets through to those that were there.

    Each tree of a forest of scikit-learn copies all filters, which takes longer than its predictions of a few rows.
    """
    if any(action == "error" for action, *_ in warnings.filters):  # which stop the model where it warns
        yield
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            found = {(str(one.message), one.category, one.filename, one.lineno): one for one in caught}
    for one in found.values():
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno, source=one.source)


def must_choose(layout: Layout) -> bool:
    """Whether there are several outputs of which none is taken by default."""
    try:
        layout.find(None)
    except OutputError:
        return True
    return False


# --- checks --------------------------------------------------------------------------------------


def as_numbers(method: str, returned: Any) -> Array:
    """Return an array of float64, whatever real numbers came in whatever container."""
    if returned is None:
        raise PredictionError.must_return(
            method, "a number per row", "None", "End it with `return` and the predictions."
        )
    array = _as_array(method, returned)
    if array.dtype.kind in _NUMBER_KINDS:
        return array.astype(np.float64, copy=False)
    if array.dtype.kind != "O" or any(isinstance(value, str | complex) for value in array.flat):
        raise _no_numbers(method, array.dtype)
    try:
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise _no_numbers(method, array.dtype) from None


def _no_numbers(method: str, dtype: object) -> PredictionError:
    return PredictionError.must_return(method, "numbers", f"dtype {dtype}", _TO_A_NUMBER_PER_ROW)


def _not_one_table_per_output(method: str, n_outputs: int) -> PredictionError:
    what = f"a list of {n_outputs} arrays, one per output with a column per class"
    return PredictionError.must_return(
        method, what, "something else", "Wrap the model in a function that returns one number per row."
    )


def _as_array(method: str, returned: Any) -> NDArray[Any]:
    masked = n_masked(returned)
    if masked:
        call = "model" if method == "model" else f"model.{method}"
        raise PredictionError.must_return(
            method,
            "a number for every row",
            f"{counted(masked, 'value')} under a mask (`numpy.ma`)",
            f"Return plain numbers, for example by `lambda X: np.ma.filled({call}(X), 0.0)`.",
        )
    try:
        return np.asarray(returned)
    except Exception as error:
        raise PredictionError.must_return(
            method,
            "an array of numbers",
            f"{type(returned).__name__}, which numpy cannot read ({cause_of(error).rstrip('.')})",
            _TO_A_NUMBER_PER_ROW,
        ) from error


def _vector(method: str) -> Check:
    def check(returned: Any, n_rows: int) -> Array:
        array = as_numbers(method, returned)
        if array.shape != (n_rows,):
            raise PredictionError.wrong_shape(method, array.shape, n_rows)
        return array

    return check


def _table(method: str, n_columns: int) -> Check:
    def check(returned: Any, n_rows: int) -> Array:
        array = as_numbers(method, returned)
        if array.shape != (n_rows, n_columns):
            raise PredictionError.wrong_shape(method, array.shape, n_rows, n_columns)
        return array

    return check


def _labels(method: str, n_columns: int | None = None) -> Check:
    def check(returned: Any, n_rows: int) -> NDArray[Any]:
        array = _as_array(method, returned)
        if array.shape != ((n_rows,) if n_columns is None else (n_rows, n_columns)):
            raise PredictionError.wrong_shape(method, array.shape, n_rows, n_columns)
        return array

    return check


def _tables(method: str, widths: Sequence[int]) -> Check:
    """Check a list of tables, one per output."""

    def check(returned: Any, n_rows: int) -> list[Array]:
        if not isinstance(returned, list | tuple) or len(returned) != len(widths):
            raise _not_one_table_per_output(method, len(widths))
        return [_table(method, width)(part, n_rows) for part, width in zip(returned, widths, strict=True)]

    return check


# --- columns -------------------------------------------------------------------------------------


def _itself(array: Array) -> Array:
    return array


def _mirrored(array: Array) -> Array:
    return -array


def _column(position: int) -> Take:
    return lambda table: np.ascontiguousarray(table[:, position])


def _share(position: int) -> Take:
    return lambda probability: probability if position == 1 else 1.0 - probability


def _is(label: object) -> Take:
    return lambda labels: (labels == label).astype(np.float64)


# --- what is returned ----------------------------------------------------------------------------


def _of_numbers(way: Way, returned: Any, n_rows: int) -> Layout:
    what = _SCORES.get("decision_function" if way.returns == "scores" else way.name, _PREDICTION)
    if way.name != "model" and _is_text(returned):
        return _of_labels_seen(way, returned)
    numbers = as_numbers(way.name, returned)
    if numbers.ndim == 2 and numbers.shape[0] == n_rows and numbers.shape[1] > 1:
        n_outputs = numbers.shape[1]
        names = getattr(returned, "column_names", getattr(returned, "columns", None))
        outputs = tuple(range(n_outputs)) if names is None else _plain_labels(names)
        return Layout(
            outputs,
            what,
            _table(way.name, n_outputs),
            tuple(map(_column, range(n_outputs))),
            lambda output: (_position(output, outputs, "outputs"), ()),
            of_classes=False,
        )
    return Layout((), what, _vector(way.name), (_itself,), _nothing_to_choose, of_classes=False)


def _of_classes(way: Way, source: Source, returned: Any, rows: Any) -> Layout:
    """Probabilities, log-odds or scores of classes known, or as many as there are columns."""
    shape = np.shape(returned)
    if source.classes is None and len(shape) != 2:
        raise PredictionError.wrong_shape(way.name, shape, rows.shape[0])
    classes = tuple(range(shape[1])) if source.classes is None else _plain_labels(source.classes)
    what = _TEXT[way.returns]
    if way.returns == "scores" and len(shape) == 1 and len(classes) == 2:
        return Layout(classes, what, _vector(way.name), (_mirrored, _itself), _finder(classes))
    find = _finder(classes)
    if len(classes) == 2 and not _is_exclusive(source, rows):
        find = lambda output: (_position(output, classes, "labels"), ())  # noqa: E731 - two labels, not two sides of one
    return Layout(classes, what, _table(way.name, len(classes)), tuple(map(_column, range(len(classes)))), find)


def _of_labels(way: Way, classes: tuple[object, ...], returned: Any) -> Layout:
    n_labels = len(classes)
    if np.ndim(returned) == 2 and np.shape(returned)[1] == n_labels:  # of each label, whether it holds
        find = lambda output: (_position(output, classes, "labels"), ())  # noqa: E731
        return Layout(classes, _TEXT["labels"], _table(way.name, n_labels), tuple(map(_column, range(n_labels))), find)
    return Layout(classes, _TEXT["labels"], _labels(way.name), tuple(map(_is, classes)), _finder(classes))


def _of_labels_seen(way: Way, returned: Any) -> Layout:
    """Labels of a model that does not say which there are: those of the first predictions."""
    classes = tuple(sorted(set(_as_array(way.name, returned).tolist())))

    def find(output: object) -> tuple[int, tuple[str, ...]]:
        if output is None:
            raise _output_needed("classes", classes)
        if not np.isscalar(output) or output not in classes:
            raise OutputError(
                "`output` must be a label that the model predicts for the first rows of X, "
                f"{listed(classes, _SHOWN)}; got {quoted(output)}.{did_you_mean(output, classes)}",
                "For another one pass a function that returns 1 where it is predicted, else 0.",
            )
        return classes.index(output), ()

    return Layout(classes, _TEXT["labels"], _labels(way.name), tuple(map(_is, classes)), find)


def _of_several(way: Way, classes: Sequence[tuple[object, ...]], returned: Any) -> Layout:
    """Classes of several outputs: each is chosen as (output, class)."""
    pairs = [(number, place) for number, labels in enumerate(classes) for place in range(len(labels))]
    outputs = tuple((number, classes[number][place]) for number, place in pairs)
    check: Check
    part: Callable[[Any, int], Any]
    if isinstance(returned, list | tuple):
        check, part = _tables(way.name, [len(labels) for labels in classes]), lambda parts, number: parts[number]
        take_of = [_column(place) for _, place in pairs]
    else:
        # One column per output: a label, or a statement about the second of two classes.
        if way.returns == "labels":
            check = _labels(way.name, len(classes))
            take_of = [_is(label) for _, label in outputs]
        elif all(len(labels) == 2 for labels in classes):
            check = _table(way.name, len(classes))
            signed = (_mirrored, _itself)
            take_of = [_share(place) if way.returns == "probabilities" else signed[place] for _, place in pairs]
        else:
            raise _not_one_table_per_output(way.name, len(classes))
        part = lambda table, number: np.ascontiguousarray(table[:, number])  # noqa: E731
    takes = tuple(_of_part(take, part, number) for take, (number, _) in zip(take_of, pairs, strict=True))
    return Layout(outputs, _TEXT[way.returns], check, takes, lambda output: _find_of_several(output, classes, outputs))


def _of_part(take: Take, part: Callable[[Any, int], Any], number: int) -> Take:
    return lambda parts: take(part(parts, number))


# --- which output --------------------------------------------------------------------------------


def _nothing_to_choose(output: object) -> tuple[int, tuple[str, ...]]:
    if output is not None:
        raise OutputError.single(output)
    return 0, ()


def _finder(classes: Sequence[object]) -> Callable[[object], tuple[int, tuple[str, ...]]]:
    """Find a class; of two, the second is taken where none was chosen, with a note."""

    def find(output: object) -> tuple[int, tuple[str, ...]]:
        if output is not None or len(classes) > 2:
            return _position(output, classes, "classes"), ()
        return len(classes) - 1, _note_of_second(classes[0], classes[-1]) if len(classes) == 2 else ()

    return find


def _note_of_second(first: object, second: object) -> tuple[str, ...]:
    return (f"Explained class: {quoted(second)}, the second of two. Pass `output={quoted(first)}` for the other.",)


def _find_of_several(
    output: object, classes: Sequence[tuple[object, ...]], outputs: Sequence[tuple[int, object]]
) -> tuple[int, tuple[str, ...]]:
    if output is None:
        raise _output_needed(f"classes of {len(classes)} outputs", outputs)
    if isinstance(output, (int, np.integer)) and not isinstance(output, bool) and 0 <= output < len(classes):
        # The output alone: of two classes the second is meant, as everywhere.
        own = [pair for pair in outputs if pair[0] == output]
        if len(own) > 2:
            raise _output_needed(f"classes of output {output}", own)
        return outputs.index(own[-1]), _note_of_second(own[0], own[-1]) if len(own) == 2 else ()
    if isinstance(output, list | tuple) and len(output) == 2:
        for position, pair in enumerate(outputs):
            if pair == tuple(output):
                return position, ()
    raise OutputError(
        f"`output` must be an output and one of its classes, {listed(outputs, _SHOWN)}; got {quoted(output)}.",
        f"For example `output={quoted(outputs[-1])}`.",
    )


def _position(output: object, choices: Sequence[object], what: str) -> int:
    """Look an output up by label, by an equal number, then by position where no label is a number."""
    if output is None:
        raise _output_needed(what, choices)
    for position, choice in enumerate(choices):
        if type(choice) is type(output) and choice == output:
            return position
    for position, choice in enumerate(choices):
        if np.isscalar(output) and choice == output and not isinstance(output, bool) and not isinstance(choice, bool):
            return position
    # Beside labels that are numbers, a position would be taken for a label: 1 of 1, 2, 3 is the first.
    has_numbers = any(isinstance(choice, (int, float)) and not isinstance(choice, bool) for choice in choices)
    is_no_position = isinstance(output, bool) or has_numbers
    if isinstance(output, (int, np.integer)) and not is_no_position and 0 <= output < len(choices):
        return int(output)
    positions = "" if has_numbers else f", or a position from 0 to {len(choices) - 1}"
    raise OutputError(
        f"`output` must be one of {listed(choices, _SHOWN)}{positions}; got {quoted(output)}.",
        did_you_mean(output, choices).lstrip(),
    )


def _output_needed(what: str, choices: Sequence[object]) -> OutputError:
    others = f" (or {listed(choices[1:], _SHOWN)})" if len(choices) > 1 else ""
    return OutputError(
        f"The model returns {len(choices)} {what}, so one must be chosen.",
        f"Pass `output={quoted(choices[0])}`{others}.",
    )


# --- classes -------------------------------------------------------------------------------------


def _is_list_of_lists(classes: Any) -> bool:
    """Whether there are classes of several outputs."""
    return isinstance(classes, list | tuple) and len(classes) > 0 and np.ndim(classes[0]) == 1


def _plain_labels(labels: Any) -> tuple[object, ...]:
    """Turn numpy scalars into the Python objects that a user would write."""
    return tuple(label.item() if isinstance(label, np.generic) else label for label in labels)


def _known_classes(source: Source, rows: Any) -> tuple[object, ...]:
    """Class labels, or as many numbers as there are probabilities."""
    if source.classes is not None:
        return _plain_labels(source.classes)
    shape = np.shape(asked(source.ways["predict_proba"], rows))
    return tuple(range(shape[1]))


def _is_exclusive(source: Source, rows: Any) -> bool:
    """Whether two columns are two classes, not two labels that may both hold: then predict returns two, too."""
    if source.exclusive is not None or "predict" not in source.ways:
        return source.exclusive is not False
    return np.ndim(asked(source.ways["predict"], rows)) == 1


def _is_text(returned: Any) -> bool:
    array = np.asarray(returned) if isinstance(returned, np.ndarray | list) or hasattr(returned, "dtype") else None
    if array is None or array.ndim != 1:
        return False
    return array.dtype.kind in "US" or (array.dtype.kind == "O" and all(isinstance(value, str) for value in array))
