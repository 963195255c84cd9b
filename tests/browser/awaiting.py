"""Waiting for what Playwright's own `expect` does not know: figures, orders, files, what a kernel says."""

from __future__ import annotations

import time

# As `expect` waits: what is awaited comes, or the test is red. Less than the limit of a test, which says less.
SECONDS = 40.0

# Addresses that a page may request: all that stays on this machine.
NEAR = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")


def soon(read, wanted):
    """Read again and again until it is what is wanted, or fail with what it was last."""
    deadline = time.monotonic() + SECONDS
    while (found := read()) != wanted and time.monotonic() < deadline:
        time.sleep(0.02)
    assert found == wanted, f"{found!r} is not {wanted!r}"


def still(part):
    """Return where a part of a page is, in sight, once it has not moved for some frames."""
    part.scroll_into_view_if_needed()
    part.evaluate(
        """async (part) => {
            const where = () => JSON.stringify(part.getBoundingClientRect());
            for (let [seen, frames] = [where(), 0]; frames < 5; frames++) {
                await new Promise(requestAnimationFrame);
                if (where() !== seen) [seen, frames] = [where(), 0];
            }
        }"""
    )
    return part.bounding_box()
