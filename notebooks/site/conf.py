"""The site: `make docs` puts its sources into `build/docs`, runs the notebooks there, and builds `build/site`."""

from pathlib import Path

from ice_explorer.version import __version__

ROOT = Path(__file__).parents[2]

project = "ice-explorer"
release = version = __version__
copyright = "2026, the ice-explorer contributors"  # noqa: A001 - Sphinx reads this name

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["extra"]
templates_path = [str(Path(__file__).parent / "templates")]
nitpicky = True
default_role = "obj"

# `run.py` has run them.
nb_execution_mode = "off"
nb_merge_streams = True
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

# Types are in the docstrings, in words.
autodoc_typehints = "none"
autodoc_member_order = "alphabetical"
add_module_names = False
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
python_maximum_signature_line_length = 88

html_theme = "pydata_sphinx_theme"
html_title = "ice-explorer"
html_context = {"default_mode": "auto"}
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_extra_path = [str(ROOT / "build" / "docs" / "extra")]
html_show_search_summary = False  # a page that is opened from a folder cannot read others
html_copy_source = html_show_sourcelink = False
# Explorers have room there.
GALLERY = [f"notebooks/gallery/{path.stem}" for path in ROOT.glob("notebooks/gallery/*.ipynb")]
html_sidebars = dict.fromkeys(["index", "gallery", "README", *GALLERY], ())
html_theme_options = {
    "show_prev_next": False,
    "secondary_sidebar_items": {"**": ["page-toc"], **dict.fromkeys(["index", "gallery", *GALLERY], ())},
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def leave_as_code(app, env, node, contnode):  # noqa: ARG001 - as Sphinx calls it
    """A text between single backticks in a docstring is a link where there is an entry of that name, else code."""
    return contnode if node["reftype"] == "obj" else None


def without_internal_arguments(app, what, name, obj, options, signature, annotation):  # noqa: ARG001, PLR0917 - as above
    """Explorers are the only class that users create themselves."""
    return ("", annotation) if what in {"class", "exception"} and not name.endswith(".ICEExplorer") else None


def setup(app):
    app.connect("autodoc-process-signature", without_internal_arguments)
    app.connect("missing-reference", leave_as_code)
