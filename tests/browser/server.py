"""Programs that serve pages on this machine: every host of notebooks in these tests is one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

_SECONDS_TO_START = 180.0


class Server:
    """A program that was started, with what it says in a file.

    Parameters
    ----------
    command : list of str
        Modules of Python, with arguments.
    log : Path
    environment : dict
        Besides that of this process.
    folder : Path, optional
        Where it runs.
    """

    def __init__(self, command, log, environment, folder=None):
        self._log = log
        with log.open("w", encoding="utf-8") as said:
            self._process = subprocess.Popen(
                [sys.executable, "-m", *command],
                cwd=folder,
                # Two threads of BLAS for each kernel is one too many where tests share a machine.
                env={**os.environ, **environment, "OMP_NUM_THREADS": "1"},
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait_for(self, find):
        """Return what is found once it is there; where the program ends before, raise with its last output."""
        deadline = time.monotonic() + _SECONDS_TO_START
        while time.monotonic() < deadline and self._process.poll() is None:
            found = find()
            if found:
                return found
            time.sleep(0.05)
        self.end()
        raise RuntimeError(self._log.read_text(encoding="utf-8")[-3000:])

    def end(self):
        """End the program, and wait for it."""
        self._process.terminate()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextmanager
def serve_marimo(folder, app, theme="light"):
    """Serve an app of marimo, given as text, with settings of its own in an empty folder; yield its address."""
    (folder / "app.py").write_text(app, encoding="utf-8")
    (folder / "pyproject.toml").write_text(f'[tool.marimo.display]\ntheme = "{theme}"\n', encoding="utf-8")
    port = _free_port()
    options = ["--headless", "--no-token", "--host", "127.0.0.1", "--port", str(port)]
    homes = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"), str(folder))
    server = Server(["marimo", "run", "app.py", *options], folder / "server.log", homes, folder)
    try:
        server.wait_for(lambda: answers(f"http://127.0.0.1:{port}/health"))
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.end()


@contextmanager
def serve_voila(folder, notebook):
    """Serve a notebook with Voilà, with settings, runtime and data in an empty folder; yield its address."""
    port = _free_port()
    options = ["--no-browser", "--Voila.ip=127.0.0.1", f"--port={port}", "--Voila.port_retries=0"]
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    homes = {name: str(folder / name.lower()) for name in names}
    server = Server(["voila", str(notebook), *options], folder / "server.log", homes)
    try:
        server.wait_for(lambda: _listens(port))
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.end()


def answers(address):
    """Return whether a server answers there, with success."""
    try:
        urllib.request.urlopen(address, timeout=5).close()  # noqa: S310 - our own server
    except (urllib.error.URLError, OSError):
        return False
    return True


def _listens(port):
    """Return whether a server listens; loading the page of Voilà would start a kernel."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError:
        return False
    return True


def _free_port():
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
