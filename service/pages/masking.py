"""Secrets that a page shows again and again, written differently each time.

A page is compressed, and says what its address asked for beside what is secret: who can make a
reader's browser ask, and sees how long the answers are, could guess a secret that always looks the
same, a letter at a time.
"""

from __future__ import annotations

import secrets


def mask(secret: str) -> str:
    """A secret of hexadecimal digits, behind random ones that it is combined with.

    >>> mask("00ff") != mask("00ff") and unmask(mask("00ff"))
    '00ff'
    """
    own = bytes.fromhex(secret)
    noise = secrets.token_bytes(len(own))
    return noise.hex() + combine(own, noise).hex()


def unmask(shown: str) -> str:
    """The secret that was masked; empty for what is no masked secret.

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
