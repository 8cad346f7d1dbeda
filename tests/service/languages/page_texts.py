"""What people read on a page: its texts, and those in attributes."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Final

SAID: Final = ("alt", "aria-label", "data-ask", "data-label", "label", "placeholder", "title")
"""Attributes that people read or hear."""
SILENT: Final = ("code", "kbd", "pre", "script", "style", "textarea")
"""Elements whose content is notation, keys or data."""
OPEN: Final = "⟦"
CLOSE: Final = "⟧"
"""`OPEN` and `CLOSE` enclose each text that a catalogue has."""
_INNERMOST: Final = re.compile(f"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}")


class PageTexts(HTMLParser):
    """Collects the texts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._silent = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in SILENT
        for name, value in attrs:
            if name in SAID and value and (name != "label" or tag in ("optgroup", "option")):
                self.found.append(value)

    def handle_endtag(self, tag: str) -> None:
        self._silent = max(0, self._silent - (tag in SILENT))

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.found.append(data)


def find_unmarked(page: str) -> list[str]:
    """The words of a page that are in no catalogue: those outside of the brackets."""
    text = " ".join(PageTexts(page).found)
    while _INNERMOST.search(text):
        text = _INNERMOST.sub(" ", text)
    return re.findall(r"[^\W\d_]{2,}(?:[ ’'-]+[^\W\d_]+)*", text)
