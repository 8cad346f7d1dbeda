"""Square names (a lowercase letter and a number) and telling pieces apart by them."""

from __future__ import annotations

from collections.abc import Iterable


def disambiguate_origin(origin: str, others: Iterable[str]) -> str:
    """The part of `origin` that SAN writes to tell it from `others`, as in PGN.

    Nothing without others; else the file if it alone tells the piece apart, else the rank, else
    both. `others` are the other origins from which a piece of the same kind can legally go to
    the same square.

    >>> [disambiguate_origin("a1", others) for others in ([], ["b1"], ["a4"])]
    ['', 'a', '1']
    >>> disambiguate_origin("a1", ["a4", "b1"])
    'a1'
    """
    rivals = [other for other in others if other != origin]
    if not rivals:
        return ""
    file, rank = origin[0], origin[1:]
    if all(other[0] != file for other in rivals):
        return file
    if all(other[1:] != rank for other in rivals):
        return rank
    return origin
