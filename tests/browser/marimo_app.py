"""marimo on a server of the test's own, as an app that runs a file."""

from __future__ import annotations

import sys

from browser.server import Server, answers, free_port


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
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}/"

    def __enter__(self):
        options = ["--headless", "--no-token", "--host", "127.0.0.1", "--port", str(self._port)]
        self._server = Server(
            [sys.executable, "-m", "marimo", "run", "app.py", *options],
            self._folder / "server.log",
            dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"), str(self._folder)),
            self._folder,
        )
        self._server.wait_for(lambda: answers(f"{self.url}health"))
        return self

    def __exit__(self, *_error):
        self._server.end()
