"""Texts in a form that every database takes."""

from __future__ import annotations


def storable(text: str) -> str:
    """The text with a replacement for each character that no database stores.

    >>> storable("a\\0b\\ud800")
    'a�b?'
    """
    return text.replace("\0", "\ufffd").encode(errors="replace").decode()
