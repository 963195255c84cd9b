"""A throw-away Voilà server of one notebook."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time

_SECONDS_TO_START = 90.0


class VoilaServer:
    """Voilà on a free port of this machine, with settings, runtime and data in one folder.

    Parameters
    ----------
    notebook : Path
    folder : Path
        Empty.
    """

    def __init__(self, notebook, folder):
        self._notebook = notebook
        self._home = folder
        self._log = folder / "server.log"

    def __enter__(self):
        places = {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "IPYTHONDIR": "ipython",
        }
        environment = {**os.environ, **{name: str(self._home / at) for name, at in places.items()}}
        environment["OMP_NUM_THREADS"] = "1"
        port = _free_port()
        options = ["--no-browser", "--Voila.ip=127.0.0.1", f"--port={port}", "--Voila.port_retries=0"]
        with self._log.open("w", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "voila", str(self._notebook), *options],
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.url = f"http://127.0.0.1:{port}/"
        self._wait_for(port)
        return self

    def __exit__(self, *_error):
        self._process.terminate()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _wait_for(self, port):
        """Wait until somebody listens: whoever asks for the page starts a kernel."""
        deadline = time.monotonic() + _SECONDS_TO_START
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=5).close()
            except OSError:
                time.sleep(0.05)
            else:
                return
        self.__exit__()
        raise RuntimeError(self._log.read_text(encoding="utf-8")[-3000:])


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
