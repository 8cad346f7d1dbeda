"""Texts as every database takes them."""

from __future__ import annotations


def storable(text: str) -> str:
    """The text with a replacement character for what no database stores.

    >>> storable("a\\0b\\ud800")
    'a�b?'
    """
    return text.replace("\0", "\ufffd").encode(errors="replace").decode()
