"""Sessions: the rights that they carry, and how they end."""

from __future__ import annotations

import pytest

from service.accounts.account import Way
from service.accounts.sessions import LASTS, MOST, MOST_OF_TOKEN, NOTED
from service.log.values import Recorded, StreamId
from service.player.authentication import TRUSTED
from service.player.commands import Principal
from service.player.errors import BadToken
from service.player.scopes import ADMIN, ARBITER, PLAY
from service.player.tokens import SESSION_PREFIX
from tests.service.accounts.support import GOOD, HOME, Parts


def test_a_session_has_its_players_rights(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    own = parts.accounts.begin_session(ada, Way.PASSWORD, HOME)
    assert own.startswith(f"{SESSION_PREFIX}_{ada}_")
    bearer = parts.bearers.authenticate(own)
    assert (bearer.actor.player, bearer.token) == (ada, None)
    assert bearer.actor.scopes == {PLAY}
    made = parts.players.issue(ada, [ARBITER], Principal("admin", None), parts.clock.now + 5000)
    assert parts.bearers.authenticate(own).actor.scopes == {PLAY, ARBITER}
    parts.players.revoke(ada, made.token.id, Principal(ada, None))
    assert parts.bearers.authenticate(own).actor.scopes == {PLAY}
    parts.players.issue(ada, [ARBITER], Principal("admin", None), parts.clock.now + 500)
    assert parts.bearers.authenticate(own).actor.scopes == {PLAY, ARBITER}
    parts.clock.now += 500
    assert parts.bearers.authenticate(own).actor.scopes == {PLAY}


def test_a_session_of_a_token_has_its_rights_and_ends_with_it(parts: Parts) -> None:
    root = parts.players.register("Root", None, scopes=[PLAY, ADMIN])
    lesser = parts.players.issue(root.id, [PLAY], Principal(root.id, None)).token
    own = parts.accounts.begin_session(root.id, Way.TOKEN, HOME, lesser.id)
    bearer = parts.bearers.authenticate(own)
    assert bearer.actor.scopes == {PLAY}
    assert bearer.token == lesser.id
    parts.players.revoke(root.id, lesser.id, Principal(root.id, None))
    with pytest.raises(BadToken):
        parts.bearers.authenticate(own)


def test_a_session_that_is_ended_is_good_for_nothing_at_once(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    own, other = (parts.accounts.begin_session(ada, Way.PASSWORD, HOME) for _ in range(2))
    bearer = parts.bearers.authenticate(own)
    parts.bearers.authenticate(other)
    assert len(parts.sessions.list_current(ada)) == 2
    parts.accounts.end_other_sessions(bearer)
    with pytest.raises(BadToken):
        parts.bearers.authenticate(other)
    assert parts.bearers.authenticate(own) == bearer
    assert [one.id for one in parts.sessions.list_current(ada)] == [bearer.session]


def test_a_session_lapses_when_nobody_uses_it(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    own = parts.accounts.begin_session(ada, Way.PASSWORD, HOME)
    for _ in range(3):
        parts.clock.now += LASTS - 1
        assert parts.bearers.authenticate(own).actor.player == ada
    parts.clock.now += LASTS
    with pytest.raises(BadToken):
        parts.bearers.authenticate(own)
    assert parts.sessions.list_current(ada) == []


def test_use_that_is_noted_late_brings_no_ended_session_back(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    parts.accounts.begin_session(ada, Way.PASSWORD, HOME)
    (session,) = parts.sessions.list_current(ada)
    parts.sessions.end(ada, session.id)
    parts.store.replace_part(ada, f"session:{session.id}", session.to_json())
    assert parts.sessions.list_current(ada) == []
    assert NOTED < LASTS


def test_other_processes_refuse_an_ended_session_within_a_second(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    own = parts.accounts.begin_session(ada, Way.PASSWORD, HOME)
    session = parts.bearers.authenticate(own).session
    assert session is not None
    # As when another process ends it.
    parts.sessions.end(ada, session)
    parts.clock.now += TRUSTED
    with pytest.raises(BadToken):
        parts.bearers.authenticate(own)


def test_a_session_is_found_without_reading_all_of_its_players_log(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    own = parts.accounts.begin_session(ada, Way.PASSWORD, HOME)
    for number in range(5):
        parts.players.rename(ada, f"Ada {number}", ada)
    parts.bearers.authenticate(own)
    read: list[int] = []
    log = parts.players.log
    whole = log.read

    def count(stream: StreamId, after: int = 0, limit: int | None = None) -> list[Recorded]:
        found = whole(stream, after, limit)
        read.append(len(found))
        return found

    monkeypatch.setattr(log, "read", count)
    parts.bearers.forget()
    parts.bearers.authenticate(own)
    assert read == [1]


def test_a_player_has_so_many_sessions_at_most(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    first = parts.accounts.begin_session(ada, Way.PASSWORD, HOME)
    for _ in range(MOST):
        parts.clock.now += 1
        newest = parts.accounts.begin_session(ada, Way.PASSWORD, HOME)
    assert len(parts.sessions.list_current(ada)) == MOST
    assert parts.bearers.authenticate(newest).actor.player == ada
    with pytest.raises(BadToken):
        parts.bearers.authenticate(first)


def test_sessions_of_a_token_end_no_other_sessions(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    bot, other = (parts.players.issue(ada, [PLAY], Principal(ada, None)).token for _ in range(2))
    own = [parts.accounts.begin_session(ada, Way.PASSWORD, HOME) for _ in range(MOST)]
    own.append(parts.accounts.begin_session(ada, Way.TOKEN, HOME, other.id))
    for _ in range(MOST):
        parts.clock.now += 1
        newest = parts.accounts.begin_session(ada, Way.TOKEN, HOME, bot.id)
    for one in (*own, newest):
        assert parts.bearers.authenticate(one).actor.player == ada
    begun = [one for one in parts.sessions.list_current(ada) if one.token == bot.id]
    assert len(begun) == MOST_OF_TOKEN


def test_sessions_of_revoked_tokens_take_no_room(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    bot = parts.players.issue(ada, [PLAY], Principal(ada, None)).token
    parts.accounts.begin_session(ada, Way.TOKEN, HOME, bot.id)
    parts.players.revoke(ada, bot.id, Principal(ada, None))
    parts.accounts.begin_session(ada, Way.PASSWORD, HOME)
    assert [one.token for one in parts.store.load(ada).sessions] == [None]


@pytest.mark.parametrize("secret", ["", "0" * 64, "x", "ž"])
def test_a_made_up_session_is_nobodys(parts: Parts, secret: str) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    with pytest.raises(BadToken):
        parts.bearers.authenticate(f"{SESSION_PREFIX}_{ada}_{secret}")
    with pytest.raises(BadToken):
        parts.bearers.authenticate(f"{SESSION_PREFIX}_{'a' * 16}_{secret}")


def test_an_erased_players_session_ends(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    own = parts.accounts.begin_session(ada, Way.PASSWORD, HOME)
    parts.players.erase(ada, Principal(ada, None))
    with pytest.raises(BadToken):
        parts.bearers.authenticate(own)
