"""Players as the rest of the service uses them: names, and the tokens they are given."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from service.errors import BadValue, NotFound, WrongExpectedVersion
from service.ids import derived_id, keyed_digest, new_id
from service.log.interface import EventLog
from service.log.values import Append, Event, Receipt
from service.player import events
from service.player.admins import ADMIN_LASTS, Admins
from service.player.authentication import Bearers
from service.player.changes import (
    Change,
    after,
    check_recorded_name,
    erasure,
    issued,
    merger,
    parting,
    revocation,
)
from service.player.names.rules import NOBODY, chosen_name
from service.player.state import KIND, PlayerState, fold, stream_of
from service.player.tokens import NewToken, bearer_of, digest_of, id_of, new_token

ATTEMPTS = 20


class Players:
    """The players in a log. Safe for threads: a change that another overtook is made again.

    Beside a player's stream stand `name` and, for each token, `token:<id>` with the SHA-256 of
    its secret, its scopes and its expiry: one look-up tells who a bearer is. `bearers` are told
    of every change.
    """

    def __init__(
        self,
        log: EventLog,
        clock: Callable[[], int],
        secret: bytes,
        bearers: Bearers,
        admins: Admins,
    ) -> None:
        self.log = log
        self.clock = clock
        self.secret = secret
        self.bearers = bearers
        self.admins = admins

    def load(self, id: str) -> PlayerState:
        """The state of a player; raises NotFound."""
        state = fold(id, self.log.read(stream_of(id)))
        if state is None:
            raise NotFound(KIND, id)
        return state

    def exist(self, ids: Iterable[str]) -> None:
        """Raise NotFound for the first id that is no player's, or an erased one's."""
        ids = list(ids)
        for id, name in zip(ids, self._names(ids), strict=True):
            if name is None:
                raise NotFound(KIND, id)

    def names(self, ids: Iterable[str | None]) -> dict[str, str]:
        """The names of these players by id; `?` for an erased one.

        One who is merged into another has the other's.
        """
        return {id: name or NOBODY for id, (_, name) in self.known(ids).items()}

    def known(self, ids: Iterable[str | None]) -> dict[str, tuple[str, str | None]]:
        """Who these players are by id: the id of whom they were merged into, or their own, and
        the name there, None for an erased one.
        """
        wanted = list(dict.fromkeys(id for id in ids if id is not None))
        asked = [(stream_of(id), field) for id in wanted for field in ("name", "into")]
        found = self.log.attributes(asked)
        own = dict(zip(wanted, found[::2], strict=True))
        merged = {id: into for id, into in zip(wanted, found[1::2], strict=True) if into}
        # Mergers go in no circle, so that this ends.
        others = self.known(merged.values()) if merged else {}
        return {id: others[merged[id]] if id in merged else (id, name) for id, name in own.items()}

    def _names(self, ids: Sequence[str]) -> list[str | None]:
        return self.log.attributes([(stream_of(id), "name") for id in ids])

    def register(
        self,
        name: str,
        by: str | None = None,
        scopes: Sequence[str] = ("play",),
        *,
        id: str | None = None,
        reserved: bool = False,
        expires: int | None = None,
        receipt: Receipt | None = None,
    ) -> NewPlayer:
        """A new player with a first token; raises BadValue, and AlreadyDone for a used receipt.

        Only the service's own players have a `reserved` name.
        """
        name = name if reserved else chosen_name(name)
        id = id or new_id()
        secret = self._retold_secret(id, receipt) if receipt else fresh_secret()
        made = new_token(id, secret, scopes, expires, self.clock())
        registered: list[Event] = [events.PlayerRegistered(claimed=True), issued(made.token)]
        self.log.append(
            Append(
                stream=stream_of(id),
                expected=0,
                events=registered,
                at=made.token.issued_at,
                by=by or id,
                attributes={"name": name, **made.kept()},
                receipt=receipt,
            )
        )
        return NewPlayer(id, name, made)

    def registered_with(self, id: str, receipt: Receipt) -> NewPlayer:
        """What `register` gave for this receipt; raises NotFound once the token is gone."""
        secret = self._retold_secret(id, receipt)
        token = self.load(id).tokens.get(id_of(digest_of(secret)))
        if token is None:
            raise NotFound("token", id)
        return NewPlayer(id, self.names([id])[id], NewToken(token, bearer_of(id, secret)))

    def unclaimed(self, name: str, by: str) -> str:
        """The id of the player known from records under exactly this name, made if need be.

        Raises BadValue or BadAnnotation for a name that no record could hold.
        """
        check_recorded_name(name)
        for attempt in range(1000):
            id = derived_id(self.secret, "unclaimed", name, str(attempt))
            known = self.log.attributes([(stream_of(id), "name")])[0]
            if known is not None:
                return id
            try:
                self.log.append(self._unclaimed(name, id, by))
                return id
            except WrongExpectedVersion:
                # Made by another request just now, or erased: then the next id is free.
                if self.log.attributes([(stream_of(id), "name")])[0] is not None:
                    return id
        raise BadValue("name", "too many players of this name were erased")

    def all_unclaimed(self, names: Iterable[str], by: str) -> dict[str, str]:
        """The ids of the players known from records under these names, as `unclaimed` has them.

        However many they are, they cost two round trips.
        """
        ids = {name: derived_id(self.secret, "unclaimed", name, "0") for name in names}
        known = dict(zip(ids, self._names(list(ids.values())), strict=True))
        missing = [name for name, kept in known.items() if kept is None]
        made = self.log.append_each([self._unclaimed(name, ids[name], by) for name in missing])
        for name, outcome in zip(missing, made, strict=True):
            if not isinstance(outcome, int):
                ids[name] = self.unclaimed(name, by)
        return ids

    def _unclaimed(self, name: str, id: str, by: str) -> Append:
        return Append(
            stream=stream_of(id),
            expected=0,
            events=[events.PlayerRegistered(claimed=False)],
            at=self.clock(),
            by=by,
            attributes={"name": name},
        )

    def issue(
        self, id: str, scopes: Sequence[str], by: str, expires: int | None = None
    ) -> NewToken:
        """A further token for a player; raises NotFound or BadValue."""
        made = new_token(id, fresh_secret(), scopes, expires, self.clock())
        self._change(id, by, lambda state: Change([issued(made.token)], made.kept()))
        return made

    def revoke(self, id: str, token: str, by: str) -> None:
        """Make a token good for nothing; raises NotFound, and LastAdmin for the last of one."""
        self._remove(id, by, lambda state: revocation(state, token))

    def rotate(self, id: str, token: str, by: str, until: int | None = None) -> NewToken:
        """Replace a token by a new one with the same scopes and expiry, `until` at the latest.

        Raises NotFound.
        """
        old = self._living(id).tokens.get(token)
        if old is None:
            raise NotFound("token", token)
        ends = [end for end in (old.expires, until) if end is not None]
        made = new_token(id, fresh_secret(), old.scopes, min(ends, default=None), self.clock())

        def replacement(state: PlayerState) -> Change:
            revoked = revocation(state, token)
            return Change(
                [*revoked.events, issued(made.token)], {**revoked.attributes, **made.kept()}
            )

        self._change(id, by, replacement)
        return made

    def rename(self, id: str, name: str, by: str) -> None:
        """Give a player another name, in all games at once; raises NotFound or BadValue."""
        chosen = chosen_name(name)
        self._change(id, by, lambda state: Change([events.PlayerRenamed()], {"name": chosen}))

    def merge(self, id: str, into: str, by: str) -> None:
        """Let a player known from records alone be another one, in all games at once.

        Raises NotFound, and BadValue for mergers in a circle.
        """
        last: str | None = into
        while last is not None:
            if last == id:
                raise BadValue("into", "another player, who is not merged into this one")
            last = self._living(last).merged_into
        self._change(id, by, lambda state: merger(state, into))

    def part(self, id: str, by: str) -> None:
        """Take a merger back; raises NotFound."""
        self._change(id, by, parting)

    def erase(self, id: str, by: str) -> None:
        """Remove a player's name and tokens for good; raises NotFound and LastAdmin."""
        self._remove(id, by, erasure)

    def _retold_secret(self, id: str, receipt: Receipt) -> str:
        # A retried registration must show the same token again, and no store keeps it: so it is
        # derived from the request's key.
        return keyed_digest(self.secret, "token", id, receipt.key)

    def _living(self, id: str) -> PlayerState:
        state = self.load(id)
        if state.erased:
            raise NotFound(KIND, id)
        return state

    def _remove(self, id: str, by: str, decide: Callable[[PlayerState], Change]) -> None:
        """A change that may end what a player's tokens are good for; raises LastAdmin."""

        def checked(state: PlayerState) -> Change:
            change, now = decide(state), self.clock()
            changed = after(state, change)
            if any(state.is_admin(at) > changed.is_admin(at) for at in (now, now + ADMIN_LASTS)):
                self.admins.check_not_last(state)
            return change

        if self._living(id).is_admin(self.clock()):
            with self.admins.alone():
                self._change(id, by, checked)
        else:
            self._change(id, by, decide)

    def _change(self, id: str, by: str, decide: Callable[[PlayerState], Change]) -> None:
        for _ in range(ATTEMPTS):
            state = self._living(id)
            change = decide(state)
            try:
                self.log.append(
                    Append(
                        stream=stream_of(id),
                        expected=state.version,
                        events=change.events,
                        at=self.clock(),
                        by=by,
                        attributes=change.attributes,
                    )
                )
            except WrongExpectedVersion as error:
                conflict = error
            else:
                self.bearers.forget()
                return
        raise conflict


@dataclass(frozen=True, slots=True)
class NewPlayer:
    """A player just registered, with their first token."""

    id: str
    name: str
    token: NewToken


def fresh_secret() -> str:
    """The secret of a new token: 256 random bits in hexadecimal."""
    return secrets.token_hex(32)
