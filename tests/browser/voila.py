"""A throw-away Voilà server of one notebook."""

from __future__ import annotations

import socket
import sys

from browser.server import Server, free_port


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

    def __enter__(self):
        places = {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "IPYTHONDIR": "ipython",
        }
        port = free_port()
        options = ["--no-browser", "--Voila.ip=127.0.0.1", f"--port={port}", "--Voila.port_retries=0"]
        self._server = Server(
            [sys.executable, "-m", "voila", str(self._notebook), *options],
            self._home / "server.log",
            {name: str(self._home / at) for name, at in places.items()},
        )
        self.url = f"http://127.0.0.1:{port}/"
        self._server.wait_for(lambda: _listens(port))
        return self

    def __exit__(self, *_error):
        self._server.end()


def _listens(port):
    """Return whether a server listens; loading the page would start a kernel."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError:
        return False
    return True
