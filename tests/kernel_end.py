"""The kernel's end of the connection to a browser, without a kernel.

`Wire` stands in for the comm, so that everything above it is the code users run: ipywidgets'
syncing, the dispatcher, the background thread.
"""

from __future__ import annotations

import threading
import uuid

_SECONDS_TO_HOLD_A_POLL = 10.0


class Wire:
    """A comm that keeps what the kernel sent and hands it what the browser sent."""

    kernel = "stand-in"

    def __init__(self, *, data, buffers=None, comm_id=None, **_rest):
        self.comm_id = comm_id or uuid.uuid4().hex
        self.opening = {"data": {"method": "update", **data}, "buffers": list(buffers or [])}
        self.sent = []
        self.arrived = threading.Condition()
        self._receive = None

    def send(self, data=None, metadata=None, buffers=None):
        with self.arrived:
            self.sent.append({"data": data, "buffers": list(buffers or [])})
            self.arrived.notify_all()

    def on_msg(self, receive):
        self._receive = receive

    def close(self, **_rest):
        self.send({"method": "close"})

    def receive(self, data, buffers=()):
        """Deliver a message of the browser's to the kernel side."""
        self._receive({"content": {"data": data}, "buffers": list(buffers)})

    def wait_for(self, condition, seconds=20.0):
        """Return the first message kept that meets the condition."""
        with self.arrived:
            found = self.arrived.wait_for(lambda: [message for message in self.sent if condition(message)], seconds)
        assert found, f"no such message among {len(self.sent)}"
        return found[0]

    def after(self, seen):
        """Messages beyond the first `seen`; waits a while for one."""
        with self.arrived:
            self.arrived.wait_for(lambda: len(self.sent) > seen, _SECONDS_TO_HOLD_A_POLL)
            return self.sent[seen:]


def ask(explorer, request_id="a", **request):
    """Send a request and return its reply."""
    explorer.comm.receive({"method": "custom", "content": {"id": request_id, **request}})
    return reply_to(explorer.comm, request_id)


def reply_to(wire, request_id):
    """Wait for the reply to a request: its content and buffers."""
    message = wire.wait_for(lambda message: message["data"].get("content", {}).get("id") == request_id)
    return message["data"]["content"], message["buffers"]
