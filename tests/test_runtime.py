"""What runs the code: IPython, a Jupyter kernel, or a program without a reader."""

import sys
import types

import pytest

from ice_explorer.runtime import ipython_shell, is_unattended, jupyter_kernel


def running(monkeypatch, shell):
    """Have IPython be loaded, and run a shell or none."""
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))


def test_without_ipython_there_is_no_shell_and_no_kernel(monkeypatch):
    """Nothing is imported to find that out, and a script is no notebook that a program runs."""
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert (ipython_shell(), jupyter_kernel(), is_unattended()) == (None, None, False)
    assert "IPython" not in sys.modules


def test_ipython_may_be_loaded_without_running(monkeypatch):
    """As where a library imports it in a script."""
    running(monkeypatch, None)
    assert (ipython_shell(), jupyter_kernel(), is_unattended()) == (None, None, False)


def test_a_shell_in_a_terminal_has_no_kernel(monkeypatch):
    """IPython in a terminal shows no widgets."""
    shell = types.SimpleNamespace()
    running(monkeypatch, shell)
    assert ipython_shell() is shell
    assert (jupyter_kernel(), is_unattended()) == (None, False)


@pytest.mark.parametrize(("allow_stdin", "server", "expected"), [
    (True, "", False), (False, "", True), (False, "voila/0.5", False),
])  # fmt: skip
def test_a_program_that_takes_no_questions_is_unattended(monkeypatch, allow_stdin, server, expected):
    """Voilà takes none either, but its page has a reader."""
    kernel = types.SimpleNamespace(_allow_stdin=allow_stdin)
    running(monkeypatch, types.SimpleNamespace(kernel=kernel))
    monkeypatch.setenv("SERVER_SOFTWARE", server)
    assert jupyter_kernel() is kernel
    assert is_unattended() is expected
