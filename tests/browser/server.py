"""A program that serves pages on this machine, as every host of notebooks in these tests is one."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request

_SECONDS_TO_START = 90.0


class Server:
    """A program that was started, with what it says in a file.

    Parameters
    ----------
    command : list of str
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
                command,
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


def answers(address):
    """Return whether a server answers there, with success."""
    try:
        urllib.request.urlopen(address, timeout=5).close()  # noqa: S310 - our own server
    except (urllib.error.URLError, OSError):
        return False
    return True


def free_port():
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
