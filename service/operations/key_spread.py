"""Whether every running process has a key that is to be used from now on."""

from __future__ import annotations

from service.operations.errors import KeyNotEverywhere
from service.secrets.key_holders import KeyHolders


def count_holders(holders: KeyHolders, key: str) -> tuple[int, int]:
    """How many running processes have a key, and how many processes run."""
    found = holders.find()
    return sum(key in one.keys for one in found), len(found)


def refuse_unspread(holders: KeyHolders, key: str) -> None:
    """Raise KeyNotEverywhere if a running process lacks the key.

    Processes report their keys every few seconds; one that has ended counts for up to 15 seconds.
    """
    found = holders.find()
    if lacking := [one.name for one in found if key not in one.keys]:
        raise KeyNotEverywhere(key, len(found), lacking)
