"""How the documentation is built; ``make docs`` calls it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from numpydoc.xref import DEFAULT_LINKS

import sentree

project = "sentree"
author = "The sentree developers"
copyright = author
version = release = sentree.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "complete",
    "mathml",
    "pictures",
    "room_map",
]
exclude_patterns = ["_build", "_ext", "_static", "_templates"]
templates_path = ["_templates"]
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["colon_fence", "dollarmath", "deflist"]
myst_heading_anchors = 3
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

_GALLERY = ("customers", "penguins", "text", "digits", "cells", "comparison")


def _reading_order(path):
    """Return the place of an example in the gallery."""
    return _GALLERY.index(Path(path).stem.removeprefix("plot_"))


sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": _reading_order,
    "minigallery_sort_order": _reading_order,
    "abort_on_example_error": True,
    "doc_module": ("sentree",),
    "backreferences_dir": "gallery/backreferences",
    "thumbnail_size": (600, 340),
    "download_all_examples": False,
    "min_reported_time": float("inf"),  # times differ from run to run
    "write_computation_times": False,
    "show_signature": False,
}

autosummary_generate = True
autosummary_ignore_module_all = False
autosummary_imported_members = True
autosummary_context = {"at_the_top": sentree.__all__}
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
numpydoc_xref_aliases = {word: word for word in DEFAULT_LINKS}  # no links to other projects
numpydoc_xref_aliases |= {name: f"sentree.{name}" for name in sentree.__all__ if name[0].isupper()}
numpydoc_xref_aliases |= {
    "Audit": "sentree.constraints.audit.Audit",
    "Candidate": "sentree.search.recipes.Candidate",
    "Closure": "sentree.constraints.Closure",
    "Conflict": "sentree.constraints.Conflict",
    "Recipe": "sentree.search.recipes.Recipe",
    "Selection": "sentree.search.recipes.Selection",
}

nitpicky = True
#: Names of other projects, which would need their inventories from the network.
nitpick_ignore_regex = [("py:.*", r"(anndata|matplotlib|networkx|numpy|pandas|scipy|sklearn)\..*")]

html_theme = "furo"
html_math_renderer = "mathml"
html_title = f"sentree {version}"
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_static_path = ["_static"]
html_css_files = ["extra.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0072B2", "color-brand-content": "#0072B2"},
    "dark_css_variables": {"color-brand-primary": "#56B4E9", "color-brand-content": "#56B4E9"},
}


def _skip_field_numbers(app, what, name, obj, skip, options):
    """Leave out the fields of named tuples that have no words of their own."""
    told = getattr(obj, "__doc__", None) or ""
    return True if told.startswith("Alias for field number") else None


def setup(app):
    """Connect what conf.py itself adds."""
    app.connect("autodoc-skip-member", _skip_field_numbers)
