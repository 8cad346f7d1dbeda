"""Commands that programs embed in comments: `[%clk 1:05:00]`, `[%emt 0:00:12]`, `[%eval 0.4]`.

The forms are those of the supplement to PGN that clocks and viewers use: a name after `%`, then
its value. A clock's value is hours, minutes and seconds; the seconds may have a fraction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from notation.annotation import clean_comment
from notation.errors import BadAnnotation

CLOCK: Final = "clk"
"""The time that the player has left after the action."""

ELAPSED: Final = "emt"
"""The time that the action took."""

EVALUATION: Final = "eval"
"""A program's evaluation of the position after the action."""

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_COMMAND: Final = re.compile(r"\[%([A-Za-z][A-Za-z0-9]*+)(?: ([^\[\]]*+))?\]")
_TIME: Final = re.compile(r"([0-9]{1,4}):([0-5]?[0-9]):([0-5]?[0-9])(?:\.([0-9]{1,3}))?")


@dataclass(frozen=True, slots=True)
class EmbeddedCommand:
    """One command; raises BadAnnotation for a name or value that cannot be written."""

    name: str
    value: str

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise BadAnnotation("command", "a name is letters and digits, a letter first")
        if "[" in self.value or "]" in self.value:
            raise BadAnnotation(self.name, "contains a bracket, which would close it")
        if self.value and clean_comment(self.value) != self.value:
            raise BadAnnotation(self.name, "is not one line with single spaces")

    def __str__(self) -> str:
        return f"[%{self.name} {self.value}]" if self.value else f"[%{self.name}]"


def split_comment(comment: str) -> tuple[tuple[EmbeddedCommand, ...], str]:
    """The commands of a comment, in order, and the text that is left without them.

    >>> split_comment("[%clk 0:05:00] well played")
    ((EmbeddedCommand(name='clk', value='0:05:00'),), 'well played')
    """
    found = tuple(
        EmbeddedCommand(match.group(1), (match.group(2) or "").strip(" "))
        for match in _COMMAND.finditer(comment)
    )
    rest = _COMMAND.sub(" ", comment)
    return found, " ".join(word for word in rest.split(" ") if word)


def join_comment(commands: Sequence[EmbeddedCommand], text: str = "") -> str:
    """The comment made from commands and a text: first the commands, in order, then the text.

    Raises BadAnnotation for a text that no comment can hold, and if both are empty.

    >>> join_comment([EmbeddedCommand("emt", "0:00:07")], "a blunder")
    '[%emt 0:00:07] a blunder'
    """
    return clean_comment(" ".join([*map(str, commands), text]))


def read_time(value: str) -> int:
    """Milliseconds from `h:mm:ss` with up to three decimals; raises BadAnnotation.

    >>> read_time("1:00:05.5")
    3605500
    """
    match = _TIME.fullmatch(value)
    if match is None:
        raise BadAnnotation("time", "is not h:mm:ss")
    hours, minutes, seconds, fraction = match.groups("")
    whole = (int(hours) * 60 + int(minutes)) * 60 + int(seconds)
    return whole * 1000 + int(fraction.ljust(3, "0"))


def write_time(milliseconds: int) -> str:
    """`h:mm:ss`, with decimals only where they are needed; raises BadAnnotation out of range.

    >>> write_time(3605500), write_time(7000)
    ('1:00:05.5', '0:00:07')
    """
    if not 0 <= milliseconds < 10_000 * 3_600_000:
        raise BadAnnotation("time", "is not between 0 and 9999:59:59.999")
    seconds, thousandths = divmod(milliseconds, 1000)
    fraction = f".{thousandths:03}".rstrip("0.")
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}{fraction}"
