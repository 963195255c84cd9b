"""An explorer as an HTML page without a kernel: it makes no network requests, and user texts are escaped."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Final

from ice_explorer import version
from ice_explorer.errors import missing_front_end
from ice_explorer.scene.build import scene
from ice_explorer.scene.choices import chosen
from ice_explorer.scene.provenance import provenance
from ice_explorer.standalone.recording import record
from ice_explorer.wire.arrays import check_sendable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ice_explorer.explanation import Explanation
    from ice_explorer.scene.choices import ViewState

PROVENANCE_ID: Final = "ice-provenance"
"""Of the element that says where a page comes from; `provenance_reader` looks for it."""

_HALVES: Final = "backslashreplace"  # of characters, which no page can hold
_STATIC: Final = Path(version.__file__).parent / "static"

# The script is the one that has this hash, and nothing at all is loaded. Elements have styles of their own.
_POLICY: Final = (
    "default-src 'none'; script-src '{script}'; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)

_PAGE: Final = Template(
    """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="$policy">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="ice-explorer $version">
<link rel="icon" href="data:,">
<title>$title</title>
<script type="application/json" id="$provenance_id">$provenance</script>
<style>$style</style>
</head>
<body class="ice-page" data-in="$where">
$heading
<main id="ice-place"><p class="ice-page-note">Loading the curves (requires JavaScript) …</p></main>
<footer class="ice-page-about">
<p>$about</p>
<p class="ice-page-about-use">$use</p>
</footer>
$blobs
<script type="text/plain" id="ice-licences">$licences</script>
<script type="module">$script</script>
</body>
</html>
"""
)

_USE: Final = (
    "Everything here works without the model and without a network; to explain another output, for more lines and for "
    "other files, go to the notebook."
)


def frozen_page(
    explanation: Explanation, state: ViewState, call: str, *, title: bool | str = True, in_cell: bool = False
) -> bytes:
    """Write an explorer as HTML that opens from a file, with no request.

    `state` is what the page shows when it opens, `call` the call that writes it. There is no heading in the output of a
    cell, which has margins of its own, nor where `title` is False.
    """
    for feature in explanation.values():
        check_sendable(feature)
    shown = scene(explanation, state)
    origin = provenance(explanation, [shown], call, holds_target=shown.state.besides.target is not None)
    recording = record(explanation, shown.state)
    # A page follows all that was chosen, and leaves no line out: it can be chosen otherwise.
    origin |= {"rows_drawn": recording.n_lines, "view": chosen(state.choices), "not_drawn": []}
    words = html.escape(title if isinstance(title, str) else f"ICE of the {explanation.output_label}")
    has_heading = title is not False and not in_cell
    script = _bundled("frozen.js")
    digest = hashlib.sha256(script.encode()).digest()
    filled = {
        "policy": _POLICY.format(script=f"sha256-{base64.b64encode(digest).decode()}"),
        "version": version.__version__,
        "title": words,
        "provenance_id": PROVENANCE_ID,
        "provenance": _json(origin),
        "style": _bundled("frozen.css"),
        "where": "cell" if in_cell else "file",
        "heading": f'<header><h1 class="ice-page-title">{words}</h1></header>' if has_heading else "",
        "use": _USE,
        "blobs": "\n".join(
            f'<script type="text/plain" id="ice-blob-{at}">{text}</script>' for at, text in enumerate(recording.blobs)
        ),
        # Sharing the page redistributes the libraries inside.
        "licences": _bundled("explorer.licences.txt"),
        "script": script,
    }
    size = len(_PAGE.substitute(filled, about="").encode(errors=_HALVES))
    return _PAGE.substitute(filled, about=html.escape(_about(origin, size))).encode(errors=_HALVES)


def size_text(n_bytes: int) -> str:
    """Write a size as a reader would: in kB, or in MB from a million bytes on."""
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e6 else f"{n_bytes / 1e3:.0f} kB"


def _bundled(name: str) -> str:
    file = _STATIC / name
    if not file.is_file():
        raise missing_front_end(file)
    return file.read_text(encoding="utf-8")


def _json(value: Any) -> str:
    """Write JSON that no browser takes for the end of its element, whatever users wrote."""
    return json.dumps(value, default=str, allow_nan=False).replace("<", "\\u003c")


def _about(origin: Mapping[str, Any], size: int) -> str:
    drawn, there = origin["rows_drawn"], origin["n_observations"]
    every = "its one row" if there == 1 else f"all {there:,} rows"
    rows = every if drawn == there else f"{drawn:,} of {there:,} rows, the same for every feature"
    return f"Saved by ice-explorer {version.__version__}: {rows}, {size_text(size)}."


# --- in the output of a cell: an iframe saved with the notebook ------------------------------------

_HEIGHT: Final = 760  # px, until the frame says how high it is

# A notebook that nobody trusts yet has its frames and style sheets taken out, and shows the sentence instead.
_OUTPUT: Final = Template(
    """\
<style>iframe.ice-frozen ~ p.ice-frozen-note { display: none; }</style>
<iframe class="ice-frozen" title="ICE explorer" sandbox="allow-scripts" srcdoc="$page"
 style="display: block; width: 100%; height: ${height}px; border: 0;"></iframe>
<p class="ice-frozen-note">This explorer works without a kernel. It appears when the notebook is trusted
(in JupyterLab: “Trust Notebook” in the command palette), or when the cell runs again.</p>
<script>$listener</script>
"""
)

# The frame cannot reach the page around it, and the page not into the frame: they send messages.
_LISTENER: Final = """
(() => {
  const isDark = (node) => {
    for (let at = node.parentElement; at !== null; at = at.parentElement) {
      const [r, g, b, a = 1] = (getComputedStyle(at).backgroundColor.match(/[\\d.]+/g) ?? []).map(Number);
      if (a > 0.5) return 0.3 * r + 0.6 * g + 0.1 * b < 128;
    }
    return false;
  };
  const paint = (frame) => { frame.style.colorScheme = isDark(frame) ? "dark" : "light"; };
  const frames = () => document.querySelectorAll("iframe.ice-frozen");
  const repaint = () => frames().forEach(paint);
  repaint();
  if (window.iceExplorerFrozen) return;
  window.iceExplorerFrozen = true;
  addEventListener("message", ({ data, source }) => {
    if (data?.type !== "ice-explorer:height" || !Number.isFinite(data.height)) return;
    for (const frame of frames()) {
      if (frame.contentWindow !== source) continue;
      frame.style.height = `${Math.min(Math.max(Math.ceil(data.height), 120), 10000)}px`;
      paint(frame);
    }
  });
  // A notebook says on its body that the theme is another one; the style sheets of it may come before or after.
  new MutationObserver(() => {
    repaint();
    requestAnimationFrame(repaint);
  }).observe(document.body, { attributes: true });
  addEventListener("load", ({ target }) => { if (target instanceof HTMLLinkElement) repaint(); }, true);
})();
"""


class Frozen:
    """An explorer as it was when it was frozen; show it as the last line of a cell, or with `display`."""

    def __init__(self, page: bytes) -> None:
        self._page = page

    def __repr__(self) -> str:
        return f"<frozen ICEExplorer: {size_text(len(self._page))}>"

    def _repr_html_(self) -> str:
        page = html.escape(self._page.decode(), quote=True)
        return _OUTPUT.substitute(page=page, height=_HEIGHT, listener=_LISTENER)
