"""A page in the manner of VS Code's and Colab's outputs: the explorer in a frame with few permissions.

The frame holds the bundle and its style sheet as texts, as anywidget sends them, and imports the
script from a blob. It talks to the page around it by messages alone, and the page to the kernel.
"""

from __future__ import annotations

import json
from pathlib import Path

_HOST = (Path(__file__).parent / "host.html").read_text(encoding="utf-8")

# What each of the host page's addresses is for goes through the page around the frame.
_BRIDGE = """
const waiting = new Map();
let last = 0;
addEventListener("message", ({ data: { id, text } }) => { waiting.get(id)?.(text); waiting.delete(id); });
const ask = (url, options = {}) => new Promise((resolve) => {
  waiting.set(++last, (text) => resolve({ json: async () => JSON.parse(text) }));
  parent.postMessage({ id: last, url, method: options.method ?? "GET", body: options.body }, "*");
});
"""

_AROUND = """
addEventListener("message", async ({ data: { id, url, method, body }, source }) => {
  const text = await (await fetch(url, { method, body })).text();
  source.postMessage({ id, text }, "*");
});
"""


def page_of(bundle, *, sandbox, policy, head="", body=""):
    """Return the page around a frame, as HTML.

    The frame has permissions (`sandbox`), a content security policy, style sheets of the host in its `head`, and
    attributes of its `body`.
    """
    script, style = ((bundle / f"explorer.{kind}").read_text(encoding="utf-8") for kind in ("js", "css"))
    inner = _HOST.replace('<link rel="stylesheet" href="/explorer.css">', f"{head}<style>{style}</style>")
    inner = inner.replace('<link rel="icon" href="data:,">', "")
    inner = inner.replace("<head>", "").replace('<meta charset="utf-8">', f'<meta charset="utf-8">{_policy(policy)}')
    inner = inner.replace("<main></main>", f"<body {body}><main></main>", 1)
    blob = f'URL.createObjectURL(new Blob([{_literal(script)}], {{ type: "text/javascript" }}))'
    inner = inner.replace('import("/explorer.js")', f"import({blob})").replace("await fetch(", "await ask(")
    inner = inner.replace("() => fetch(", "() => ask(").replace(
        '<script type="module">', f'<script type="module">{_BRIDGE}'
    )
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>a notebook</title><link rel="icon" href="data:,">
<script>{_AROUND}</script>
<script>
const frame = document.createElement("iframe");
frame.setAttribute("sandbox", {json.dumps(sandbox)});
frame.style.cssText = "width: 1100px; height: 800px; border: 0";
frame.srcdoc = {_literal(inner)};
document.documentElement.append(document.createElement("body"));
document.body.append(frame);
</script></html>"""


def _policy(policy):
    return f'<meta http-equiv="Content-Security-Policy" content="{policy}">' if policy else ""


def _literal(text):
    return json.dumps(text).replace("<", "\\u003c")
