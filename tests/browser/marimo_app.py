"""marimo on a server of the test's own, as an app that runs a file."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

_SECONDS_TO_START = 90.0


class MarimoServer:
    """`marimo run` of one file on a free port of this machine, with settings of its own.

    Parameters
    ----------
    folder : Path
        Empty.
    app : str
        The file.
    theme : {"light", "dark"}
    """

    def __init__(self, folder, app, theme="light"):
        self._folder = folder
        (folder / "app.py").write_text(app, encoding="utf-8")
        (folder / "pyproject.toml").write_text(f'[tool.marimo.display]\ntheme = "{theme}"\n', encoding="utf-8")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}/"

    def __enter__(self):
        homes = {"HOME": self._folder, "XDG_CONFIG_HOME": self._folder, "XDG_STATE_HOME": self._folder}
        environment = {**os.environ, **{name: str(folder) for name, folder in homes.items()}, "OMP_NUM_THREADS": "1"}
        self._log = self._folder / "server.log"
        options = ["--headless", "--no-token", "--host", "127.0.0.1", "--port", str(self._port)]
        with self._log.open("w", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "marimo", "run", "app.py", *options],
                cwd=self._folder,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        deadline = time.monotonic() + _SECONDS_TO_START
        while time.monotonic() < deadline and self._process.poll() is None:
            if self._answers():
                return self
            time.sleep(0.05)
        self.__exit__()
        raise RuntimeError(self._log.read_text(encoding="utf-8")[-3000:])

    def __exit__(self, *_error):
        self._process.terminate()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _answers(self):
        try:
            urllib.request.urlopen(f"{self.url}health", timeout=5).close()  # noqa: S310 - our own server
        except (urllib.error.URLError, OSError):
            return False
        return True
