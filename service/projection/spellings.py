"""Whether two names are likely spellings of one person's name: "Ng, Ada", "Ada Ng", "A. Ng". Pure.

Names are compared word by word, as lists compare them: without case, accents and punctuation. At
least one word of more than one letter must be the same, unless both names are single words: these
must begin alike, or differ by one letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import permutations
from typing import Final, NamedTuple

MOST_WORDS: Final = 6
"""Names with more words are compared by their first ones, this many."""
LEAST_SHARED: Final = 2
"""Words that a name must share with a longer one that contains all of its words."""
TYPO: Final = 0.75
"""How alike two words must be, at least, to differ by a slip; 1 means equal."""
LEAST_TYPO: Final = 4
"""The least number of letters in a word for a slip to be told from another word."""
BEGINNING: Final = 4
"""Letters with which two spellings of a single word must both begin."""
LEAST_ALONE: Final = 6
"""The least number of letters in a one-word name, since no other word supports the match."""
MOST_ALONE: Final = 30
"""The most letters in a one-word name for a wrong letter anywhere in it to be found."""


class Resemblance(NamedTuple):
    """Why two names may be one person's, and how likely that is, in per cent by rule of thumb."""

    reason: str
    likelihood: int


SAME_WORDS: Final = Resemblance("same-words", 95)
"""The same words: in another order, split differently, or with other signs, accents, capitals."""
TYPING_ERROR: Final = Resemblance("typing-error", 80)
"""One word is spelt slightly differently."""
INITIALS: Final = Resemblance("initials", 70)
"""Words of one name are initials in the other."""
MORE_WORDS: Final = Resemblance("more-words", 60)
"""One name has all words of the other, and more."""


def find_resemblance(one: Sequence[str], other: Sequence[str]) -> Resemblance | None:
    """How two names, given as words, resemble each other; None if nothing suggests one person.

    >>> find_resemblance(["ng", "ada"], ["ada", "ng"]).reason
    'same-words'
    >>> find_resemblance(["a", "ng"], ["ada", "ng"]).reason
    'initials'
    >>> find_resemblance(["ada", "lovelace"], ["ada", "loevlace"]).reason
    'typing-error'
    >>> find_resemblance(["ada", "king"], ["ada", "lovelace"])
    """
    left, right = _without(one, other), _without(other, one)
    shared = _without(one, left)
    if not left and not right:
        return SAME_WORDS
    if all(len(word) == 1 for word in shared):
        alone = len(one) == len(other) == 1 and _are_near(one[0], other[0])
        return TYPING_ERROR if alone and _is_slip(one[0], other[0], LEAST_ALONE) else None
    if "".join(left) == "".join(right):
        return SAME_WORDS
    if not left or not right:
        return MORE_WORDS if len(shared) >= LEAST_SHARED else None
    if _are_initials(left, right):
        return INITIALS
    slip = len(left) == len(right) == 1 and _is_slip(left[0], right[0], LEAST_TYPO)
    return TYPING_ERROR if slip else None


def _without(words: Sequence[str], others: Sequence[str]) -> list[str]:
    """The words that are not among the others, each as often as it is missing there."""
    missing, left = list(others), []
    for word in words:
        if word in missing:
            missing.remove(word)
        else:
            left.append(word)
    return left


def _are_initials(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether each word of one side is an initial of a different word of the other, or vice versa.

    So `a` and `b` are initials of `bo` and `ada`, and `ada` alone of `a` and `bo`.
    """
    few, many = sorted((left, right), key=len)
    return any(all(map(_is_initial, few, chosen)) for chosen in permutations(many, len(few)))


def _is_initial(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) == 1 and long.startswith(short)


def shorten_name(name: Sequence[str]) -> list[str]:
    """A name of a single word, whole and without each of its letters; none for other names.

    Two words have one of these in common if one letter is wrong, missing or extra in one of them,
    or if two neighbouring letters are exchanged.

    >>> shorten_name(["steinitz"])[:3]
    ['steinitz', 'teinitz', 'seinitz']
    """
    if len(name) != 1 or not LEAST_ALONE <= len(name[0]) <= MOST_ALONE:
        return []
    [word] = name
    return list(dict.fromkeys([word, *(word[:at] + word[at + 1 :] for at in range(len(word)))]))


def _are_near(one: str, other: str) -> bool:
    alike = one[:BEGINNING] == other[:BEGINNING]
    return alike or not set(shorten_name([one])).isdisjoint(shorten_name([other]))


def _is_slip(one: str, other: str, least: int) -> bool:
    """Whether two words of at least `least` letters are almost the same."""
    return min(len(one), len(other)) >= least and SequenceMatcher(None, one, other).ratio() >= TYPO
