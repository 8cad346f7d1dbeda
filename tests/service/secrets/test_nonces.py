"""A nonce belongs to one choice for ever."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.composition.service import CODEC
from service.game.commands import AcceptChallenge, Choose, CreateGame
from service.game.repository import Games
from service.game.values import GameStatus
from service.log.errors import AlreadyDone
from service.log.memory import MemoryEventLog
from service.player.actor import Actor
from service.secrets.errors import NonceUsed
from service.secrets.key_source import KeyFile
from service.secrets.nonces import NonceReserved, Nonces
from service.secrets.vault import Vault
from tests.service.game.support import NO_TOURNAMENTS
from tests.service.log.support import receipt

NONCE = "5a386a92a1721938e15109a12b383b40"
OTHER = "1b80de20adc232cd76ecf0d9fc8b7de7"
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


def test_a_repeated_choice_reserves_no_second_nonce(tmp_path: Path) -> None:
    log, vault = MemoryEventLog(CODEC), Vault(KeyFile(tmp_path / "choice.key"))
    first, other = (
        Games(log, lambda: 1000, NO_TOURNAMENTS, vault, Nonces(log, b"secret")) for _ in range(2)
    )
    id, white, black = "g" * 16, *(Actor(name * 16, frozenset({"play"})) for name in "wb")
    command = CreateGame(variant="kerd", mode="challenge", first=white.player, second=black.player)
    first.create(id, command, white)
    first.execute(id, AcceptChallenge(), black)
    # The other process decides on a state that it cached before the choice.
    assert other.load(id).status is GameStatus.CHOOSING
    first.execute(id, Choose(choice="f11", nonce=NONCE), white, receipt=receipt("k"))
    with pytest.raises(AlreadyDone):
        other.execute(id, Choose(choice="f11", nonce=OTHER), white, receipt=receipt("k"))
    assert len(log.streams("nonce")) == 1
