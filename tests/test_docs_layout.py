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
    "guide/projection.html",
    "guide/solvers.html",
    "scaling.html",
    "vocabulary.html",
    "changes.html",
    "commands/reference.html",
    "auto_examples/index.html",
    "auto_examples/stories/plot_5_land_cover.html",
    "api/index.html",
    "api/generated/skldl.ldl.LDLM.html",
    "api/generated/skldl.projection.GraphEmbedding.html",
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


#: Texts that go beyond a box which hides what does not fit.
CUT_TEXTS = """
(() => {
  const found = [];
  const walker = document.createTreeWalker(
    document.querySelector(".bd-article"), NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const range = document.createRange();
    range.selectNodeContents(node);
    const text = range.getBoundingClientRect();
    if (text.width < 2 || text.height < 2) continue;
    for (let box = node.parentElement; box; box = box.parentElement) {
      const overflow = getComputedStyle(box).overflowX;
      if (overflow === "auto" || overflow === "scroll") break;
      const edge = box.getBoundingClientRect();
      if (overflow === "hidden" && edge.width > 2 && text.right > edge.right + 1.5) {
        found.push(node.textContent.trim());
        break;
      }
    }
  }
  return found;
})()
"""


@pytest.mark.parametrize("name", PAGES)
def test_no_text_is_cut_on_a_phone(page, name):
    page.open(HTML / name, width=390)
    assert page.run(CUT_TEXTS) == []


@pytest.mark.parametrize("name", ["blocks", "cli", "projection", "report", "trees"])
def test_a_line_of_code_fits_a_window(page, name):
    page.open(HTML / "guide" / f"{name}.html", width=1280)
    wide = page.run(
        "[...document.querySelectorAll('.bd-article pre')]"
        ".filter(e => e.scrollWidth > e.clientWidth + 1)"
        ".flatMap(e => e.textContent.split('\\n'))"
        ".filter(line => line.length > 88).length"
    )
    tight = page.run(
        "[...document.querySelectorAll('.bd-article pre')]"
        ".filter(e => e.scrollWidth > e.clientWidth + 1).length"
    )
    # only blocks with a line longer than those of the code scroll
    assert tight <= wide


@pytest.mark.parametrize(
    "name", ["measured", "evidence/learners", "reproducibility", "vocabulary"]
)
def test_tables_fit_on_paper(page, name):
    page.open(HTML / f"{name}.html", width=717)  # A4 without its margins
    page.call("Emulation.setEmulatedMedia", media="print")
    rights = page.run(
        "[...document.querySelectorAll('.bd-article table')]"
        ".map(e => e.getBoundingClientRect().right)"
    )
    page.call("Emulation.setEmulatedMedia", media="")
    assert rights
    assert max(rights) <= 717


def test_the_changelog_is_a_page_and_not_code(page):
    page.open(HTML / "changes.html")
    headings = page.run(
        "[...document.querySelectorAll('.bd-article h3')].map(e => e.firstChild.data)"
    )
    assert headings[:2] == ["Added", "Fixed"]
    assert page.run("document.querySelectorAll('.bd-article pre').length") == 0
    assert (
        page.run("document.querySelector('.bd-article').innerText.includes('`')")
        is False
    )


def test_buttons_of_the_gallery_can_be_read_in_the_dark(page):
    page.open(HTML / "auto_examples" / "methods" / "plot_blocks.html", scheme="dark")
    colors = page.run(
        "[...document.querySelectorAll('.sphx-glr-download a')].map(e =>"
        " [e, e.querySelector('.pre')].map(c => getComputedStyle(c).color))"
    )
    assert colors
    assert all(button == name for button, name in colors)


def test_formulas_are_drawn_by_the_browser(page):
    page.open(HTML / "guide" / "metrics.html")
    assert page.run("document.querySelectorAll('math').length") > 10
    height = "document.querySelector('math mfrac').getBoundingClientRect().height"
    assert page.run(height) > 12
    assert page.run("document.body.innerText.includes('\\\\frac')") is False
