"""The built documentation in a browser: no sideways scrolling, no network, formulas.

``make docs`` builds the pages; without them, or without a browser, these tests skip.
"""

from pathlib import Path

import pytest

import browser as browsers

HTML = Path(__file__).parents[1] / "docs" / "_build" / "html"
PAGES = [
    "index.html",
    "getting_started.html",
    "which_method.html",
    "glossary.html",
    "evidence/learners.html",
    "guide/index.html",
    "guide/ldl.html",
    "guide/cli.html",
    "guide/metrics.html",
    "guide/conformal.html",
    "commands/reference.html",
    "auto_examples/index.html",
    "auto_examples/stories/plot_5_land_cover.html",
    "api/index.html",
    "api/generated/skldl.ldl.LDLM.html",
]
pytestmark = [
    pytest.mark.skipif(not (HTML / "index.html").exists(), reason="needs make docs"),
    pytest.mark.skipif(browsers.find() is None, reason="needs chromium"),
    pytest.mark.xdist_group("browser"),
]


@pytest.fixture(scope="module")
def page():
    browser = browsers.Browser()
    yield browser
    browser.close()


@pytest.mark.parametrize("name", PAGES)
def test_pages_fit_the_screen_and_need_no_network(page, name):
    for width, scheme in ((390, "dark"), (1280, "light")):
        page.open(HTML / name, width=width, scheme=scheme)
        wide = page.run("document.documentElement.scrollWidth")
        assert wide <= width, f"{name} is {wide} px wide on {width} px"
        foreign = [u for u in page.requests() if not u.startswith(("file:", "data:"))]
        assert foreign == []


def test_formulas_are_drawn_by_the_browser(page):
    page.open(HTML / "guide" / "metrics.html")
    assert page.run("document.querySelectorAll('math').length") > 10
    height = "document.querySelector('math mfrac').getBoundingClientRect().height"
    assert page.run(height) > 12
    assert page.run("document.body.innerText.includes('\\\\frac')") is False
