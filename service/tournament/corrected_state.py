"""The effects of corrections on a tournament: its own data, an entry, who an entrant is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from notation.time_control import TIME_CONTROL
from service.log.values import Recorded
from service.tournament import events
from service.tournament.state import TournamentState
from service.tournament.table import EntrantId
from service.tournament.values import Entry, Round, TournamentRules

T = TypeVar("T")


def amend_rules(
    event: events.TournamentAmended, state: TournamentState, entry: Recorded
) -> TournamentState:
    """The tournament with its own data corrected."""
    return replace(state, rules=change_rules(state.rules, dict(event.changes)))


def change_rules(rules: TournamentRules, changes: dict[str, Any]) -> TournamentRules:
    """The rules with these changes.

    A tag of the games with the earlier time is dropped. Over the board, such a tag has the new one.
    """
    if "time_control" in changes:
        tags = {name: value for name, value in rules.tags.items() if name != TIME_CONTROL}
        if rules.over_the_board and (control := changes.pop("time_control")) is not None:
            tags[TIME_CONTROL] = control
        changes["tags"] = tags
    return replace(rules, **changes)


def correct_entry(
    event: events.EntryCorrected, state: TournamentState, entry: Recorded
) -> TournamentState:
    """The tournament with an entry corrected, in all rounds if it becomes another player's."""
    known = state.entries[event.player]
    rating = event.changes.get("rating", known.rating)
    new = replace(
        known,
        player=event.changes.get("player", known.player),
        rating=rating,
        seed=event.changes.get("seed", known.seed),
        ranked_by=rating if event.renumbers else known.ranked_by,
    )
    return replace_entrant(state, known.player, new)


def replace_entrant(state: TournamentState, old: str, new: Entry) -> TournamentState:
    """The tournament with this entry in the place of the old one, in all rounds and byes."""

    def put(player: str) -> str:
        return new.player if player == old else player

    def put_round(round: Round) -> Round:
        pairings = tuple(
            replace(one, first=put(one.first), second=put(one.second)) for one in round.pairings
        )
        byes = tuple(replace(bye, entrant=EntrantId(put(bye.entrant))) for bye in round.byes)
        return replace(round, pairings=pairings, byes=byes)

    return replace(
        state,
        entries={put(id): new if id == old else one for id, one in state.entries.items()},
        withdrawn={put(id): round for id, round in state.withdrawn.items()},
        granted={(put(id), round): bye for (id, round), bye in state.granted.items()},
        rounds=tuple(map(put_round, state.rounds)),
    )


def remove_entry(
    event: events.EntryRemoved, state: TournamentState, entry: Recorded
) -> TournamentState:
    """The tournament without an entry, and without the byes granted to it."""
    return replace(
        state,
        entries=without(state.entries, event.player),
        withdrawn=without(state.withdrawn, event.player),
        granted={key: bye for key, bye in state.granted.items() if key[0] != event.player},
    )


def without(among: Mapping[str, T], player: str) -> dict[str, T]:
    """A mapping by player without one of the players."""
    return {id: one for id, one in among.items() if id != player}


def cancel_tournament(
    event: events.TournamentCancelled, state: TournamentState, entry: Recorded
) -> TournamentState:
    """The tournament after it was cancelled."""
    return replace(state, cancelled=True)
