"""Which names cannot be chosen, and why."""

from __future__ import annotations

import re
import string
import unicodedata
from functools import lru_cache
from typing import Final

from engine.phrase import phrase
from service.errors import BadValue
from service.player.names.errors import MixedScripts, ReservedName
from service.player.names.scripts import mixed_scripts
from service.player.names.skeleton import KEPT, look_alike, lookalike_keys
from service.player.names.table import unicode_table

MAX_NAME: Final = 100
NOBODY: Final = "?"
"""Shown for a player who no longer has a name, and written in records for an unknown one."""
RESERVED: Final = ("admin", "movelog", NOBODY)
"""Names of the service itself."""
OFFICES: Final = ("arbiter", "moderator", "official", "referee", "staff", "support", "team")
"""Words for those who run the service or its tournaments: no name may consist only of these words
and those of RESERVED."""
COMPUTER: Final = "computer-"
"""The beginning of the names of the service's own computer players."""
COLON: Final = ":"
"""The separator in the names of the service's own processes, `movelog:scorer`."""
MARK: Final = "#"
"""Precedes the mark that distinguishes players with the same name."""
SHARPS: Final = "♯⌗⋕⧣"
"""Similar signs that Unicode does not list as confusable with it."""
_SIGNS: Final = string.punctuation + " "
_BETWEEN_WORDS: Final = re.compile(r"[^\w]+|_+")
BLANK: Final = "\u2800"
"""Drawn as nothing (a Braille cell without dots), though Unicode counts it as a symbol."""
LOOKED_AT: Final = 10
"""How many times as long as a name a text may be, such as with the spaces around it."""
MOST_ACCENTS: Final = 4
"""The most accents on one letter (UTS #39, section 5.4)."""


def chosen_name(text: str) -> str:
    """The name that somebody chooses, in normal form: NFC, single spaces.

    Raises BadValue for a text that is not a name: blank, too long or invisible. Raises ReservedName
    and MixedScripts for a name that passes for another's.
    """
    # Putting marks in order takes the square of their number, so no more is looked at than needed.
    looked_at = text[: LOOKED_AT * MAX_NAME]
    name = re.sub(" +", " ", unicodedata.normalize("NFC", looked_at)).strip(" ")
    if len(text) > len(looked_at):
        raise too_long(len(text))
    if not name:
        raise BadValue("name", "is blank; 1 to 100 printable characters")
    if len(name) > MAX_NAME:
        raise too_long(len(name))
    check_characters(name)
    return name


def too_long(length: int) -> BadValue:
    """The refusal of a name with so many characters."""
    told = "has {name} characters; 1 to {max_name} printable characters"
    return BadValue("name", phrase(told, name=length, max_name=MAX_NAME))


def check_characters(name: str) -> None:
    """Raise what `chosen_name` raises, except for the length."""
    check_drawn(name)
    check_reserved(name)
    for word in name.split():
        if scripts := mixed_scripts(word):
            raise MixedScripts(word, scripts)


@lru_cache(KEPT)
def is_plain(name: str) -> bool:
    """Whether a name, for example from a record or an old archive, could be chosen today."""
    try:
        check_characters(name)
    except BadValue:
        return False
    return True


def check_drawn(name: str) -> None:
    """Raise BadValue for characters that are invisible, change others, or pile up."""
    for char in name:
        if not char.isprintable() or ord(char) in unicode_table().ignorable or char == BLANK:
            reason = phrase("holds U+{char:04X}, a control or invisible character", char=ord(char))
            raise BadValue(
                "name",
                phrase(
                    "{reason}; 1 to {max_name} printable characters",
                    reason=reason,
                    max_name=MAX_NAME,
                ),
            )
    accents = 0
    for char in unicodedata.normalize("NFD", name):
        accents = accents + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if accents > MOST_ACCENTS:
            raise BadValue(
                "name",
                phrase(
                    "has more than {most_accents} accents on one letter", most_accents=MOST_ACCENTS
                ),
            )


def check_reserved(name: str) -> None:
    """Raise ReservedName for a name that is, or looks like, one of the service's own."""
    bare = without_signs(name)
    drawn = set(_alike(name))
    if NOBODY in drawn and drawn.issubset(_SIGNS):
        bare = NOBODY
    for reserved in RESERVED:
        if look_alike(name, reserved) or look_alike(bare, reserved):
            reason = phrase("looks like {word!r}, a name of the service itself", word=reserved)
            raise ReservedName(reason, reserved)
    _check_words(name)
    dashed = "".join("-" if unicodedata.category(char) == "Pd" else char for char in name)
    [computer] = lookalike_keys(COMPUTER)
    if any(key.startswith(computer) for key in lookalike_keys(dashed)):
        reason = phrase(
            "looks like {word!r}, with which the names of computer players begin", word=COMPUTER
        )
        raise ReservedName(reason, COMPUTER)
    for sign, use in ((COLON, "the service's own names"), (MARK, "marks that tell players apart")):
        if any(sign in _alike(char) for char in name if not _is_in_words(char)):
            raise ReservedName(
                phrase(
                    "contains {sign!r} or a similar sign, which is reserved for {use}",
                    sign=sign,
                    use=use,
                ),
                sign,
            )


def _check_words(name: str) -> None:
    """Raise ReservedName for a name made up only of words for those who run the service."""
    words = [bare for word in _BETWEEN_WORDS.split(name) if (bare := without_signs(word))]
    found = [_reserved_word(word) for word in words]
    if found and None not in found:
        told = " ".join(word or "" for word in found)
        reason = phrase(
            "looks like {word!r}, words for those who run the service; add a name of your own",
            word=told,
        )
        raise ReservedName(reason, told)


def _reserved_word(word: str) -> str | None:
    """The word of OFFICES or RESERVED that a word resembles."""
    for reserved in (*RESERVED, *OFFICES):
        if reserved != NOBODY and look_alike(word, reserved):
            return reserved
    return None


def without_signs(name: str) -> str:
    """A name without the signs that may adorn it: from its first letter or digit to its last.

    >>> without_signs("«admin…»"), without_signs("?")
    ('admin', '')
    """
    drawn = [at for at, char in enumerate(name) if unicodedata.category(char)[0] in "LMN"]
    return name[drawn[0] : drawn[-1] + 1] if drawn else ""


def _alike(text: str) -> str:
    """A text and its prototypes, with every sharp as a number sign."""
    return "".join(lookalike_keys(text)).translate(dict.fromkeys(map(ord, SHARPS), MARK))


def _is_in_words(char: str) -> bool:
    """Whether it is a letter or an accent, which belong to words whatever they look like.

    A modifier letter does not belong to words: some are drawn as punctuation.
    """
    category = unicodedata.category(char)
    return category[0] in "LM" and category != "Lm"
