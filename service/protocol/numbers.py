"""Numbers in lines to the engine."""

from __future__ import annotations

from typing import Final

from service.protocol.errors import BadCommand

DIGITS: Final = 18
"""The most digits of a number."""


def read_number(name: str, value: str) -> int:
    """The number in `value`; BadCommand if it is not a number, or has too many digits."""
    if not (value.isascii() and value.isdecimal() and len(value) <= DIGITS):
        raise BadCommand(f"{name} needs a number of at most {DIGITS} digits")
    return int(value)
