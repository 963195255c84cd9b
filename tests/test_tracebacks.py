"""Errors of the user end in the user's line, wherever they are shown; errors of a model begin in the model."""

import inspect
import os
import re
import subprocess
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest

import ice_explorer as ice
from ice_explorer import errors
from ice_explorer.errors.tracebacks import short_traceback

X = np.arange(12.0).reshape(6, 2)
PACKAGE = str(Path(ice.__file__).parent)


def model(X):
    """Return the sum of the columns."""
    return X.sum(axis=1)


class Broken:
    """A model that fails two frames below its predict."""

    def predict(self, X):
        """Fail."""
        return self.layer(X)

    def layer(self, _X):
        """Fail."""
        msg = "shapes (2,) and (3,) differ"
        raise RuntimeError(msg)


def frames_of(error):
    """Functions of a traceback, from the line that called to the one that raised."""
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)]


def read_closed():
    x = ice.ICEExplorer(model, X)
    x.close()
    return x.table


def explorer(**options):
    return ice.ICEExplorer(model, X, **options)


MISTAKES = {
    "an option of explain": (lambda: ice.explain(model, X, grid="observd"), errors.OptionError),
    "a missing argument": (lambda: ice.explain(model), errors.DataError),
    "no option of explain": (lambda: ice.explain(model, X, gird="uniform"), errors.OptionError),
    "an option of an explorer": (lambda: explorer(gird="uniform"), errors.OptionError),
    "a trait": (lambda: setattr(explorer(), "decay", 3), errors.OptionError),
    "a misspelt trait": (lambda: setattr(explorer(), "colour_by", "x0"), errors.OptionError),
    "a property": (read_closed, errors.Cancelled),
    "a method of an explorer": (lambda: explorer().save("a.xyz"), errors.OptionError),
    "a feature": (lambda: ice.explain(model, X)["x7"], errors.OptionError),
    "a method of a result": (lambda: ice.explain(model, X).table(rank_by="size"), errors.OptionError),
    "a method of a feature": (lambda: ice.explain(model, X)["x0"].compute_curves([7]), errors.OptionError),
    "too many arguments": (lambda: ice.explain(model, X)["x0"].likelihood(1, 2), TypeError),
    "two features": (lambda: ice.explain(model, X).two_way("x0", "x0"), errors.OptionError),
    "load": (lambda: ice.load("nowhere.ice"), errors.OptionError),
    "a figure of bqplot": (lambda: ice.bqplot.impact(model), errors.DataError),
    "a name of the package": (lambda: ice.explian, errors.OptionError),
}


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_a_mistake_ends_at_the_line_that_made_it(mistake):
    """Behind the user's line there is one frame, which pytest hides."""
    make, kind = MISTAKES[mistake]
    with pytest.raises(kind) as caught:
        make()
    *_, users, ours = frames_of(caught.value)
    assert users in {"<lambda>", "read_closed", "explorer"}
    assert ours == "call"
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_mistakes_are_told_with_the_closest_name():
    """Names of the package."""
    mistakes = {
        "module 'ice_explorer' has no attribute 'explian'. Did you mean 'explain'?": lambda: ice.explian,
    }
    for message, call in mistakes.items():
        with pytest.raises(errors.OptionError) as caught:
            call()
        assert str(caught.value) == message
    assert not hasattr(ice, "explian")


def test_an_error_of_the_model_keeps_the_frames_of_the_model():
    """They are those of its cause, without ours in front of them; the error itself ends at the user's line."""
    with pytest.raises(errors.PredictionError) as caught:
        ice.explain(Broken(), X)
    assert frames_of(caught.value)[-1] == "call"
    cause = caught.value.__cause__
    assert isinstance(cause, RuntimeError)
    assert frames_of(cause) == ["predict", "layer"]
    assert PACKAGE not in "".join(traceback.format_exception(cause))


def test_an_error_of_the_background_ends_where_it_is_read():
    """An explorer computes in a thread of its own; the line that reads the result is shown, each time."""

    def fails_on_phantoms(X):
        if (X[:, 0] == X[0, 0]).all():
            msg = "constant"
            raise RuntimeError(msg)
        return X.sum(axis=1)

    x = ice.ICEExplorer(fails_on_phantoms, X, method="brute", grid={"x0": [3.0]})
    for _ in range(2):
        with pytest.raises(errors.PredictionError) as caught:
            _ = x.explanation
        assert frames_of(caught.value)[-1] == "call"
        assert len(frames_of(caught.value)) == 2
        assert frames_of(caught.value.__cause__)[-1] == "fails_on_phantoms"


def test_the_whole_traceback_is_an_environment_variable_away(monkeypatch):
    """Those who look for a fault of the package see all its frames."""
    monkeypatch.setenv("ICE_EXPLORER_TRACEBACK", "1")
    with pytest.raises(errors.OptionError) as caught:
        ice.explain(model, X, grid="observd")
    assert "explain" in frames_of(caught.value)


def test_a_fault_of_the_package_keeps_every_frame():
    """Nobody could find it otherwise."""

    @short_traceback
    def faulty():
        return inner()

    def inner():
        return 1 + None

    with pytest.raises(TypeError) as caught:
        faulty()
    assert type(caught.value) is TypeError
    assert frames_of(caught.value)[-3:] == ["call", "faulty", "inner"]


def test_every_function_and_class_of_the_package_is_decorated():
    """A new one that is not would show its frames to those who use it wrongly."""
    functions = [getattr(place, name) for place in (ice, ice.bqplot) for name in place.__all__]
    classes = [one for one in functions if inspect.isclass(one)]
    functions = [one for one in functions if inspect.isfunction(one)]
    functions += [ice.datasets.load_cervical_cancer]
    own = [base for one in classes for base in one.__mro__ if base.__module__.startswith("ice_explorer.")]
    for one in own:
        functions += [member for name, member in vars(one).items() if inspect.isfunction(member) and name[0] != "_"]
        properties = {name: member for name, member in vars(one).items() if isinstance(member, property)}
        functions += [member.fget for name, member in properties.items() if name[0] != "_"]
    assert len(functions) > 25
    assert [one.__qualname__ for one in functions if one.__code__ is not ice.explain.__code__] == []
    for public in functions:  # help, completion and type checkers lose nothing
        plain = inspect.unwrap(public)
        assert plain is not public
        assert inspect.signature(public) == inspect.signature(plain)
        assert (public.__qualname__, public.__doc__, public.__module__) == (
            plain.__qualname__, plain.__doc__, plain.__module__
        )  # fmt: skip


SCRIPT = """\
import numpy as np
import ice_explorer as ice
ice.explain(lambda X: X.sum(axis=1), np.ones((3, 2)), grid="observd")
"""


@pytest.mark.slow
def test_a_script_ends_with_its_own_line_and_the_sentence(tmp_path):
    """One frame of the package says how to see the others, which is an environment variable."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    shown = [
        subprocess.run(
            [sys.executable, script], capture_output=True, text=True, check=False,
            env={**os.environ, "ICE_EXPLORER_TRACEBACK": whole},
        ).stderr
        for whole in ("", "1")
    ]  # fmt: skip
    lines = [line for line in shown[0].splitlines() if not set(line.strip()) <= {"^", "~"}]
    assert lines[:3] == [
        "Traceback (most recent call last):",
        f'  File "{script}", line 3, in <module>',
        '    ice.explain(lambda X: X.sum(axis=1), np.ones((3, 2)), grid="observd")',
    ]
    assert lines[4].endswith("# ICE_EXPLORER_TRACEBACK=1 shows all frames")
    assert lines[5].startswith("ice_explorer.errors.OptionError: `grid` must be")
    assert len(lines) == 6
    assert "in explain" in shown[1]


CELL = """\
import numpy as np
import ice_explorer as ice
X = np.arange(12.0).reshape(6, 2)
class Broken:
    def predict(self, X):
        raise RuntimeError("shapes differ")
"""


@pytest.fixture
def run_cell():
    """A function that runs a cell in a real kernel and returns the traceback that a notebook shows, uncoloured."""
    manager = pytest.importorskip("jupyter_client.manager")
    kernel, client = manager.start_new_kernel(kernel_name="python3")

    def run(code):
        shown = []

        def keep(message):
            if message["msg_type"] == "error":
                shown.extend(message["content"]["traceback"])

        client.execute_interactive(code, output_hook=keep, timeout=60)
        return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(shown))

    assert run(CELL) == ""
    yield run
    client.stop_channels()
    kernel.shutdown_kernel(now=True)


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_cell_shows_its_own_line_the_sentence_and_frames_of_the_model(run_cell):
    """One frame of ours is between them, unless the environment variable asks for the whole traceback."""
    shown = run_cell("x = 1\nice.explain(np.sum, X, method='quick')")
    files = re.findall(r"^(?:File|Cell).*$", shown, flags=re.MULTILINE)
    assert [Path(file.partition(" In[")[0].partition(":")[0]).name for file in files] == ["Cell", "tracebacks.py"]
    assert "----> 2 ice.explain(np.sum, X, method='quick')" in shown
    assert "skipping hidden" not in shown
    assert shown.splitlines()[-1].startswith("OptionError: `method` must be 'auto'")
    shown = run_cell("ice.explain(Broken(), X)")
    assert '----> 6         raise RuntimeError("shapes differ")' in shown
    assert "----> 1 ice.explain(Broken(), X)" in shown
    assert re.findall(r"ice_explorer/(.*?\.py):", shown) == ["errors/tracebacks.py"]
    shown = run_cell("%env ICE_EXPLORER_TRACEBACK=1\nice.explain(Broken(), X, grid='observd')")
    assert "in explain(" in shown
