"""What every HTML page must contain."""

import re
from html.parser import HTMLParser
from itertools import pairwise

VOID = {"meta", "link", "img", "br", "input", "hr", "wbr"}


class Page(HTMLParser):
    """Tags of a page; complains about tags that do not close in order."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.text = [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"style", "script"} & set(self.open):
            self.text.append(data)

    def all(self, *names):
        return [attributes for tag, attributes in self.tags if tag in names]


def check_page(html):
    """What every page must contain; gives the parsed page."""
    page = Page(html)
    assert html.startswith("<!doctype html>")
    assert len(page.all("script")) == 1
    assert len(page.all("h1")) == 1
    assert len(page.all("main")) == 1
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    targets = {a["href"][1:] for a in page.all("a")}
    assert targets <= set(ids)
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert all(b <= a + 1 for a, b in pairwise(levels))
    for picture in page.all("img"):
        assert picture["alt"].strip()
        assert picture["src"].startswith("data:image/png;base64,")
    for tag, attributes in page.tags:
        for name in ("src", "href", "xlink:href", "action"):
            assert attributes.get(name, "#")[:1] == "#" or attributes[name].startswith(
                "data:"
            ), (tag, attributes)
        assert not [name for name in attributes if name.startswith("on")]
    assert not re.search("https?:", html)
    assert not re.search(r"url\(\s*['\"]?(?!#)", html)
    assert "@import" not in html
    return page
