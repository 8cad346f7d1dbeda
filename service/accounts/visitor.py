"""Who comes with a form."""

from __future__ import annotations

from dataclasses import dataclass

from service.languages.catalogue import SOURCE


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who comes with a form: the network address, and what the browser is and has kept.

    `language` is that of the pages that they read.
    """

    address: str
    browser: str
    device: str | None = None
    language: str = SOURCE
