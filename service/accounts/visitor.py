"""The person who submits a form."""

from __future__ import annotations

from dataclasses import dataclass

from service.languages.catalogue import SOURCE


@dataclass(frozen=True, slots=True)
class Visitor:
    """The person who submits a form: their network address, the browser, and what it has kept.

    `language` is the language of the pages that they read.
    """

    address: str
    browser: str
    device: str | None = None
    language: str = SOURCE
