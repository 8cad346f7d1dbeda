"""What may happen to a player, and what records may call them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from notation.annotation import check_tag
from service.errors import BadValue, NotFound
from service.log.values import Event, Recorded
from service.player import events
from service.player.state import PlayerState, Token, evolve
from service.player.tokens import field_of

MAX_RECORDED_NAME = 255


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to a player: the events, and what changes beside their stream."""

    events: Sequence[Event]
    attributes: Mapping[str, str | None]


def after(state: PlayerState, change: Change) -> PlayerState:
    """The player once the change is made."""
    for number, event in enumerate(change.events, state.version + 1):
        state = evolve(state, Recorded(number, event, state.registered_at, state.id))
    return state


def issued(token: Token) -> events.TokenIssued:
    """A token as the event of its issue."""
    return events.TokenIssued(token=token.id, scopes=token.scopes, expires=token.expires)


def revocation(state: PlayerState, token: str) -> Change:
    """The end of a token; raises NotFound."""
    if token not in state.tokens:
        raise NotFound("token", token)
    return Change([events.TokenRevoked(token=token)], {field_of(token): None})


def merger(state: PlayerState, into: str) -> Change:
    """The player is another one; raises BadValue for one who is somebody with a token."""
    if state.claimed:
        raise BadValue("id", "only a player known from records alone can be merged")
    return Change([events.PlayerMerged(into=into)], {"into": into})


def parting(state: PlayerState) -> Change:
    """The end of a merger; nothing where there is none."""
    if state.merged_into is None:
        return Change([], {})
    return Change([events.PlayerParted()], {"into": None})


def erasure(state: PlayerState) -> Change:
    """The end of all that names a player or lets somebody be them."""
    tokens = dict.fromkeys(map(field_of, state.tokens))
    return Change([events.PlayerErased()], {"name": None, **tokens})


def check_recorded_name(name: str) -> None:
    """Raise BadValue or BadAnnotation for what no record could hold as a player's name."""
    if not name.strip() or len(name) > MAX_RECORDED_NAME:
        raise BadValue("name", f"1 to {MAX_RECORDED_NAME} characters")
    check_tag("Name", name)
