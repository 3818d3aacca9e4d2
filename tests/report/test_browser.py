"""The report in a headless Chromium: it sorts, is silent, asks for nothing, fits."""

import pandas as pd
import pytest

import browser
from skldl.report import Cell, Section, table, write_page, write_report

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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_is_silent_and_alone(chromium, report, scheme):
    chromium.open(report, scheme=scheme)
    chromium.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    chromium.run("document.querySelectorAll('thead button').forEach(b => b.click())")
    assert chromium.complaints() == []
    asked = [url for url in chromium.requests() if not url.startswith("data:")]
    assert asked == [report.resolve().as_uri()]


@pytest.mark.parametrize("width", [390, 768, 1400])
def test_only_boxes_scroll_sideways(chromium, report, width):
    chromium.open(report, width=width)
    chromium.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert chromium.run("document.documentElement.scrollWidth") <= width
    wide = chromium.run(
        "Math.max(...[...document.querySelectorAll('.scroll')]"
        ".map(b => b.getBoundingClientRect().right))"
    )
    assert wide <= width


CONTRAST = """
(() => {
  const light = (text) => {
    const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3).map((v) => {
      v /= 255;
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
  const worst = [...document.querySelectorAll("p, a, h1, h2, td, th, dt, dd, caption")]
    .filter((node) => node.textContent.trim())
    .map((node) => {
      const [a, b] = [light(getComputedStyle(node).color), ground(node)];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    });
  return Math.min(...worst);
})()
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(chromium, report, scheme):
    chromium.open(report, scheme=scheme)
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
