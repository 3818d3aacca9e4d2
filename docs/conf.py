"""Sphinx configuration; the API pages are written from what the package exports."""

import inspect
import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import architecture_map  # noqa: E402, I001
from skldl import __version__, _MODULES  # noqa: E402
from skldl.discovery import FAMILIES, TOOLS, all_estimators  # noqa: E402
import auto_tables  # noqa: E402
import learner_notes  # noqa: E402
import vocabulary_table  # noqa: E402

project = "scikit-ldl"
author = copyright = "the scikit-ldl developers"
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "auto_examples/**/*.ipynb"]
templates_path = ["_templates"]
html_theme = "pydata_sphinx_theme"
html_title = "scikit-ldl"
html_theme_options = {"show_prev_next": False, "secondary_sidebar_items": ["page-toc"]}
html_show_sourcelink = False

# named one by one: a page that is new in an old build would be overlooked
autosummary_generate = [f"api/{name}.rst" for name in _MODULES]
autodoc_typehints = "none"  # numpydoc says it better
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples"),
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "download_all_examples": False,
    "show_signature": False,
    "reference_url": {"skldl": None},
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
}


def section(title, names, module, underline="-"):
    """An autosummary table of some names of a module."""
    lines = [
        title,
        underline * len(title),
        "",
        f".. currentmodule:: skldl.{module}",
        "",
    ]
    lines += [".. autosummary::", "   :toctree: generated", ""]
    return [*lines, *(f"   {name}" for name in names), ""]


def write_api():
    """One page per family and tool module; nothing is listed by hand."""
    folder = HERE / "api"
    folder.mkdir(exist_ok=True)
    pages = []
    for module_name in _MODULES:
        module = import_module(f"skldl.{module_name}")
        title = f"skldl.{module_name}"
        lines = [title, "=" * len(title), "", inspect.getdoc(module), ""]
        names = list(module.__all__)
        if module_name in (*FAMILIES, *TOOLS):
            estimators = [name for name, _ in all_estimators(module_name)]
            lines += section("Estimators", estimators, module_name)
            names = [name for name in names if name not in estimators]
        things = {name: getattr(module, name) for name in names}
        things = {n: t for n, t in things.items() if not inspect.ismodule(t)}
        for heading, test in (
            ("Classes", inspect.isclass),
            ("Functions", inspect.isfunction),
            ("Values", lambda t: not (inspect.isclass(t) or inspect.isfunction(t))),
        ):
            chosen = [name for name, thing in things.items() if test(thing)]
            if chosen and heading == "Values":
                lines += [heading, "-" * len(heading), ""]
                lines += [f"* ``{title}.{name}``" for name in chosen] + [""]
            elif chosen:
                lines += section(heading, chosen, module_name)
        if module_name == "benchmark":
            lines += section("Statistics", module.stats.__all__, "benchmark.stats")
        write_if_changed(folder / f"{module_name}.rst", "\n".join(lines))
        pages.append(module_name)
    index = ["API", "===", "", "Everything public, by module.", "", ".. toctree::", ""]
    index += [f"   {page}" for page in pages]
    write_if_changed(folder / "index.rst", "\n".join([*index, ""]))


def write_if_changed(path, text):
    """Leave an unchanged page alone, so that it is not built again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


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


def write_auto():
    """The tables of AutoLDL on outer folds, from the bench."""
    folder = HERE / "auto_results"
    folder.mkdir(exist_ok=True)
    for name, text in auto_tables.tables().items():
        write_if_changed(folder / name, text)


def setup(app):
    """Called by Sphinx before it looks for pages."""
    write_api()
    write_scaling()
    write_vocabulary()
    write_learners()
    write_auto()
    architecture_map.main()
    app.connect("autodoc-skip-member", skip_foreign)
    # after numpydoc, which would take the heading for a section of its own
    app.connect(
        "autodoc-process-docstring", learner_notes.append_to_docstring, priority=900
    )
