"""Which explorers bring the whole front end to a page, and which one loads it from another widget."""

import sys
import types

import comm
import pytest
from kernel_end import Wire

from ice_explorer.widget.front_end import SCRIPT, STYLE, _shared, front_end


@pytest.fixture
def kernel(monkeypatch):
    """A Jupyter kernel, as far as the front end needs it; what it shares is closed."""
    monkeypatch.setattr(comm, "create_comm", Wire)
    ipython = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    _shared.cache_clear()
    yield
    _shared().close()
    _shared.cache_clear()


@pytest.mark.usefixtures("kernel")
def test_explorers_of_a_kernel_share_one_front_end():
    """Each brings a loader and the reference to the same widget, and to another one where that is closed."""
    one, other = front_end(), front_end()
    assert one == other
    assert len(one[0]) < 2000
    assert one[2] == f"IPY_MODEL_{_shared().model_id}"
    assert _shared().script == SCRIPT.read_text(encoding="utf-8")
    _shared().close()
    assert front_end()[2] not in {"", one[2]}


@pytest.mark.usefixtures("kernel")
def test_where_outputs_are_pages_of_their_own_each_brings_all(monkeypatch):
    """In Colab a widget of another output is not there."""
    monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    assert front_end() == (SCRIPT.read_text(encoding="utf-8"), STYLE.read_text(encoding="utf-8"), "")


def test_without_a_kernel_each_brings_all(monkeypatch):
    """As in marimo."""
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert front_end() == (SCRIPT.read_text(encoding="utf-8"), STYLE.read_text(encoding="utf-8"), "")
