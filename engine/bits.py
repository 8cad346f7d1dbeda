"""Sets of small numbers as integers with one bit each; compiled kernels take `c_bits.pxd` instead.

A set has numbers from 0 to 63.
"""

from __future__ import annotations


def first(members: int) -> int:
    """The smallest number in a set that is not empty.

    >>> first(0b1000100)
    2
    """
    return (members & -members).bit_length() - 1


def size(members: int) -> int:
    """How many numbers are in a set.

    >>> size(0b1000100)
    2
    """
    return members.bit_count()
