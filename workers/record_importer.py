"""Appending parsed records to the log as games, each of them once, however often it is tried.

A game's id is derived from what identifies the game, so that a second import finds it in the log;
this needs no index that might lag behind. The same game with other annotations gets an id that is
derived from these as well. A game's stream has the attribute `origin`: the digest of its record's
content, and the import and number it came from. `workers.import_job` calls this for each batch of
a file.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from notation.errors import NotationError
from service.composition.service import Service
from service.errors import BadValue
from service.game.decide import create
from service.game.fingerprint import essence, identity
from service.game.importing import import_command
from service.game.record import make_record
from service.game.repository import stream_of
from service.game.values import GameStatus
from service.ids import derived_id
from service.imports.events import RECORD, RecordKept
from service.imports.origin import ORIGIN, name_source, read_origin, write_origin
from service.imports.parsing import InvalidRecord, ParsedRecord, ValidRecord
from service.imports.state import ImportMode, ImportState
from service.imports.verdicts import Verdict, VerdictStatus
from service.log.beginning import Beginning, make_first_append
from service.log.values import Append, Recorded, StreamId
from service.player.actor import Actor
from service.player.scopes import PLAY
from service.verification.record import is_signed

NAMES: Final = 10_000
"""How many players' ids are cached."""


@dataclass(frozen=True, slots=True)
class Exported:
    """The game that a record was exported from, and whether the record is still as exported."""

    game: str
    unchanged: bool


class Importer:
    """Imports the records of one file, or only judges them.

    `beat` is called before each record that takes more than a round trip; it may raise to stop.
    """

    def __init__(self, service: Service, state: ImportState, beat: Callable[[], None]) -> None:
        self.service = service
        self.beat = beat
        self.state = state
        self.actor = Actor(state.by, frozenset({PLAY}))
        self._players: OrderedDict[str, str] = OrderedDict()

    def judge(self, prepared: Sequence[ParsedRecord], number: int) -> list[Verdict]:
        """Return the verdicts on records, the first of which is `number`, without importing any."""
        return [
            self._describe_quarantined(one, n)
            if isinstance(one, InvalidRecord)
            else {**locate_record(one, n), "status": VerdictStatus.VALID}
            for n, one in enumerate(prepared, number)
        ]

    def import_records(self, prepared: Sequence[ParsedRecord], number: int) -> list[Verdict]:
        """Import records, the first of which is `number`; returns their verdicts in order.

        Importing them again changes nothing. Raises what the store raises.
        """
        good = [(one, n) for n, one in enumerate(prepared, number) if isinstance(one, ValidRecord)]
        bad = [(one, n) for n, one in enumerate(prepared, number) if isinstance(one, InvalidRecord)]
        verdicts = self._import_valid(good)
        if self.state.mode is ImportMode.AS_PLAYED:
            verdicts += self._keep_as_played([(one, n) for one, n in bad if one.was_played])
            bad = [(one, n) for one, n in bad if not one.was_played]
        verdicts += [self._describe_quarantined(one, n) for one, n in bad]
        return sorted(verdicts, key=lambda verdict: int(verdict["number"]))

    def _import_valid(self, good: Sequence[tuple[ValidRecord, int]]) -> list[Verdict]:
        """Append games; those that exist already are compared in a second round trip."""
        verdicts, new, variants = [], [], []
        for one, n in good:
            exported = self._find_exported(one)
            if exported is None:
                new.append((one, n, self._derive_id(one)))
            elif exported.unchanged:
                verdicts.append(_judged(one, n, VerdictStatus.DUPLICATE, exported.game))
            else:
                variants.append((one, n, exported.game))
        # Not for what the service has: its players may have other names by now.
        unknown = (one for one, _, _ in (*new, *variants))
        self._resolve_players(name for one in unknown for name in one.names if name is not None)
        for (one, n, id), origin in self._append(new):
            if origin is None:
                verdicts.append(_judged(one, n, VerdictStatus.ACCEPTED, id))
            elif origin == one.essence:
                verdicts.append(_judged(one, n, VerdictStatus.DUPLICATE, id))
            else:
                variants.append((one, n, id))
        others = [(one, n, self._derive_id(one, one.essence)) for one, n, _ in variants]
        for (_, _, of), ((one, n, id), origin) in zip(variants, self._append(others), strict=True):
            if origin is None:
                verdicts.append({**_judged(one, n, VerdictStatus.VARIANT_OF, id), "of": of})
            else:
                verdicts.append(_judged(one, n, VerdictStatus.DUPLICATE, id))
        return verdicts

    def _append(
        self, games: Sequence[tuple[ValidRecord, int, str]]
    ) -> list[tuple[tuple[ValidRecord, int, str], str | None]]:
        """Append games under these ids; returns each with the essence of the record that was there.

        None where it was appended, now or by an earlier try of this import.
        """
        made = self._append_new(games)
        met = [game for game, is_new in zip(games, made, strict=True) if not is_new]
        kept = self.service.log.attributes([(stream_of(id), ORIGIN) for _, _, id in met])
        found = dict(zip(((n, id) for _, n, id in met), kept, strict=True))
        outcomes = []
        for one, n, id in games:
            known, source = read_origin(found.get((n, id)) or "")
            there = (n, id) in found and source != self._name_source(n)
            outcomes.append(((one, n, id), known if there else None))
        return outcomes

    def _append_new(self, games: Sequence[tuple[ValidRecord, int, str]]) -> list[bool]:
        """Append the games that are new, hand them to the projector; returns which are new."""
        beginnings = [self._make_beginning(*game) for game in games]
        offered: list[Recorded] = []

        def hand_over(requests: Sequence[Append]) -> None:
            offered.extend(entry for request in requests for entry in request.chained or ())
            self.service.handover.offer(
                (id, entry, one.indexed)
                for (one, _, id), entry in zip(games, offered, strict=True)
                if one.indexed is not None
            )

        made = self.service.games.create_imported(beginnings, self.state.by, hand_over)
        known = [entry.hash for entry, is_new in zip(offered, made, strict=True) if not is_new]
        self.service.handover.remove(known)
        return made

    def _make_beginning(self, one: ValidRecord, number: int, id: str) -> Beginning:
        first, second = (None if name is None else self._players[name] for name in one.names)
        command = replace(one.command, first=first, second=second)
        origin = write_origin(one.essence, self._name_source(number))
        return Beginning(stream_of(id), create(command, self.actor), {ORIGIN: origin})

    def _keep_as_played(self, bad: Sequence[tuple[InvalidRecord, int]]) -> list[Verdict]:
        """Append illegal records as they are; they do not become games."""
        secret = self.service.secret
        ids = [derived_id(secret, RECORD, _digest_text(one.text)) for one, _ in bad]
        streams = [StreamId(RECORD, id) for id in ids]
        at, by = self.service.games.clock(), self.state.by
        made = self.service.log.append_each(
            [
                make_first_append(self._keep_record(stream, *record), at, by, None)
                for stream, record in zip(streams, bad, strict=True)
            ]
        )
        origins = self.service.log.attributes([(stream, ORIGIN) for stream in streams])
        verdicts = []
        for (one, n), id, outcome, origin in zip(bad, ids, made, origins, strict=True):
            own = outcome == 1 or origin == self._name_source(n)
            status = VerdictStatus.AS_PLAYED if own else VerdictStatus.DUPLICATE
            verdicts.append({**locate_record(one, n), **one.error, "status": status, RECORD: id})
        return verdicts

    def _describe_quarantined(self, one: InvalidRecord, number: int) -> Verdict:
        return {**locate_record(one, number), **one.error, "status": VerdictStatus.QUARANTINED}

    def _keep_record(self, stream: StreamId, one: InvalidRecord, number: int) -> Beginning:
        """The stream that keeps an illegal record."""
        event = RecordKept(source=self.state.id, number=number, error=one.error)
        return Beginning(stream, [event], {ORIGIN: self._name_source(number), "text": one.text})

    def _find_exported(self, one: ValidRecord) -> Exported | None:
        """The game that the record was exported from, None if it is not known to be exported.

        A record that was changed since then is of that game only if it is still of the same game.
        """
        if one.claim is None:
            return None
        self.beat()
        games, id = self.service.games, one.claim.game
        if is_signed(one.claim.text, self.service.signer.public_keys) and games.exists(id):
            return Exported(id, unchanged=True)
        state = games.find(id)
        if state is None or state.status is not GameStatus.FINISHED:
            return None
        try:
            shown = make_record(state, self.service.players.names(state.seats))
            command = import_command(shown, None, None)
        except (NotationError, BadValue):
            return None
        if identity(shown, command.actions) != one.identity:
            return None
        unchanged = essence(command.text, command.tags) == one.essence
        return Exported(id, unchanged)

    def _resolve_players(self, names: Iterable[str]) -> None:
        """Find the players of these names, or create them, and cache their ids."""
        wanted = set(names)
        # The oldest entries are removed, and none of these may be among them.
        for name in wanted & self._players.keys():
            self._players.move_to_end(name)
        missing = sorted(wanted - self._players.keys())
        if missing:
            self._players |= self.service.players.all_unclaimed(missing, self.state.by)
        while len(self._players) > NAMES + len(wanted):
            self._players.popitem(last=False)

    def _derive_id(self, one: ValidRecord, *essence: str) -> str:
        return derived_id(self.service.secret, "imported", *one.identity, *essence)

    def _name_source(self, number: int) -> str:
        return name_source(self.state.id, number)


def locate_record(one: ParsedRecord, number: int) -> Verdict:
    """The members of a verdict that say which record of the file it is about."""
    at = one.location
    return {
        "number": number,
        "line": at.line,
        "first_line": at.line,
        "bytes": [at.start, at.end],
    }


def _judged(one: ValidRecord, number: int, status: VerdictStatus, game: str) -> Verdict:
    """The verdict on a legal record."""
    return {**locate_record(one, number), "status": status, "game": game}


def _digest_text(text: str) -> str:
    """The digest of a record as written; line ends and white space around it do not count."""
    return sha256(text.replace("\r\n", "\n").strip().encode()).hexdigest()
