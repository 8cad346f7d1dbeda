"""Nonces belong to one choice for ever."""

from __future__ import annotations

import pytest

from service.composition import CODEC
from service.log.memory import MemoryEventLog
from service.secrets.errors import NonceUsed
from service.secrets.nonces import NonceReserved, Nonces

NONCE = "5a386a92a1721938e15109a12b383b40"
MINE = NonceReserved(game="g" * 16, side=0)
OTHERS = [
    (NONCE, NonceReserved(game="g" * 16, side=1), "ada"),
    (NONCE, NonceReserved(game="h" * 16, side=0), "ada"),
    (NONCE, MINE, "brahim"),
]


@pytest.fixture
def nonces() -> Nonces:
    return Nonces(MemoryEventLog(CODEC), b"secret")


@pytest.mark.parametrize(("nonce", "choice", "by"), OTHERS)
def test_a_nonce_belongs_to_one_choice(
    nonces: Nonces, nonce: str, choice: NonceReserved, by: str
) -> None:
    nonces.reserve(NONCE, MINE, 1, "ada")
    with pytest.raises(NonceUsed, match="this nonce was used before"):
        nonces.reserve(nonce, choice, 2, by)


def test_reserving_again_changes_nothing(nonces: Nonces) -> None:
    for at in (1, 2):
        nonces.reserve(NONCE, MINE, at, "ada")
    (stream,) = nonces.log.streams("nonce")
    assert [entry.at for entry in nonces.log.read(stream)] == [1]


def test_what_is_kept_tells_nothing_of_the_nonce(nonces: Nonces) -> None:
    other = Nonces(MemoryEventLog(CODEC), b"another secret")
    for each in (nonces, other):
        each.reserve(NONCE, MINE, 1, "ada")
    (one,), (two,) = (each.log.streams("nonce") for each in (nonces, other))
    assert one != two
    assert NONCE not in repr((one, nonces.log.read(one)))
