"""A page without Jupyter: a real explorer behind a small web server.

`Host` serves the page that shows the built bundle, and carries messages between the page and the
`Wire` of the explorer.
"""

from __future__ import annotations

import base64
import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

HERE = Path(__file__).parent


def _as_json(message):
    texts = [base64.b64encode(buffer).decode() for buffer in message["buffers"]]
    return {"data": message["data"], "buffers": texts}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, wire, bundle):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.wire = wire
        self.files = {
            "/": ("text/html", HERE / "host.html"),
            "/explorer.js": ("text/javascript", bundle / "explorer.js"),
            "/explorer.css": ("text/css", bundle / "explorer.css"),
        }


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        at = urlsplit(self.path)
        if at.path == "/state":
            self._reply(_as_json(self.server.wire.opening))
        elif at.path == "/messages":
            seen = int(parse_qs(at.query)["after"][0])
            self._reply([_as_json(message) for message in self.server.wire.after(seen)])
        elif at.path in self.server.files:
            kind, file = self.server.files[at.path]
            self._send(kind, file.read_bytes())
        else:
            self.send_error(404)

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        self.server.wire.receive(json.loads(self.rfile.read(length)))
        self._reply(None)

    def _reply(self, value):
        self._send("application/json", json.dumps(value, allow_nan=False).encode())

    def _send(self, kind, content):
        # The page may be closed while a poll is being held.
        with suppress(ConnectionError):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, *_details):
        """Keep the test's output to what failed."""


class Host:
    """Serves the page and the messages of one explorer on a free port of this machine."""

    def __init__(self, explorer, bundle):
        self._server = _Server(explorer.comm, bundle)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
