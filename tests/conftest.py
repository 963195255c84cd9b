"""Fixtures of every test: the measured data, and random examples that CI can repeat."""

import os
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).parents[1]

# Threads of OpenMP that have nothing to do take the processor from the other processes of the tests, unless set to
# sleep before scikit-learn is imported. The processes and kernels that tests start inherit it.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

# No deadline: how long an example takes on a shared machine says nothing about the code.
hypothesis.settings.register_profile("dev", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.register_profile("fuzz", deadline=None, max_examples=10_000, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(scope="session")
def root():
    """The checkout: the folder of pyproject.toml."""
    return ROOT


@pytest.fixture(scope="session")
def shared():
    """The folder of reference data beside the checkout, which a user's machine does not have."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip(f"needs the reference data in {folder.name}/ beside the checkout")
    return folder


@pytest.fixture
def make(monkeypatch):
    """Make explorers on a wire of the test's, closed afterwards."""
    import comm
    from kernel_end import Wire

    from ice_explorer.widget.explorer import ICEExplorer

    monkeypatch.setattr(comm, "create_comm", Wire)
    made = []

    def make_one(*args, **options):
        made.append(ICEExplorer(*args, **options))
        return made[-1]

    yield make_one
    for explorer in made:
        explorer.close()


@pytest.fixture(name="ask")
def asking():
    """Send a request to an explorer, and return the reply with its buffers."""
    from kernel_end import ask

    count = iter(range(1000))
    return lambda explorer, **request: ask(explorer, str(next(count)), **request)
