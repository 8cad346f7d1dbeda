"""`decide(state, command, principal)`: the events of a command to a player, or an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from service.errors import BadValue, NotFound
from service.log.values import Event
from service.player import commands as c
from service.player import events
from service.player.errors import TooManyTokens
from service.player.granting import check_scopes, granted_expiry
from service.player.names.name_policy import chosen_name
from service.player.names.recorded import check_recorded_name
from service.player.scopes import ADMIN
from service.player.state import KIND, PlayerState, Token
from service.player.tokens import attribute_of, field_of, new_token

MOST_TOKENS: Final = 100
"""The most valid tokens with which a player may issue another to themselves."""
EXPIRED_KEPT: Final = 7 * 24 * 3600 * 1000
"""Milliseconds for which an expired token is still listed, until another one is issued."""


def create(command: c.NewPlayerCommand, principal: c.Principal) -> Sequence[Event]:
    """The events of a new player; raises BadValue, or BadAnnotation for a name from records."""
    if isinstance(command, c.RegisterUnclaimed):
        check_recorded_name(command.name)
        return (events.PlayerRegistered(claimed=False),)
    name_of(command)
    if command.secret is None:
        return (events.PlayerRegistered(claimed=True),)
    expires = command.expires
    if principal.grant is not None:
        end = principal.grant.find_end((*command.scopes, ADMIN))
        expires = granted_expiry(end, expires)
    token = new_token(command.secret, command.scopes, expires, command.at)
    return (events.PlayerRegistered(claimed=True), issued(token))


def decide(command: c.PlayerCommand, state: PlayerState, principal: c.Principal) -> Sequence[Event]:
    """The events of a command to a player.

    Raises NotFound for an erased player or a token that is not theirs, MissingScope and
    ExceedsToken for more than the principal's own grant allows, TooManyTokens, and BadValue.
    """
    if state.erased:
        raise NotFound(KIND, state.id)
    match command:
        case c.IssueToken():
            return (*forget_expired(state, command.at), issue_token(command, state, principal))
        case c.RevokeToken(token=token):
            covered_token(state, token, principal)
            return (events.TokenRevoked(token=token),)
        case c.RotateToken():
            return rotate_token(command, state, principal)
        case c.RenamePlayer(name=name):
            chosen_name(name)
            return (events.PlayerRenamed(),)
        case c.MergePlayer(into=into):
            if state.claimed:
                raise BadValue("id", "only a player known from records alone can be merged")
            return (events.PlayerMerged(into=into),)
        case c.PartPlayer():
            return () if state.merged_into is None else (events.PlayerParted(),)
        case c.DistinguishPlayer(other=other):
            if other == state.id:
                raise BadValue("other", "the id of another player")
            settled = other in state.distinct_from
            return () if settled else (events.PlayerDistinguished(other=other),)
        case c.ErasePlayer(at=at):
            for held in state.tokens.values():
                if held.is_good(at):
                    check_covers(principal, held)
            return (events.PlayerErased(),)


def issue_token(
    command: c.IssueToken, state: PlayerState, principal: c.Principal
) -> events.TokenIssued:
    """The event of another token; raises TooManyTokens, but not to an admin who lets others in."""
    expires = command.expires
    if principal.grant is not None:
        if principal.player == state.id:
            check_room(state, command.at)
        check_scopes(principal.grant, command.scopes)
        expires = granted_expiry(find_end(principal, state, command.scopes), expires)
    return issued(new_token(command.secret, command.scopes, expires, command.at))


def forget_expired(state: PlayerState, now: int) -> Sequence[Event]:
    """The events by which a player no longer has tokens that expired long ago."""
    return tuple(
        events.TokenRevoked(token=token.id)
        for token in state.tokens.values()
        if token.expires is not None and token.expires + EXPIRED_KEPT <= now
    )


def check_room(state: PlayerState, now: int) -> None:
    """Raise TooManyTokens if the player has as many valid tokens as one may have."""
    if sum(token.is_good(now) for token in state.tokens.values()) >= MOST_TOKENS:
        raise TooManyTokens(MOST_TOKENS)


def rotate_token(
    command: c.RotateToken, state: PlayerState, principal: c.Principal
) -> Sequence[Event]:
    """The events that replace an old token with a new one."""
    old = covered_token(state, command.token, principal)
    until = find_end(principal, state, old.scopes)
    ends = [end for end in (old.expires, until) if end is not None]
    token = new_token(command.secret, old.scopes, min(ends, default=None), command.at)
    return (events.TokenRevoked(token=old.id), issued(token))


def find_end(principal: c.Principal, state: PlayerState, scopes: Sequence[str]) -> int | None:
    """Until when the principal may give a player these scopes; None for ever.

    An admin gives scopes to others as an admin, so only for as long as they are one.
    """
    if principal.grant is None:
        return None
    by_right = () if principal.player == state.id else (ADMIN,)
    return principal.grant.find_end((*scopes, *by_right))


def covered_token(state: PlayerState, id: str, principal: c.Principal) -> Token:
    """A token of the player that the principal may take away; raises NotFound or MissingScope."""
    token = state.tokens.get(id)
    if token is None:
        raise NotFound("token", id)
    check_covers(principal, token)
    return token


def check_covers(principal: c.Principal, token: Token) -> None:
    """Raise MissingScope unless the principal's own grant has all scopes of this one."""
    if principal.grant is not None:
        check_scopes(principal.grant, token.scopes)


def issued(token: Token) -> events.TokenIssued:
    """The event by which a token is issued."""
    return events.TokenIssued(token=token.id, scopes=token.scopes, expires=token.expires)


def name_of(command: c.RegisterPlayer | c.RegisterUnclaimed | c.RenamePlayer) -> str:
    """The name in a command; raises BadValue for one that nobody can choose."""
    if isinstance(command, c.RegisterUnclaimed) or (
        isinstance(command, c.RegisterPlayer) and command.reserved
    ):
        return command.name
    return chosen_name(command.name)


def attributes(
    command: c.NewPlayerCommand | c.PlayerCommand,
    state: PlayerState | None,
    made: Sequence[Event],
) -> Mapping[str, str | None]:
    """The player's attributes that change: name, token hashes, the player they are merged into."""
    found: dict[str, str | None] = {}
    for event in made:
        match event:
            case events.PlayerRegistered() | events.PlayerRenamed():
                assert isinstance(command, c.RegisterPlayer | c.RegisterUnclaimed | c.RenamePlayer)
                found["name"] = name_of(command)
            case events.TokenIssued():
                assert isinstance(command, c.RegisterPlayer | c.IssueToken | c.RotateToken)
                assert command.secret is not None
                name = None if isinstance(command, c.RegisterPlayer) else command.name
                found |= attribute_of(event, command.secret, name)
            case events.TokenRevoked(token=token):
                found[field_of(token)] = None
            case events.PlayerMerged(into=into):
                found["into"] = into
            case events.PlayerParted():
                found["into"] = None
            case events.PlayerErased():
                assert state is not None
                found |= {"name": None, **dict.fromkeys(map(field_of, state.tokens))}
    return found
