"""The sizes of the networks, which are literals where the kernels are compiled."""

from __future__ import annotations

from typing import Final

HIDDEN: Final = 32
"""Hidden units of each of the two views."""
FEATURES: Final = 6144
"""The most features that a game may have."""
ONE: Final = 255
"""A hidden unit's greatest activation; weights of features are in the same unit."""
OUTPUT_SHIFT: Final = 12
"""Weights of hidden units are in hundredths of the game's unit, times 2 ** OUTPUT_SHIFT / ONE."""
SMALLEST: Final = -32768
LARGEST: Final = 32767
