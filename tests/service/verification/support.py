"""Games in a log of their own, and their exports."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from engine.side import Side
from service.composition.service import CODEC
from service.game.commands import (
    AnnotateAction,
    Annotation,
    Choose,
    Command,
    PlayAction,
    Resign,
    Retract,
    ScoreGame,
)
from service.game.permissions import SCORER
from service.game.record import make_record
from service.game.repository import Games, stream_of
from service.game.values import Mode
from service.log.chain import canonical, digest
from service.log.memory import MemoryEventLog
from service.log.values import GENESIS
from service.player.actor import Actor
from service.records.export import sign_record, write_part_of_log, write_whole_log
from service.records.signer import Signer
from service.secrets.key_source import KeyFile
from service.secrets.nonces import Nonces
from service.secrets.vault import Vault
from service.verification.errors import Wrong
from service.verification.events import verify_events
from service.verification.keys import PublicKeys
from tests.service.game.support import ID, NO_TOURNAMENTS, SCRIBE, new_game

NAMES = {"south": "Ana Žužić", "north": 'The "North"'}
STREAM = stream_of(ID)
NONCES = ("0123456789abcdef" * 2, "fedcba9876543210" * 2)


@dataclass
class Archive:
    """A log with one game, and the signer of its exports."""

    games: Games
    signer: Signer

    @property
    def keys(self) -> PublicKeys:
        """The public keys as they are served."""
        return PublicKeys.parse(json.dumps(self.signer.public_keys.as_json()))

    def do(self, *commands: Command, by: Actor = SCRIBE) -> None:
        """Carry out commands on the game."""
        for command in commands:
            self.games.execute(ID, command, by)

    def log(self) -> bytes:
        """The game's events as they are exported."""
        return b"".join(write_whole_log(STREAM, [self.games.log.read(STREAM)], self.signer))

    def part(self, after: int, limit: int) -> bytes:
        """Part of the game's events as it is exported."""
        return b"".join(write_part_of_log(STREAM, self.games.log.read(STREAM, after, limit), after))

    def record(self) -> bytes:
        """The game's record as it is exported."""
        return sign_record(make_record(self.games.load(ID), NAMES), self.signer).encode()


def archive(folder: Path) -> Archive:
    """An archive without a game."""
    vault = Vault(KeyFile(folder / "choice.key"))
    log = MemoryEventLog(CODEC)
    clock = count(1_700_000_000_000).__next__
    games = Games(log, clock, NO_TOURNAMENTS, vault, Nonces(log, b"secret"))
    return Archive(games, Signer(KeyFile(folder / "signing.key")))


def played(folder: Path) -> Archive:
    """Katruji with comments, a retraction, an end and points: 10 events, 4 actions that count."""
    made = archive(folder)
    made.games.create(ID, new_game(Mode.SCRIBE, tags={"Event": "Prvo kolo"}), SCRIBE)
    for token in ("b3a4", "c6d5", "a3b3", "d7c6", "c1d1"):
        note = Annotation(after=(f"a word on {token} – ž",), clock=60_000)
        made.do(PlayAction(token=token, annotation=note))
    made.do(
        Retract(plies=1),
        AnnotateAction(ply=2, annotation=Annotation(nags=(1,), after=("better",))),
        Resign(side=Side.FIRST),
    )
    score = ScoreGame(version=99, result="0-1", termination="resignation", points=(0, 0))
    made.do(score, by=Actor(SCORER))
    return made


def sealed(folder: Path) -> Archive:
    """Kerd with secret choices, disclosed at its end: 8 events."""
    made = archive(folder)
    made.games.create(ID, new_game(Mode.SCRIBE, variant="kerd"), SCRIBE)
    made.do(
        Choose(side=Side.FIRST, choice="d11", nonce=NONCES[0]),
        Choose(side=Side.SECOND, choice="c2", nonce=NONCES[1]),
        PlayAction(token="c3"),
        PlayAction(token="c10"),
        Resign(side=Side.SECOND),
    )
    return made


def changed(data: bytes, old: bytes, new: bytes) -> bytes:
    """The data with the only occurrence of `old` replaced.

    A short `old` needs its surroundings: by itself it may occur in a signature by chance.
    """
    assert data.count(old) == 1, (old, data.count(old))
    return data.replace(old, new)


def rechained(lines: Sequence[bytes], signer: Signer | None = None) -> bytes:
    """An export of these changed events with a new chain, its head signed by `signer`.

    Without a signer, the new head keeps the old signature.
    """
    *events, head = [json.loads(line) for line in lines]
    before = GENESIS
    made = []
    for version, event in enumerate(events, 1):
        made.append(canonical({**event, "previous": before, "version": version}))
        before = digest(made[-1])
    statement: dict[str, Any] = {**head, "count": len(events), "head": before}
    if signer is not None:
        del statement["key"], statement["signature"]
        signature = signer.sign(statement)
        statement |= {"key": signature.key, "signature": signature.value}
    return b"".join(line + b"\n" for line in [*made, canonical(statement)])


def fault(data: bytes, keys: PublicKeys | None) -> Wrong:
    """The fault found in an export."""
    error = verify_events(data, keys).error
    assert isinstance(error, Wrong), error
    return error
