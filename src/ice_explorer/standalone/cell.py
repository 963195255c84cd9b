"""A standalone page in the output of a cell: an iframe saved with the notebook."""

from __future__ import annotations

import html
from string import Template
from typing import Final

from ice_explorer.standalone.page import size_text

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
