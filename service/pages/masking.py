"""Secrets that pages contain repeatedly, written differently each time.

A page is compressed, and contains what its address asked for as well as what is secret. Somebody
who can make a reader's browser send requests, and sees how long the answers are, could guess a
secret that always looks the same, one letter at a time.
"""

from __future__ import annotations

import secrets


def mask(secret: str) -> str:
    """A secret of hexadecimal digits, combined with random ones, which precede it.

    >>> mask("00ff") != mask("00ff") and unmask(mask("00ff"))
    '00ff'
    """
    own = bytes.fromhex(secret)
    noise = secrets.token_bytes(len(own))
    return noise.hex() + combine(own, noise).hex()


def unmask(shown: str) -> str:
    """The secret that was masked; empty for a text that is not a masked secret.

    >>> unmask(""), unmask("abc"), unmask("zz"), unmask("é")
    ('', '', '', '')
    """
    try:
        data = bytes.fromhex(shown)
    except ValueError:
        return ""
    half = len(data) // 2
    return combine(data[:half], data[half:]).hex() if len(data) == 2 * half else ""


def combine(one: bytes, other: bytes) -> bytes:
    """The exclusive or of two strings of the same length."""
    return bytes(a ^ b for a, b in zip(one, other, strict=True))
