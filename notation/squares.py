"""Square names (a lowercase letter and a number), and telling pieces apart by them."""

from __future__ import annotations

from collections.abc import Iterable

from engine.naming import FILE, FROM_FILE, FROM_RANK, RANK


def disambiguate_origin(origin: str, others: Iterable[str]) -> str:
    """The part of `origin` that SAN writes to tell it from `others`, as in PGN.

    Nothing if there are no others; else the file if that is enough, else the rank if that is, else
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


def write_origin(origin: str, parts: int) -> str:
    """What SAN writes of an origin, by the kernel's description (`engine.naming`).

    >>> [write_origin("a1", parts) for parts in (0, FILE, RANK, FILE | RANK)]
    ['', 'a', '1', 'a1']
    """
    return (origin[0] if parts & FILE else "") + (origin[1:] if parts & RANK else "")


def read_origin(said: str) -> int:
    """The part of a reading for what a token says of an origin: nothing, file, rank or both.

    Files and ranks count from 1, as most kernels have them (`engine.naming`).

    >>> [read_origin(said) for said in ("", "b", "b2")] == [0, 2 << FROM_FILE, 34 << FROM_FILE]
    True
    """
    file = said[:1] if said[:1].isalpha() else ""
    rank = said[len(file) :]
    return (ord(file) - ord("a") + 1 if file else 0) << FROM_FILE | int(rank or 0) << FROM_RANK
