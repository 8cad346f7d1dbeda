"""Checks a tournament's events against its rules: every command allowed, every pairing legal.

For each event the command behind it is decided again on the tournament as it was, so that an event
passes only if the service would have recorded exactly this one. Rounds are paired again if the
rules leave no choice; for a Swiss it is checked that the pairing is legal. Games have their own
logs: a tournament's log does not prove that a game ended as the tournament says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

from engine.errors import EngineError
from engine.outcome import COMMON_TERMINATIONS
from engine.registry import find_variant
from notation.errors import NotationError
from notation.game import UNFINISHED
from service.errors import ServiceError
from service.game.permissions import SCORER
from service.log.values import Event, Recorded
from service.player.actor import Actor
from service.player.scopes import SCOPES
from service.tournament import events
from service.tournament.commands import CountGame
from service.tournament.decide import decide
from service.tournament.evolve import evolve
from service.tournament.next_round import (
    count_rounds,
    list_pairing_byes,
    list_schedules,
    name_boards,
    pair_next_round,
)
from service.tournament.pairing.board import PairedBoard, PairedRound
from service.tournament.pairing.errors import PairingError
from service.tournament.pairing.legality import find_swiss_fault
from service.tournament.results import record_tally
from service.tournament.scheme import text_of
from service.tournament.setup import check_points, make_rules_event
from service.tournament.standings import Standing, standings
from service.tournament.standings.term import Edition
from service.tournament.state import TournamentState, public, table
from service.tournament.table import EntrantId, Result, TournamentKind
from service.verification.errors import Location, Wrong
from service.verification.reported_rounds import is_of_report
from service.verification.tournament_commands import (
    as_paired_earlier,
    command_behind,
    creation_behind,
    is_earlier_entry,
    return_behind,
    tallied_game,
)

FAULTS: Final = (
    ServiceError,
    EngineError,
    NotationError,
    ArithmeticError,
    LookupError,
    TypeError,
    ValueError,
    Wrong,
)
"""What the rules raise for events that the service could not have recorded."""
RESULTS: Final = (Result.FIRST, Result.DRAW, Result.SECOND, UNFINISHED)
"""The results of a game: those of an ended one, and the one until then."""


def describe_tournament(state: TournamentState) -> Sequence[str]:
    """Describe in sentences what a tournament's events have proven."""
    rules, entered, rounds = state.rules, len(state.entries), len(public(state).rounds)
    found = rank(state)
    leading = [one.entrant for one in found if one.place == 1]
    first = ", ".join(leading[:5]) + (", …" if len(leading) > 5 else "")
    score = f" with {text_of(found[0].values[0])} {rules.regulations.order[0]}" if found else ""
    return (
        f"tournament: a {rules.kind} of {rules.variant}, {entered} players, {rounds} rounds, "
        "every pairing legal",
        f"standings: recomputed from the results; first {first or 'nobody'}{score}",
    )


def rank(state: TournamentState, rounds: int | None = None) -> Sequence[Standing]:
    """The standings of a tournament as everybody sees it, after `rounds` rounds or all of them."""
    seen = public(state)
    counted = table(seen).until(len(seen.rounds) if rounds is None else rounds)
    return standings(counted, state.rules.regulations)


def replay_tournament(id: str, entries: Sequence[Recorded]) -> TournamentState:
    """The state that these events of a tournament lead to.

    Raises Wrong for the first event that the tournament's rules do not allow at that point.
    """
    replaying = Replaying(id)
    for number, entry in enumerate(entries, 1):
        try:
            replaying.add_event(entry)
        except FAULTS as error:
            reason = error.reason if isinstance(error, Wrong) else str(error)
            if isinstance(error, ArithmeticError | LookupError | TypeError | ValueError):
                reason = f"{type(error).__name__}: {error}"
            reason = f"{entry.event.stored_name} cannot follow: {reason}"
            raise Wrong(reason, Location(line=number, event=number)) from error
    if replaying.state is None:
        raise Wrong("a tournament without any event")
    return replaying.state


@dataclass
class Replaying:
    """A tournament as far as its events have been checked.

    `asked` is the tournament from before the round in progress was requested: it is paired from
    what was known then. `reported` says that all events so far came from one report. `entered` is
    the last event if a player entered by it, with the tournament from before it.
    """

    id: str
    state: TournamentState | None = None
    asked: TournamentState | None = None
    reported: bool = True
    joined: tuple[int, int] | None = None
    entered: tuple[TournamentState, Recorded] | None = None
    games: set[str] = field(default_factory=set)

    def add_event(self, entry: Recorded) -> None:
        """Check one more event; raises one of FAULTS."""
        event = entry.event
        if self.state is None:
            if not isinstance(event, events.TournamentCreated):
                raise Wrong("a tournament begins with its creation")
            check_creation(event)
            self.state = evolve(None, self.id, entry)
            return
        state = self.state
        # A report is imported together with the creation, at one moment.
        self.reported &= entry.by == state.creator and entry.at == state.created_at
        if not (self.reported and is_of_report(event, state)):
            self.check_decision(entry, state)
        self.joined = (event.round, event.board) if isinstance(event, events.GameJoined) else None
        self.entered = (state, entry) if isinstance(event, events.PlayerEntered) else None
        if isinstance(event, events.RoundAsked):
            self.asked = state
        if isinstance(event, events.RoundPaired):
            self.check_games(event)
        self.state = evolve(state, self.id, entry)

    def check_decision(self, entry: Recorded, state: TournamentState) -> None:
        """Raise unless the command behind an event produces exactly this event."""
        event = entry.event
        if isinstance(event, events.ResultTallied):
            made = self.count_again(event, entry.by, state)
        elif isinstance(event, events.RoundAsked):
            made = self.request_again(entry, state)
        else:
            made = self.decide_again(entry, state)
        if not made:
            raise Wrong("it changes nothing")
        if made[0] != event and not is_earlier_entry(made[0], event, state):
            raise Wrong(f"the rules make {describe_difference(made[0], event)}")
        if isinstance(event, events.RoundPaired):
            assert self.asked is not None
            assert state.pending is not None
            try:
                check_pairing(self.asked, state.pending.wish, event)
            except (Wrong, PairingError):
                check_pairing(as_paired_earlier(self.asked), state.pending.wish, event)

    def count_again(
        self, event: events.ResultTallied, by: str, state: TournamentState
    ) -> Sequence[Event]:
        """The events of counting a game again; raises Wrong or BadValue for an impossible end."""
        place = (event.round, event.board)
        if by != SCORER and self.joined != place:
            raise Wrong(f"a result counted by {by}")
        if state.boards.get(event.game) != place:
            raise Wrong(f"the game {event.game} is not that of this board")
        possible = find_variant(state.rules.variant).terminations | COMMON_TERMINATIONS
        if event.termination is not None and event.termination not in possible:
            raise Wrong(f"no game of {state.rules.variant} ends by {event.termination}")
        game = tallied_game(state, event)
        if game.result not in RESULTS:
            raise Wrong(f"no game ends {game.result}")
        if game.result != UNFINISHED:
            check_points(state.rules.variant, Result(game.result), game.points)
        pairing = state.pairing(*place)
        assert pairing is not None
        return record_tally(pairing, event.version, CountGame(game=game))

    def request_again(self, entry: Recorded, state: TournamentState) -> Sequence[Event]:
        """The events of requesting a round, which may have been possible only earlier."""
        try:
            return self.decide_again(entry, state)
        except PairingError:
            return self.decide_again(entry, as_paired_earlier(state))

    def decide_again(self, entry: Recorded, state: TournamentState) -> Sequence[Event]:
        """The events of the command behind an event; raises what `decide` raises, or KeyError."""
        # The log does not say who had which scope; it does say who is an arbiter.
        actor = Actor(entry.by, frozenset(SCOPES))
        # A correction by a command of its own has to wait until the round is paired.
        if self.entered is not None and state.pending is not None:
            before, entered = self.entered
            command = return_behind(entry, entered)
            if command is not None:
                _, *corrections = decide(command, before, actor)
                return corrections
        return decide(command_behind(entry.event, state), state, actor)

    def check_games(self, event: events.RoundPaired) -> None:
        """Raise Wrong if a game is named for two boards."""
        named = [board["game"] for board in event.boards if "game" in board]
        if len(set(named)) < len(named) or self.games & set(named):
            raise Wrong("two boards have the same game")
        self.games |= set(named)


def check_creation(event: events.TournamentCreated) -> None:
    """Raise unless a tournament can be set up with these rules."""
    Edition(event.edition)
    agreed = make_rules_event(creation_behind(event))
    for name in (each.name for each in fields(event)):
        # The edition is the one of that day.
        if name != "edition" and getattr(agreed, name) != getattr(event, name):
            raise Wrong(f"{name} is {getattr(event, name)!r}")


def check_pairing(
    before: TournamentState, wish: Sequence[PairedBoard] | None, event: events.RoundPaired
) -> None:
    """Raise unless a round that was requested in `before` is paired by the tournament's rules.

    `wish` are the boards that were requested in free pairing.
    """
    boards = tuple(
        PairedBoard(EntrantId(board["first"]), EntrantId(board["second"])) for board in event.boards
    )
    resting = tuple(EntrantId(bye["player"]) for bye in event.byes)
    if before.rules.kind is TournamentKind.SWISS:
        found = PairedRound(boards, resting)
        fault = find_swiss_fault(table(before), count_rounds(before), found)
        if fault is not None:
            raise Wrong(fault)
    elif before.rules.kind is TournamentKind.ROUND_ROBIN:
        possible = [schedule[len(before.rounds)] for schedule in list_schedules(before)]
        found = next((one for one in possible if one.boards == boards), possible[0])
    else:
        found = pair_next_round(before, wish)
    byes = list_pairing_byes(before, found)
    if list(event.byes) != byes:
        raise Wrong(f"the byes are {byes!r} by the rules")
    due = [without_game(board) for board in name_boards(before, found, "", 0)]
    for number, board in enumerate(event.boards):
        if number >= len(due) or without_game(board) != due[number]:
            raise Wrong(f"board {number + 1} is not the one that the rules pair")
    if len(event.boards) < len(due):
        raise Wrong(f"{len(due)} boards are to be paired")


def without_game(board: Mapping[str, Any]) -> dict[str, Any]:
    """A board of a round, saying only whether it has a game: nobody can predict which."""
    return {**board, "game": "game" in board}


def describe_difference(due: Event, event: Event) -> str:
    """The first field in which an event differs from the one that is due."""
    if type(due) is not type(event):
        return due.stored_name
    for name in (each.name for each in fields(due)):
        wanted, stated = getattr(due, name), getattr(event, name)
        if wanted != stated:
            return f"{name} {wanted!r}, not {stated!r}"
    raise AssertionError("the two are the same")
