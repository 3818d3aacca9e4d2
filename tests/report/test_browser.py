"""The report in a headless Chromium: it sorts, is silent, asks for nothing, fits."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import browser
from made import fill
from mixed_table import features_and_degrees
from skldl.benchmark import Store
from skldl.ldl import ExtraTreesLDL
from skldl.metrics import METRICS
from skldl.preprocessing import TableEncoder
from skldl.report import (
    Cell,
    Section,
    table,
    write_model_report,
    write_page,
    write_report,
)

pytestmark = [
    pytest.mark.skipif(browser.find() is None, reason="there is no chromium here"),
    pytest.mark.xdist_group("chromium"),
]


@pytest.fixture(scope="module")
def chromium():
    try:
        opened = browser.Browser()
    except (OSError, ConnectionError, TimeoutError) as error:
        pytest.skip(f"chromium does not start here: {error}")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def report(made_store, tmp_path_factory):
    return write_report(made_store, tmp_path_factory.mktemp("page") / "report.html")


@pytest.fixture(scope="module")
def one_table(tmp_path_factory):
    """The comparison of a single data set, with names as long as people write them."""
    names = (
        "minmax+GraphEmbedding(n_components=2)+AAkNN(weights='dudani',n_neighbors=12)",
        "standard+KernelRidgeLDL", "AAkNN", "MeanDistribution",
    )  # fmt: skip
    with Store(":memory:") as store:
        fill(store, datasets=("a_table_of_votes_that_was_never_renamed",),
             methods=names, metrics=tuple(METRICS)[:7])  # fmt: skip
        return write_report(store, tmp_path_factory.mktemp("page") / "one.html")


@pytest.fixture(scope="module")
def model_page(tmp_path_factory):
    """The page about a model of a mixed table."""
    X, D = features_and_degrees(180)
    D = pd.DataFrame(D, columns=["sehr glücklich", "keine Angabe", "überrascht"])
    model = make_pipeline(TableEncoder(random_state=0), ExtraTreesLDL(n_estimators=5))
    return write_model_report(
        model.fit(X[:50], D[:50]), X[50:], D[50:],
        tmp_path_factory.mktemp("page") / "model.html",
        n_votes=np.full(130, 20), row_names=X["id"][50:],
    )  # fmt: skip


PAGES = ("report", "one_table", "model_page")


@pytest.fixture(params=PAGES)
def page(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    frame = pd.DataFrame(
        {
            "score": [
                Cell("0.9 ± 0.1", 0.9),
                Cell("10.0 ± 0.1", 10.0),
                Cell("failed", float("nan")),
                Cell("-2.0 ± 0.1", -2.0),
            ]
        },
        index=pd.Index(["m10", "m9", "<script>window.hacked = 1</script>", "m1"]),
    )
    path = tmp_path_factory.mktemp("page") / "small.html"
    section = Section("One", [table(frame, "Scores")])
    return write_page(path, "A page", ["Text."], [section])


NAMES = "[...document.querySelectorAll('tbody th')].map(c => c.textContent)"
HEAD = "document.querySelectorAll('thead th')[{}]"


def test_clicks_sort_by_numbers_and_missing_stay_last(chromium, small):
    chromium.open(small)
    hacked = "<script>window.hacked = 1</script>"
    button = f"{HEAD.format(1)}.querySelector('button')"
    chromium.run(f"{button}.click()")
    assert chromium.run(NAMES) == ["m1", "m10", "m9", hacked]
    assert chromium.run(f"{HEAD.format(1)}.getAttribute('aria-sort')") == "ascending"
    said = chromium.run("document.getElementById('said').textContent")
    assert said == "Sorted by score, ascending."
    chromium.run(f"{button}.click()")
    assert chromium.run(NAMES) == ["m9", "m10", "m1", hacked]
    assert chromium.run(f"{HEAD.format(1)}.getAttribute('aria-sort')") == "descending"
    chromium.run(f"{HEAD.format(0)}.querySelector('button').click()")
    assert chromium.run(NAMES) == [hacked, "m1", "m9", "m10"]
    assert chromium.run(f"{HEAD.format(1)}.getAttribute('aria-sort')") is None
    assert chromium.run("typeof window.hacked") == "undefined"


def press(chromium, key, text=None):
    common = {"key": key, "code": key, "windowsVirtualKeyCode": {"Tab": 9}.get(key, 13)}
    if text:
        common["text"] = text
    for kind in ("keyDown", "keyUp"):
        chromium.call("Input.dispatchKeyEvent", type=kind, **common)


def test_the_keyboard_reaches_skip_link_and_headings(chromium, small):
    chromium.open(small)
    press(chromium, "Tab")
    assert chromium.run("document.activeElement.className") == "skip"
    for _ in range(10):
        press(chromium, "Tab")
        if chromium.run("document.activeElement.tagName") == "BUTTON":
            break
    assert chromium.run("document.activeElement.textContent") == "name"
    press(chromium, "Enter", "\r")
    assert chromium.run(f"{HEAD.format(0)}.getAttribute('aria-sort')") == "ascending"


def test_the_report_is_silent_and_alone(chromium, page):
    chromium.open(page)
    chromium.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    chromium.run("document.querySelectorAll('thead button').forEach(b => b.click())")
    assert chromium.complaints() == []
    asked = [url for url in chromium.requests() if not url.startswith("data:")]
    assert asked == [page.resolve().as_uri()]


# what leaves the page, or its cell of a chart; only tables may scroll in their box
CUT = """
(() => {
  const found = [];
  const all = document.querySelectorAll("main *, header *, footer *");
  for (const node of all) {
    const text = [...node.childNodes].some((c) => c.nodeType === 3 && c.data.trim());
    if (!text || node.localName === "title") continue;
    if (node.closest(".scroll > table")) continue;
    const box = node.getBoundingClientRect();
    const place = node.closest("main, header, footer").getBoundingClientRect();
    const wide = node.clientWidth && node.scrollWidth > node.clientWidth + 1;
    if (box.left < place.left - 1 || box.right > place.right + 1 ||
        wide) {
      found.push(node.textContent.trim());
    }
  }
  return found;
})()
"""

# numbers of an axis, and names of rows against their bars
OVERLAP = """
(() => {
  const found = [];
  const meet = (a, b) => a.left < b.right && b.left < a.right &&
    a.top < b.bottom - 1 && b.top < a.bottom - 1;
  for (const svg of document.querySelectorAll("svg.strip, svg.field, svg.side")) {
    const texts = [...svg.querySelectorAll("text")];
    const boxes = texts.map((t) => t.getBoundingClientRect());
    const scatter = svg.closest(".beside") && svg.matches(".field:nth-child(2)");
    for (let i = 1; i < boxes.length && !scatter; i++) {
      if (meet(boxes[i - 1], boxes[i])) {
        found.push(`${texts[i - 1].textContent} ${texts[i].textContent}`);
      }
    }
  }
  for (const name of document.querySelectorAll(".strips > .name")) {
    if (meet(name.getBoundingClientRect(),
             name.nextElementSibling.getBoundingClientRect())) {
      found.push(name.textContent);
    }
  }
  return found;
})()
"""


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_cut_off(chromium, page, width):
    chromium.open(page, width=width)
    chromium.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert chromium.run("document.documentElement.scrollWidth") <= width
    assert chromium.run(CUT) == []
    assert chromium.run(OVERLAP) == []
    boxes = "[...document.querySelectorAll('.scroll')]"
    rights = chromium.run(f"{boxes}.map(b => b.getBoundingClientRect().right)")
    assert max(rights) <= width
    # what must be scrolled shows it
    shown = "b => (b.scrollWidth > b.clientWidth + 2) === b.classList.contains('more')"
    assert chromium.run(f"{boxes}.every({shown})")


def test_short_cells_stay_on_one_line(chromium, tmp_path):
    columns = {f"column {i}": ["same within noise"] for i in range(12)}
    frame = pd.DataFrame(columns, index=["method"])
    page = write_page(tmp_path / "wide.html", "Wide", [], [
        Section("One", [table(frame, "Verdicts")])
    ])  # fmt: skip
    heights = "[...document.querySelectorAll('td')].map(c => c.clientHeight)"
    chromium.open(page, width=390)
    assert max(chromium.run(heights)) < 45
    assert chromium.run("document.documentElement.scrollWidth") <= 390


def test_cut_and_overlapping_text_is_found(chromium, model_page):
    chromium.open(model_page, width=390)
    chromium.run("document.querySelector('h1').style.whiteSpace = 'nowrap'")
    chromium.run("document.querySelector('h1').textContent += 'long '.repeat(60)")
    assert len(chromium.run(CUT)) == 1
    chromium.run(
        "document.querySelectorAll('svg.strip text').forEach("
        "t => t.textContent = '0.00000000001')"
    )
    assert chromium.run(OVERLAP)


def test_folded_parts_are_open_on_paper(chromium, report):
    chromium.open(report)
    still = "document.querySelectorAll('details:not([open])').length"
    folded = chromium.run(still)
    assert folded
    chromium.run("dispatchEvent(new Event('beforeprint'))")
    assert chromium.run(still) == 0
    chromium.run("dispatchEvent(new Event('afterprint'))")
    assert chromium.run(still) == folded
    before = chromium.run("document.documentElement.scrollHeight")
    chromium.call("Emulation.setEmulatedMedia", media="print")
    nav = chromium.run("getComputedStyle(document.querySelector('nav')).display")
    assert nav == "none"
    printed = chromium.call("Page.printToPDF")
    assert printed["data"]
    chromium.call("Emulation.setEmulatedMedia", media="")
    assert chromium.run(still) == folded
    assert before


CONTRAST = """
(() => {
  const light = (text) => {
    const whole = text.startsWith("color(") ? 1 : 255;  // color-mix gives shares
    const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3).map((v) => {
      v /= whole;
      return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (node) => {
    for (; node; node = node.parentElement) {
      const color = getComputedStyle(node).backgroundColor;
      if (!/, 0\\)|transparent/.test(color)) return light(color);
    }
    return 1;
  };
  const worst = [...document.querySelectorAll(
    "p, a, h1, h2, td, th, dt, dd, caption, li, figcaption, small, .name, .value"
  )]
    .filter((node) => node.textContent.trim())
    .map((node) => {
      const [a, b] = [light(getComputedStyle(node).color), ground(node)];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    });
  return Math.min(...worst);
})()
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(chromium, page, scheme):
    chromium.open(page, scheme=scheme)
    chromium.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert chromium.run(CONTRAST) >= 4.5
    ground = chromium.run("getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(251, 251, 250)", "dark": "rgb(21, 24, 29)"}[scheme]


def test_a_link_into_a_folded_part_opens_it(chromium, report):
    chromium.open(report)
    name = chromium.run("document.querySelector('details').id")
    assert chromium.run("document.querySelector('details').open") is False
    chromium.run(f"location.hash = '{name}'")
    chromium.run("new Promise(done => setTimeout(done, 200))")
    script = (
        f"dispatchEvent(new HashChangeEvent('hashchange')); "
        f"document.getElementById('{name}').open"
    )
    assert chromium.run(script) is True
