"""Who comes with a form."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who comes with a form: the network address, and what the browser is and has kept."""

    address: str
    browser: str
    device: str | None = None
