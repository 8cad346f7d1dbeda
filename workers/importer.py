"""Prepared records taken into the log, each once however often and by however many it is tried.

A game's id follows from what makes it this game, so that the second to take it in finds it there:
there is no index that could be behind. The same game with other annotations has an id that
follows from these as well. Beside a game's stream stands `origin`: the digest of what its record
said, and which game of which import it was.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final

from notation.errors import NotationError
from service.composition import Service
from service.errors import NotFound
from service.game.decide import create
from service.game.fingerprint import identity
from service.game.record import record
from service.game.repository import stream_of
from service.game.values import Status as GameStatus
from service.ids import derived_id
from service.imports.events import RECORD, RecordKept
from service.imports.parsing import Bad, Good, Prepared
from service.imports.state import ImportState, Mode
from service.imports.verdicts import Status, Verdict
from service.log.values import GENESIS, Append, Event, StreamId
from service.player.actor import Actor
from service.player.scopes import PLAY

ORIGIN: Final = "origin"
NAMES: Final = 10_000
"""Players' ids that are remembered."""


class Importer:
    """Takes the records of one import into the log, or only judges them.

    `beat` is called before each record that takes more than a round trip.
    """

    def __init__(self, service: Service, state: ImportState, beat: Callable[[], None]) -> None:
        self.service = service
        self.beat = beat
        self.state = state
        self.actor = Actor(state.by, frozenset({PLAY}))
        self._players: OrderedDict[str, str] = OrderedDict()

    def judge(self, prepared: Sequence[Prepared], number: int) -> list[Verdict]:
        """The verdicts on records numbered from `number`, none of which is taken in."""
        return [
            self._quarantined(one, n)
            if isinstance(one, Bad)
            else {**told(one, n), "status": Status.VALID}
            for n, one in enumerate(prepared, number)
        ]

    def take(self, prepared: Sequence[Prepared], number: int) -> list[Verdict]:
        """Take in records numbered from `number`; their verdicts.

        Done again, by this import or after it, it changes nothing. Raises what the store raises.
        """
        good = [(one, n) for n, one in enumerate(prepared, number) if isinstance(one, Good)]
        bad = [(one, n) for n, one in enumerate(prepared, number) if isinstance(one, Bad)]
        verdicts = self._take_good(good)
        if self.state.mode is Mode.AS_PLAYED:
            verdicts += self._keep([(one, n) for one, n in bad if one.was_played])
            bad = [(one, n) for one, n in bad if not one.was_played]
        verdicts += [self._quarantined(one, n) for one, n in bad]
        return sorted(verdicts, key=lambda verdict: int(verdict["number"]))

    def _take_good(self, good: Sequence[tuple[Good, int]]) -> list[Verdict]:
        """Append games; those that were there already are looked at in a second round trip."""
        self._know(name for one, _ in good for name in one.names if name is not None)
        verdicts, others = [], []
        new = []
        for one, n in good:
            own = self._exported(one)
            if own is not None:
                verdicts.append({**told(one, n), "status": Status.DUPLICATE, "game": own})
            else:
                new.append((one, n, self._id(one)))
        for (one, n, id), origin in self._append(new):
            if origin is None:
                verdicts.append({**told(one, n), "status": Status.ACCEPTED, "game": id})
            elif origin == one.essence:
                verdicts.append({**told(one, n), "status": Status.DUPLICATE, "game": id})
            else:
                others.append((one, n, self._id(one, one.essence)))
        for (one, n, id), origin in self._append(others):
            status = Status.VARIANT_OF if origin is None else Status.DUPLICATE
            of = {"of": self._id(one)} if origin is None else {}
            verdicts.append({**told(one, n), "status": status, "game": id, **of})
        return verdicts

    def _append(
        self, games: Sequence[tuple[Good, int, str]]
    ) -> list[tuple[tuple[Good, int, str], str | None]]:
        """Append games under these ids; each with the essence of the record that was there.

        None where it was appended, now or by an earlier try of this import.
        """
        made = self.service.log.append_each([self._imported(*game) for game in games])
        met = [game for game, outcome in zip(games, made, strict=True) if outcome != 1]
        kept = self.service.log.attributes([(stream_of(id), ORIGIN) for _, _, id in met])
        found = dict(zip(((n, id) for _, n, id in met), kept, strict=True))
        outcomes = []
        for one, n, id in games:
            essence, _, source = (found.get((n, id)) or "").partition(" ")
            there = (n, id) in found and source != self._source(n)
            outcomes.append(((one, n, id), essence if there else None))
        return outcomes

    def _imported(self, one: Good, number: int, id: str) -> Append:
        first, second = (None if name is None else self._players[name] for name in one.names)
        command = replace(one.command, first=first, second=second)
        origin = f"{one.essence} {self._source(number)}"
        # No audience: nobody who waits for a game of theirs waits for one that was over long ago.
        return self._begins(stream_of(id), create(command, self.actor), {ORIGIN: origin})

    def _keep(self, bad: Sequence[tuple[Bad, int]]) -> list[Verdict]:
        """Keep illegal records as they are."""
        secret = self.service.secret
        ids = [derived_id(secret, RECORD, sha256(one.text.encode()).hexdigest()) for one, _ in bad]
        streams = [StreamId(RECORD, id) for id in ids]
        made = self.service.log.append_each(
            [
                self._begins(
                    stream,
                    [RecordKept(source=self.state.id, number=n, error=one.error)],
                    {ORIGIN: self._source(n), "text": one.text},
                )
                for stream, (one, n) in zip(streams, bad, strict=True)
            ]
        )
        origins = self.service.log.attributes([(stream, ORIGIN) for stream in streams])
        verdicts = []
        for (one, n), id, outcome, origin in zip(bad, ids, made, origins, strict=True):
            own = outcome == 1 or origin == self._source(n)
            status = Status.AS_PLAYED if own else Status.DUPLICATE
            verdicts.append({**told(one, n), **one.error, "status": status, RECORD: id})
        return verdicts

    def _quarantined(self, one: Bad, number: int) -> Verdict:
        return {**told(one, number), **one.error, "status": Status.QUARANTINED}

    def _begins(
        self, stream: StreamId, made: Sequence[Event], attributes: dict[str, str]
    ) -> Append:
        return Append(
            stream=stream,
            expected=0,
            events=made,
            at=self.service.games.clock(),
            by=self.state.by,
            head=GENESIS,
            attributes=dict(attributes),
        )

    def _exported(self, one: Good) -> str | None:
        """The id of the game played here that this record was exported from and still is.

        Games that came in as records are found by their own ids.
        """
        if one.claimed is None or one.claimed in (self._id(one), self._id(one, one.essence)):
            return None
        self.beat()
        try:
            state = self.service.games.load(one.claimed)
        except NotFound:
            return None
        if state.status is not GameStatus.FINISHED:
            return None
        try:
            shown = record(state, self.service.players.names(state.seats))
        except NotationError:
            return None
        actions = " ".join(played.coordinate for played in state.played)
        return state.id if identity(shown, actions) == one.identity else None

    def _know(self, names: Iterable[str]) -> None:
        """Find or make the players of these names."""
        wanted = set(names)
        missing = sorted(wanted - self._players.keys())
        if missing:
            self._players |= self.service.players.all_unclaimed(missing, self.state.by)
        while len(self._players) > NAMES + len(wanted):
            self._players.popitem(last=False)
        for name in wanted:
            self._players.move_to_end(name)

    def _id(self, one: Good, *essence: str) -> str:
        return derived_id(self.service.secret, "imported", *one.identity, *essence)

    def _source(self, number: int) -> str:
        return f"{self.state.id}/{number}"


def told(one: Prepared, number: int) -> Verdict:
    """What every verdict tells of its game."""
    place = one.place
    return {"number": number, "line": place.line, "bytes": [place.start, place.end]}
