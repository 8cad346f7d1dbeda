"""The players in a log: names, and the tokens they are given."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from notation.errors import NotationError
from service.errors import BadValue, NotFound, WrongExpectedVersion
from service.ids import derived_id, keyed_digest, new_id
from service.log.entity import Entity
from service.log.interface import EventLog
from service.log.repository import Done, Repository
from service.log.values import Event, Receipt, Recorded
from service.player import commands as c
from service.player.admins import ADMIN_LASTS, Admins
from service.player.authentication import Bearers
from service.player.commands import NewPlayerCommand, PlayerCommand, Principal
from service.player.decide import attributes, create, decide
from service.player.mergers import follow_line, read_known
from service.player.names.name_policy import NOBODY
from service.player.state import KIND, PlayerState, apply_event, fold, stream_of
from service.player.tokens import (
    NewToken,
    bearer_of,
    digest_of,
    field_of,
    fresh_secret,
    id_of,
)

CACHED: Final = 10_000
"""Players and tokens that are cached together, some 200 bytes each."""
ENDS_TOKENS: Final = (c.RevokeToken, c.RotateToken, c.ErasePlayer)
"""The commands that may leave an admin without a token, now or soon."""


def weigh_player(state: PlayerState) -> int:
    """What a cached player weighs."""
    return 1 + len(state.tokens) + len(state.distinct_from)


class Players(Repository[PlayerState, NewPlayerCommand, PlayerCommand, Principal]):
    """The players in a log.

    Beside a player's stream are `name` and, for each token, `token:<id>` with the SHA-256 of its
    secret, its scopes and its expiry: one look-up identifies a bearer. `bearers` is notified of
    every change.

    Whoever gives or takes away tokens is a `Principal`, whose own token limits what they may do; it
    must be given even if there is no such token.
    """

    def __init__(
        self,
        log: EventLog,
        clock: Callable[[], int],
        secret: bytes,
        bearers: Bearers,
        admins: Admins,
    ) -> None:
        entity = Entity(
            kind=KIND,
            fold=fold,
            create=create,
            decide=self._decide,
            refusals=(NotationError,),
            attributes=attributes,
            cached=CACHED,
            weigh=weigh_player,
        )
        super().__init__(log, clock, entity)
        self.secret = secret
        self.bearers = bearers
        self.admins = admins

    def execute(
        self,
        id: str,
        command: PlayerCommand,
        actor: Principal,
        expected: int | None = None,
        receipt: Receipt | None = None,
    ) -> Done[PlayerState]:
        """Carry out a command; raises what `decide` raises, and LastAdmin.

        A command that may take away an admin's rights runs alone in the service.
        """
        if isinstance(command, ENDS_TOKENS) and self.load(id).is_admin(self.clock()):
            with self.admins.alone():
                done = super().execute(id, command, actor, expected, receipt)
        else:
            done = super().execute(id, command, actor, expected, receipt)
        self.bearers.forget()
        return done

    def _decide(
        self, command: PlayerCommand, state: PlayerState, actor: Principal
    ) -> Sequence[Event]:
        """Decide on the player's state alone; then check that somebody remains an admin."""
        made = decide(command, state, actor)
        if isinstance(command, ENDS_TOKENS):
            after, now = state, self.clock()
            for event in made:
                after = apply_event(after, Recorded(state.version + 1, event, now, actor.player))
            if any(state.is_admin(at) > after.is_admin(at) for at in (now, now + ADMIN_LASTS)):
                self.admins.check_not_last(state)
        return made

    def exist(self, ids: Iterable[str]) -> None:
        """Raise NotFound for the first id that is not a player's, or is an erased player's."""
        ids = list(ids)
        for id, name in zip(ids, self._names(ids), strict=True):
            if name is None:
                raise NotFound(KIND, id)

    def is_admin(self, id: str) -> bool:
        """Whether a player is an admin now."""
        state = self.find(id)
        return state is not None and state.is_admin(self.clock())

    def names(self, ids: Iterable[str | None]) -> dict[str, str]:
        """The names of these players by id; `?` for an erased player.

        A player who was merged into another has the other's name.
        """
        return {id: name for id, (_, name) in self.present_names(ids).items()}

    def present_names(self, ids: Iterable[str | None]) -> dict[str, tuple[str, str]]:
        """Who these players are, by id: the ids as from `known`, the names as from `names`."""
        return {id: (now, name or NOBODY) for id, (now, name) in self.known(ids).items()}

    def known(self, ids: Iterable[str | None]) -> dict[str, tuple[str, str | None]]:
        """Who these players are, by id.

        That is the id of the player they were merged into, or their own, and the name of that
        player, None if erased.
        """
        wanted = list(dict.fromkeys(id for id in ids if id is not None))
        known = read_known(self.log, wanted)
        now = {id: follow_line(known, id)[-1] for id in wanted}
        return {id: (last, known[last].name) for id, last in now.items()}

    def _names(self, ids: Sequence[str]) -> list[str | None]:
        return self.log.attributes([(stream_of(id), "name") for id in ids])

    def register(
        self,
        name: str,
        by: Principal | None,
        scopes: Sequence[str] = ("play",),
        *,
        id: str | None = None,
        reserved: bool = False,
        expires: int | None = None,
        receipt: Receipt | None = None,
    ) -> NewPlayer:
        """Register a player with a first token; raises BadValue, AlreadyDone for a used receipt.

        `by` is None for those who register themselves. Only the service's own players have a
        `reserved` name.
        """
        id = id or new_id()
        secret = self._retold_secret(id, receipt) if receipt else fresh_secret()
        command = c.RegisterPlayer(
            name=name,
            secret=secret,
            scopes=tuple(scopes),
            expires=expires,
            at=self.clock(),
            reserved=reserved,
        )
        state = self.create(id, command, by or Principal(id, None), receipt).state
        return NewPlayer(id, self.names([id])[id], _new_token(state, secret))

    def register_person(self, id: str, name: str) -> str:
        """Register a player without a token, who signs in otherwise; returns the name as stored.

        Raises BadValue.
        """
        command = c.RegisterPlayer(name=name, secret=None, scopes=(), expires=None, at=self.clock())
        self.create(id, command, Principal(id, None))
        return self.names([id])[id]

    def registered_with(self, id: str, receipt: Receipt) -> NewPlayer:
        """What `register` returned for this receipt; raises NotFound once the token is gone."""
        secret = self._retold_secret(id, receipt)
        token = self.load(id).tokens.get(id_of(digest_of(secret)))
        if token is None:
            raise NotFound("token", id)
        return NewPlayer(id, self.names([id])[id], NewToken(token, bearer_of(id, secret)))

    def unclaimed(self, name: str, by: str) -> str:
        """The id of the player known from records under exactly this name, created if need be.

        Raises BadValue or BadAnnotation for a name that no record could hold.
        """
        command = c.RegisterUnclaimed(name=name)
        create(command, Principal(by, None))
        for attempt in range(1000):
            id = derived_id(self.secret, "unclaimed", name, str(attempt))
            if self._names([id])[0] is not None:
                return id
            try:
                self.create(id, command, Principal(by, None))
                return id
            except WrongExpectedVersion:
                # Just created by another request, or erased: then the next id is free.
                if self._names([id])[0] is not None:
                    return id
        raise BadValue("name", "too many players of this name were erased")

    def all_unclaimed(self, names: Iterable[str], by: str) -> dict[str, str]:
        """The ids of the players known from records under these names, as from `unclaimed`.

        This takes two round trips, however many they are. Raises BadValue or BadAnnotation for a
        name that no record could hold; then no player is created.
        """
        names = list(names)
        for name in names:
            create(c.RegisterUnclaimed(name=name), Principal(by, None))
        ids = {name: derived_id(self.secret, "unclaimed", name, "0") for name in names}
        known = dict(zip(ids, self._names(list(ids.values())), strict=True))
        missing = {ids[name]: name for name, kept in known.items() if kept is None}
        commands = {id: c.RegisterUnclaimed(name=name) for id, name in missing.items()}
        for id, outcome in self.create_each(commands, Principal(by, None)).items():
            if not isinstance(outcome, Done):
                ids[missing[id]] = self.unclaimed(missing[id], by)
        return ids

    def issue(
        self,
        id: str,
        scopes: Sequence[str],
        by: Principal,
        expires: int | None = None,
        name: str | None = None,
    ) -> NewToken:
        """Issue another token for a player, under a name; raises what `decide` raises."""
        secret, at = fresh_secret(), self.clock()
        command = c.IssueToken(
            secret=secret, scopes=tuple(scopes), expires=expires, at=at, name=name
        )
        return _new_token(self.execute(id, command, by).state, secret)

    def token_names(self, id: str, tokens: Iterable[str]) -> dict[str, str]:
        """The player's names for those of these tokens that have one, by the tokens' ids."""
        wanted = list(tokens)
        stored = self.log.attributes([(stream_of(id), field_of(token)) for token in wanted])
        names = [None if text is None else json.loads(text).get("name") for text in stored]
        return {token: name for token, name in zip(wanted, names, strict=True) if name is not None}

    def revoke(self, id: str, token: str, by: Principal) -> None:
        """Revoke a token; raises NotFound, and LastAdmin if it is the last admin's last one."""
        self.execute(id, c.RevokeToken(token=token), by)

    def rotate(self, id: str, token: str, by: Principal) -> NewToken:
        """Replace a token with a new one with the same scopes and expiry, or the principal's.

        Raises NotFound.
        """
        secret, name = fresh_secret(), self.token_names(id, [token]).get(token)
        command = c.RotateToken(token=token, secret=secret, at=self.clock(), name=name)
        return _new_token(self.execute(id, command, by).state, secret)

    def rename(self, id: str, name: str, by: str) -> None:
        """Give a player another name, in all games at once; raises NotFound or BadValue."""
        self.execute(id, c.RenamePlayer(name=name), Principal(by, None))

    def merge(self, id: str, into: str, by: str) -> None:
        """Merge a player known only from records into another, in all games at once.

        Raises NotFound, and BadValue for mergers in a circle.
        """
        for other in follow_line(read_known(self.log, [into]), into):
            if other == id:
                raise BadValue("into", "another player, who is not merged into this one")
            self._living(other)
        self.execute(id, c.MergePlayer(into=into), Principal(by, None))

    def part(self, id: str, by: str) -> None:
        """Undo a merger; raises NotFound."""
        self.execute(id, c.PartPlayer(), Principal(by, None))

    def distinguish(self, id: str, other: str, by: str) -> None:
        """Record that two players are not one person; raises NotFound and BadValue."""
        self._living(other)
        self.execute(id, c.DistinguishPlayer(other=other), Principal(by, None))

    def erase(self, id: str, by: Principal) -> None:
        """Remove a player's name and tokens for good; raises NotFound and LastAdmin."""
        self.execute(id, c.ErasePlayer(at=self.clock()), by)

    def _retold_secret(self, id: str, receipt: Receipt) -> str:
        # A retried registration must show the same token again, and no store keeps it: so it is
        # derived from the request's key.
        return keyed_digest(self.secret, "token", id, receipt.key)

    def _living(self, id: str) -> PlayerState:
        state = self.load(id)
        if state.erased:
            raise NotFound(KIND, id)
        return state


@dataclass(frozen=True, slots=True)
class NewPlayer:
    """A newly registered player, with their first token."""

    id: str
    name: str
    token: NewToken


def _new_token(state: PlayerState, secret: str) -> NewToken:
    """The token with this secret, as shown to its player."""
    return NewToken(state.tokens[id_of(digest_of(secret))], bearer_of(state.id, secret))
