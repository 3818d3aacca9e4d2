"""Sphinx configuration; tables and pictures are made from committed measurements."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import api_pages  # noqa: I001
import architecture_map
import auto_tables
import changelog_page
import command_pages
import guide_pictures
import learner_notes
import vocabulary_table
from api_pages import write_if_changed
from skldl import __version__, _MODULES

project = "scikit-ldl"
author = copyright = "the scikit-ldl developers"
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "mathml",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "auto_examples/**/*.ipynb"]
templates_path = ["_templates"]
html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = f"scikit-ldl {__version__}"
html_static_path = ["_static"]
html_css_files = ["skldl.css"]
html_theme_options = {
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "header_links_before_dropdown": 7,
    "navigation_with_keys": False,
}
html_show_sourcelink = False
# pages without pages below them have nothing to put there
html_sidebars = {
    name: [] for name in ("index", "getting_started", "which_method", "glossary")
}

# named one by one: a page that is new in an old build would be overlooked
autosummary_generate = [f"api/{name}.rst" for name in _MODULES]
autodoc_typehints = "none"  # numpydoc says it better
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples"),
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"make_votes",
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "reference_url": {"skldl": None},
    "subsection_order": ["../examples/stories", "../examples/methods"],
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    # what the last expression is worth is shown only where it is a table
    "capture_repr": ("_repr_html_",),
    "ignore_repr_types": r"matplotlib.*|builtins.*",
    "reset_modules": ("matplotlib", "guide_pictures.use_style"),
}


def skip_foreign(app, what, name, thing, skip, options):
    """Leave out inherited members whose text points into scikit-learn's own pages."""
    foreign = (getattr(thing, "__module__", "") or "").startswith("sklearn")
    return True if foreign and ":ref:`" in (thing.__doc__ or "") else None


def write_scaling():
    """Pictures and tables of the measurements, from the files beside the scripts."""
    sys.path.insert(0, str(HERE.parent / "bench"))
    from pictures import main

    main()


def write_vocabulary():
    """The table of all parameters, from their meanings and the signatures."""
    folder = HERE / "vocabulary"
    folder.mkdir(exist_ok=True)
    write_if_changed(folder / "table.inc", vocabulary_table.table())


def write_learners():
    """The table of all learners beside the mean distribution, from the bench."""
    folder = HERE / "learners"
    folder.mkdir(exist_ok=True)
    write_if_changed(folder / "table.inc", learner_notes.table())
    write_if_changed(folder / "tuned.inc", learner_notes.tuned_table())
    write_if_changed(folder / "choice.inc", learner_notes.choice_table())


def write_auto():
    """The tables of AutoLDL on outer folds, from the bench."""
    folder = HERE / "auto_results"
    folder.mkdir(exist_ok=True)
    for name, text in auto_tables.tables().items():
        write_if_changed(folder / name, text)


def setup(app):
    """Called by Sphinx before it looks for pages."""
    api_pages.main()
    command_pages.main()
    write_scaling()
    write_vocabulary()
    write_learners()
    guide_pictures.main()
    write_auto()
    architecture_map.main()
    changelog_page.main()
    app.connect("autodoc-skip-member", skip_foreign)
    # after numpydoc, which would take the heading for a section of its own
    app.connect(
        "autodoc-process-docstring", learner_notes.append_to_docstring, priority=900
    )
