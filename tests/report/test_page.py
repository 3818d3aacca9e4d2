"""Pages are well formed, escape everything and need no network."""

import re

import numpy as np
import pandas as pd
import pytest
from markupsafe import Markup
from matplotlib.figure import Figure

from pages import check_page
from skldl.report import (
    Cell,
    Section,
    facts,
    figure,
    paragraph,
    render_page,
    svg,
    svg_text,
    table,
    theme,
    write_page,
)

EVIL = "<script>alert(1)</script>\"'&"


def line():
    drawing = Figure(figsize=(3, 2))
    drawing.subplots().plot([1, 2], label="a < b")
    return drawing


def whole_page():
    frame = pd.DataFrame({EVIL: [1.5, np.nan], "b": [EVIL, "x"]}, index=["m", EVIL])

    def parts(alt):
        with theme():
            themed = figure(line(), EVIL + alt, EVIL)
        return [table(frame, EVIL), themed, figure(line(), alt), EVIL,
                figure(line(), alt, kind="png"), facts({EVIL: EVIL})]  # fmt: skip

    inner = Section(EVIL, parts("inner"), folded=True)
    outer = Section(EVIL, [*parts("outer"), inner])
    return render_page(EVIL, [EVIL], [outer, Section("b")], footer=EVIL)


def test_a_page_is_well_formed_alone_and_escaped():
    html = whole_page()
    page = check_page(html)
    assert "".join(page.text).count("<script>alert(1)</script>") > 5
    assert "<script>alert" not in html
    policy = next(a for a in page.all("meta") if "http-equiv" in a)["content"]
    assert "default-src 'none'" in policy
    assert "script-src 'sha256-" in policy


def test_svg_pictures_have_names_and_no_shared_ids():
    page = check_page(whole_page())
    pictures = [a for a in page.all("svg") if a.get("aria-hidden") != "true"]
    assert pictures
    for picture in pictures:
        assert picture["role"] == "img"
        assert picture["aria-label"].strip()


def test_clip_paths_point_into_their_own_picture():
    html = figure(line(), "alt")
    ids = set(re.findall(r' id="([^"]+)"', html))
    used = set(re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', html))
    assert used
    assert {a or b for a, b in used} <= ids


def test_themed_figures_take_the_colours_of_the_page():
    with theme():
        themed = figure(line(), "alt")
    assert "currentColor" in themed
    assert "paper" not in themed
    assert "paper" in figure(line(), "alt")
    assert "#12345" not in themed


def test_ticks_of_a_page_are_those_of_the_file():
    drawing = Figure(figsize=(3, 2))
    ax = drawing.subplots()
    ax.plot([0.0, 0.004], [0.12345, 0.12355])
    ax.set_title("p = 0.00123")
    ax.set_yticks([0.1234, 0.1235], ["0.1234", "0.1235"])
    html, file = figure(drawing, "alt"), svg_text(drawing)
    words = [re.findall(r"<text[^>]*>(.*?)</text>", text) for text in (html, file)]
    assert words[0] == words[1]
    assert {"p = 0.00123", "0.1234", "0.004"} <= set(words[0])
    # places of points are cut, which is what makes a page small
    assert re.search(r'[" ]\d+\.\d{4,}', file)
    assert not re.search(r'[" ]\d+\.\d{3,}', re.sub(r">[^<]*<", "><", html))


def test_figures_are_the_same_each_time():
    assert figure(line(), "alt") == figure(line(), "alt")


@pytest.mark.parametrize("alt", ["", "  "])
def test_figures_need_words(alt):
    with pytest.raises(ValueError, match="alt"):
        figure(line(), alt)


def cells(html, tag="td"):
    return re.findall(rf"<{tag}[^>]*>(.*?)</{tag}>", html)


def test_table_cells_keys_and_headings():
    frame = pd.DataFrame(
        {
            "a": [0.12345, np.nan],
            "n": [3, 4],
            "c": [Cell("1 ± 2", 1.0, strong=True, title="why", after=" •"), None],
            "t": ["x", "y"],
        },
        index=pd.Index(["m1", "m2"], name="method"),
    )
    html = table(frame, "Scores", digits=3)
    marked = '<strong>1 ± 2</strong><span class="after"> •</span>'
    assert cells(html) == ["0.123", "3", marked, "x",
                           "–", "4", "–", "y"]  # fmt: skip # noqa: RUF001
    assert re.findall('data-key="([^"]*)"', html) == ["0.12345", "3", "1", "", "4", ""]
    assert cells(html, "th")[-2:] == ["m1", "m2"]
    assert html.count('<button type="button">') == 5
    assert 'title="why"' in html
    assert 'aria-label="Scores"' in html
    plain = table(frame.reset_index(), "Scores", index=False)
    assert cells(plain, "th")[-2:] == ["m1", "m2"]


def test_duplicate_columns_and_no_rows():
    frame = pd.DataFrame([[1, 2]], columns=["a", "a"], index=["m"])
    assert cells(table(frame, "x")) == ["1", "2"]
    assert cells(table(frame.iloc[:0], "x")) == []


def test_only_markup_passes_unescaped():
    assert paragraph(Markup("<b>x</b>")) == "<p><b>x</b></p>"
    assert (
        paragraph("<b>x</b>", note=True) == '<p class="note">&lt;b&gt;x&lt;/b&gt;</p>'
    )


def test_svg_of_a_drawing_routine_loses_its_namespace():
    html = svg('<svg xmlns="http://www.w3.org/2000/svg" role="x"><g/></svg>', "a <b>")
    assert "http" not in html
    assert 'role="img" aria-label="a &lt;b&gt;"' in html


def test_pages_are_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "folder" / "page.html"
    assert write_page(path, "t", [], []) == path
    old = path.read_text()
    with pytest.raises(AttributeError):
        write_page(path, "new", [], ["no section"])
    assert path.read_text() == old
    assert [p.name for p in path.parent.iterdir()] == ["page.html"]


def test_tables_of_restructuredtext_read_back():
    from skldl.report import to_rst

    core = pytest.importorskip("docutils.core")
    table = pd.DataFrame(
        {
            "name": ["", "b c", "d"],
            "wide one": [1, 22, 333],
            "last": [0.5, np.nan, 2.0],
        },
        index=[5, 6, 7],
    )
    text = to_rst(table)
    assert not any(line.endswith(" ") for line in text.splitlines())
    tree = core.publish_doctree(text, settings_overrides={"report_level": 1})
    rows = [[e.astext() for e in row.findall(_named("entry"))]
            for row in tree.findall(_named("row"))]  # fmt: skip
    assert rows == [
        ["name", "wide one", "last"],
        ["-", "1", "0.5"],
        ["b c", "22", "-"],
        ["d", "333", "2.0"],
    ]


def _named(name):
    return lambda node: getattr(node, "tagname", "") == name
