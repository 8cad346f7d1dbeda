"""Commands that correct mistakes: in a tournament's own data, in its entries, in its existence.

What may be changed when follows FIDE's rules. The number of rounds is declared beforehand (C.04.1),
so a change after the start needs a reason. Ratings may be corrected at any time; pairing numbers
follow them until the fourth round of a Swiss is paired (C.04.2), and until the first round if a
schedule or a bracket is made of them. A player who has been paired stays in the tables, and can
only withdraw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.phrase import phrase
from notation.annotation import check_tag
from notation.time_control import TIME_CONTROL, check_playable, parse_time_control
from service.errors import BadValue
from service.game.setup import check_reason
from service.log.values import Event
from service.player.actor import Actor
from service.tournament import commands, events
from service.tournament.entries import LATE, MOST_RATING, can_renumber
from service.tournament.errors import AlreadyEntered, RoundPending, RoundsPaired
from service.tournament.permissions import require_arbiter, require_unfinished
from service.tournament.setup import check_days, check_name
from service.tournament.state import TournamentState
from service.tournament.table import MOST_ROUNDS, TournamentKind

AMENDABLE: Final = ("name", "rounds", "time_control", "starts_on", "ends_on")
"""What can be corrected of a tournament itself."""
DECLARED: Final = frozenset({"rounds", "time_control"})
"""What players rely on once they have begun: changing it then takes a reason."""


def amend_tournament(
    command: commands.Amend, state: TournamentState, actor: Actor
) -> Sequence[Event]:
    """Correct the tournament's own data; no events if nothing changes.

    Raises BadValue, BadAnnotation, BadTimeControl, RoundPending, or TournamentOver for what is
    declared beforehand.
    """
    require_arbiter(state, actor)
    known = read_own_data(state)
    for name in command.changes:
        if name not in known:
            raise BadValue(str(name), phrase("one of {amendable}", amendable=", ".join(AMENDABLE)))
    changes = {name: new for name, new in command.changes.items() if new != known[name]}
    if not changes:
        return ()
    if "name" in changes:
        check_name(str(changes["name"]))
    wanted = {**known, **changes}
    check_days(wanted["starts_on"], wanted["ends_on"])
    if declared := sorted(DECLARED & set(changes)):
        require_unfinished(state)
        require_settled(state)
        if state.rounds and not command.reason.strip():
            raise BadValue(
                "reason",
                phrase("rounds are paired: say why {declared} changes", declared=declared[0]),
            )
        check_declared(state, changes)
    if command.reason:
        check_reason(command.reason)
    return (events.TournamentAmended(changes=changes, reason=command.reason),)


def read_own_data(state: TournamentState) -> dict[str, Any]:
    """The current values of what can be corrected of a tournament."""
    rules = state.rules
    control = rules.tags.get(TIME_CONTROL) if rules.over_the_board else rules.time_control
    return {
        "name": rules.name,
        "rounds": rules.rounds,
        "time_control": control,
        "starts_on": rules.starts_on,
        "ends_on": rules.ends_on,
    }


def check_declared(state: TournamentState, changes: Mapping[str, Any]) -> None:
    """Raise BadValue, BadTimeControl or BadAnnotation for impossible rounds or time controls."""
    if "rounds" in changes:
        if state.rules.kind is not TournamentKind.SWISS:
            raise BadValue("rounds", "only for a Swiss; the other kinds determine it themselves")
        least, rounds = max(1, len(state.rounds)), changes["rounds"]
        if rounds is None or not least <= rounds <= MOST_ROUNDS:
            raise BadValue(
                "rounds", phrase("{least} to {most_rounds}", least=least, most_rounds=MOST_ROUNDS)
            )
    control = changes.get("time_control")
    if "time_control" in changes and state.rounds and not state.rules.over_the_board:
        raise BadValue("time_control", "stays as it is once a round is paired")
    if control is not None:
        check_tag(TIME_CONTROL, control)
        played = parse_time_control(control)
        if not state.rules.over_the_board:
            check_playable(played)


def correct_entry(
    command: commands.CorrectEntry, state: TournamentState, actor: Actor
) -> Sequence[Event]:
    """Correct an entry: who it is, the rating, the seed; no events if nothing changes.

    `replacement` takes the entrant's place everywhere, provided that the entrant has no game.
    Raises BadValue, AlreadyEntered or RoundPending.
    """
    require_arbiter(state, actor)
    require_settled(state)
    entry = state.entries.get(command.player)
    if entry is None:
        raise BadValue("player", "is not in the tournament")
    given = {"rating": command.rating, "seed": command.seed}
    changes: dict[str, Any] = {
        name: new for name, new in given.items() if new is not None and new != getattr(entry, name)
    }
    if changes.get("rating", 0) > MOST_RATING:
        raise BadValue("rating", phrase("at most {most_rating}", most_rating=MOST_RATING))
    if "seed" in changes and not can_renumber(state):
        raise BadValue("seed", "pairing numbers stay as they are from now on")
    if command.replacement not in (None, command.player):
        require_replaceable(state, command.player, str(command.replacement))
        changes["player"] = command.replacement
    if not changes:
        return ()
    renumbers = can_renumber(state)
    return (events.EntryCorrected(player=command.player, changes=changes, renumbers=renumbers),)


def require_replaceable(state: TournamentState, player: str, replacement: str) -> None:
    """Raise BadValue for an entrant with games, AlreadyEntered if the replacement plays too."""
    if replacement in state.entries:
        raise AlreadyEntered
    pairings = (pairing for round in state.rounds for pairing in round.pairings)
    if any(one.game is not None and player in (one.first, one.second) for one in pairings):
        raise BadValue("name", "their games have the name already")


def remove_entry(
    command: commands.RemoveEntry, state: TournamentState, actor: Actor
) -> Sequence[Event]:
    """Remove an entry that has never been paired; no events if there is none.

    Raises BadValue if it has been paired, RoundPending or TournamentOver.
    """
    require_arbiter(state, actor)
    require_unfinished(state)
    require_settled(state)
    if command.player not in state.entries:
        return ()
    scheduled = bool(state.rounds) and state.rules.kind not in LATE
    if scheduled or is_paired(state, command.player):
        raise BadValue("player", "has been paired; withdraw them instead")
    return (events.EntryRemoved(player=command.player),)


def is_paired(state: TournamentState, player: str) -> bool:
    """Whether a player has a board or the pairing-allocated bye in any round."""
    return any(
        any(player in (one.first, one.second) for one in round.pairings)
        or any(player == bye.entrant for bye in round.byes)
        for round in state.rounds
    )


def cancel_tournament(
    command: commands.Cancel, state: TournamentState, actor: Actor
) -> Sequence[Event]:
    """Cancel a tournament that has no rounds; no events if it is cancelled already.

    Raises RoundPending, RoundsPaired or TournamentOver.
    """
    require_arbiter(state, actor)
    if state.cancelled:
        return ()
    require_unfinished(state)
    require_settled(state)
    if state.rounds:
        raise RoundsPaired(len(state.rounds))
    return (events.TournamentCancelled(),)


def require_settled(state: TournamentState) -> None:
    """Raise RoundPending while a round is being made."""
    if state.pending is not None:
        raise RoundPending(state.pending.number)
