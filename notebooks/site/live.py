"""In a kernel that runs a notebook for the site: each explorer that a cell shows becomes a page without a kernel."""

import html
import itertools
from pathlib import Path

from IPython import get_ipython

import ice_explorer as ice

# `static/site.js` gives the frame the height of its content, `static/site.css` the colours of the site.
FRAME = """\
<div class="ice-live">
<iframe src="{page}" title="{title}" loading="lazy" sandbox="allow-scripts"></iframe>
<p>{note}<a href="{page}">Open the explorer alone</a> ({size})</p>
</div>"""
OF_A_BOX = "The other parts of this output need a kernel. "


def make_live(folder, name, way):
    """Save explorers as `name-1.html` and so on in a folder that the notebook's page reaches by `way`.

    The curves of the first one become the picture `name.png`, for the gallery.
    """
    numbers = itertools.count(1)
    folder = Path(folder)

    def frame(explorer, note=""):
        number = next(numbers)
        file = folder / f"{name}-{number}.html"
        explorer.save(file, title=False, overwrite=True)
        if number == 1:
            explorer.save(folder / f"{name}.png", "panel", title=False, width=90, dpi=200, overwrite=True)
        title = html.escape(f"ICE explorer of the {explorer.explanation.output_label}")
        size = f"{file.stat().st_size / 1e6:.1f} MB"
        return FRAME.format(page=f"{way}{file.name}", title=title, note=note, size=size)

    def frames_inside(widget):
        if isinstance(widget, ice.ICEExplorer):
            yield frame(widget, OF_A_BOX)
        for child in getattr(widget, "children", ()):
            yield from frames_inside(child)

    formatter = get_ipython().display_formatter.mimebundle_formatter
    formatter.for_type(ice.ICEExplorer, lambda explorer: ({"text/html": frame(explorer)}, {}))
    formatter.for_type_by_name(
        "ipywidgets.widgets.widget_box", "Box", lambda box: ({"text/html": "\n".join(frames_inside(box))}, {})
    )
