"""Players: their names and their tokens."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from notation.errors import BadAnnotation
from service.composition.service import CODEC
from service.errors import BadValue, NotFound, WrongExpectedVersion
from service.log.errors import AlreadyDone
from service.log.values import Append, Receipt
from service.player import events
from service.player.actor import Actor
from service.player.commands import Principal
from service.player.decide import EXPIRED_KEPT
from service.player.repository import Players
from service.player.state import KIND, stream_of
from tests.service.player.support import NOBODY, Clock, players_of, refused


def logged(players: Players, id: str) -> str:
    """Everything in a player's stream, as text."""
    return " ".join(CODEC.encode(entry.event) for entry in players.log.read(stream_of(id)))


def test_a_registered_player_has_a_name_and_a_token(players: Players, clock: Clock) -> None:
    ana = players.register("Ana Ž.", None, scopes=("play", "arbiter"))
    who = players.bearers.authenticate(ana.token.secret)
    assert who.actor == Actor(ana.id, frozenset({"play", "arbiter"}))
    assert who.token == ana.token.token.id
    assert players.names([ana.id, None, ana.id]) == {ana.id: "Ana Ž."}
    state = players.load(ana.id)
    assert (state.version, state.claimed, state.erased) == (2, True, False)
    assert state.registered_at == clock.now
    assert state.tokens == {ana.token.token.id: ana.token.token}


def test_a_long_log_is_read_once(
    players: Players, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana = players.register("Ana", None)
    for number in range(20):
        players.rename(ana.id, f"Ana {number}", ana.id)
    other = players_of(players.log, clock)
    other.load(ana.id)
    read: list[int] = []
    read_log = other.log.read

    def count(*asked: Any) -> Any:
        found = read_log(*asked)
        read.append(len(found))
        return found

    monkeypatch.setattr(other.log, "read", count)
    issued = players.issue(ana.id, ["play"], Principal(ana.id, None))
    read.clear()
    assert issued.token.id in other.load(ana.id).tokens, "another process is followed"
    assert sum(read) == 2
    players.erase(ana.id, Principal(ana.id, None))
    assert other.load(ana.id).tokens == {}


def test_names_are_not_unique(players: Players) -> None:
    assert players.register("Ana", None).id != players.register("Ana", None).id


def test_neither_names_nor_secrets_are_in_the_log(players: Players) -> None:
    ana = players.register("Ana Žagar", None)
    players.rename(ana.id, "Ana Mlakar", ana.id)
    secret = ana.token.secret.rpartition("_")[2]
    kept = " ".join(players.log.all_attributes(stream_of(ana.id)).values())
    for hidden in ("Žagar", "Mlakar", secret):
        assert hidden not in logged(players, ana.id)
    assert "Žagar" not in kept
    assert secret not in kept


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\nb", "a\0", "\u202eevil", "\ud800"])
def test_a_name_nobody_can_read_is_refused(players: Players, name: str) -> None:
    with pytest.raises(BadValue, match="printable") as error:
        players.register(name, None)
    assert error.value.field == "name"
    ana = players.register("Ana", None)
    with pytest.raises(BadValue):
        players.rename(ana.id, name, ana.id)
    assert players.load(ana.id).version == 2


@pytest.mark.parametrize("scopes", [(), ("play", "god"), ("",)])
def test_scopes_that_are_none_are_refused(players: Players, scopes: tuple[str, ...]) -> None:
    with pytest.raises(BadValue, match="some of play, arbiter, admin"):
        players.register("Ana", None, scopes=scopes)
    ana = players.register("Ana", None)
    with pytest.raises(BadValue):
        players.issue(ana.id, scopes, Principal("admin", None))


def test_a_retried_registration_shows_the_same_token(players: Players, clock: Clock) -> None:
    receipt = Receipt("k" * 64, "f", 201, 0, 0)
    ana = players.register("Ana", None, id=NOBODY, receipt=receipt)
    with pytest.raises(AlreadyDone):
        players.register("Ana", None, id=NOBODY, receipt=receipt)
    players.rename(NOBODY, "Ana B.", NOBODY)
    again = players.registered_with(NOBODY, receipt)
    assert (again.id, again.token, again.name) == (ana.id, ana.token, "Ana B.")
    assert players.bearers.authenticate(again.token.secret).actor.player == NOBODY
    other = players_of(players.log, clock, b"t" * 32)
    with pytest.raises(NotFound):
        other.registered_with(NOBODY, receipt)
    players.revoke(NOBODY, ana.token.token.id, Principal(NOBODY, None))
    with pytest.raises(NotFound, match="no token has the id"):
        players.registered_with(NOBODY, receipt)


def test_a_rotated_token_gives_its_place_to_one_of_its_kind(players: Players, clock: Clock) -> None:
    ana = players.register("Ana", None, scopes=("play", "admin"), expires=clock.now + 1000)
    new = players.rotate(ana.id, ana.token.token.id, Principal(ana.id, None))
    assert refused(players, ana.token.secret)
    assert players.bearers.authenticate(new.secret).actor.scopes == {"play", "admin"}
    assert (new.token.scopes, new.token.expires) == (("play", "admin"), clock.now + 1000)
    with pytest.raises(NotFound):
        players.rotate(ana.id, ana.token.token.id, Principal(ana.id, None))
    clock.now += 1000
    with pytest.raises(BadValue):
        players.rotate(ana.id, new.token.id, Principal(ana.id, None))


def test_tokens_that_expired_long_ago_are_forgotten(players: Players, clock: Clock) -> None:
    ana = players.register("Ana", None)
    for_oneself = Principal(ana.id, None)
    old = players.issue(ana.id, ["play"], for_oneself, expires=clock.now + 10, name="Bot")
    clock.now += EXPIRED_KEPT
    recent = players.issue(ana.id, ["play"], for_oneself, expires=clock.now + 10)
    assert set(players.load(ana.id).tokens) == {one.token.id for one in (ana.token, old, recent)}
    clock.now += 10
    new = players.issue(ana.id, ["play"], for_oneself)
    assert set(players.load(ana.id).tokens) == {one.token.id for one in (ana.token, recent, new)}
    assert old.token.id not in str(players.log.all_attributes(stream_of(ana.id)))
    assert refused(players, old.secret)
    assert players.bearers.authenticate(new.secret).token == new.token.id


def test_an_erased_player_has_neither_name_nor_token(players: Players) -> None:
    ana = players.register("Ana", None)
    further = players.issue(ana.id, ["play"], Principal("admin", None))
    players.erase(ana.id, Principal("admin", None))
    assert refused(players, ana.token.secret)
    assert refused(players, further.secret)
    assert players.names([ana.id]) == {ana.id: "?"}
    assert players.load(ana.id).erased
    assert dict(players.log.all_attributes(stream_of(ana.id))) == {}
    with pytest.raises(NotFound):
        players.exist([ana.id])
    for change in (
        lambda: players.rename(ana.id, "Ana", "admin"),
        lambda: players.issue(ana.id, ["play"], Principal("admin", None)),
        lambda: players.revoke(ana.id, further.token.id, Principal("admin", None)),
        lambda: players.rotate(ana.id, further.token.id, Principal("admin", None)),
        lambda: players.erase(ana.id, Principal("admin", None)),
    ):
        with pytest.raises(NotFound):
            change()


def test_a_player_who_is_none_is_not_found(players: Players) -> None:
    with pytest.raises(NotFound, match="no player has the id") as error:
        players.load(NOBODY)
    assert (error.value.kind, error.value.id) == ("player", NOBODY)
    with pytest.raises(NotFound):
        players.issue(NOBODY, ["play"], Principal("admin", None))
    ana = players.register("Ana", None)
    players.exist([ana.id])
    with pytest.raises(NotFound):
        players.exist([ana.id, NOBODY])


def test_a_renamed_player_is_renamed_everywhere(players: Players) -> None:
    ana = players.register("Ana", None)
    players.rename(ana.id, "Ana B.", ana.id)
    assert players.names([ana.id]) == {ana.id: "Ana B."}
    assert isinstance(players.log.read(stream_of(ana.id))[-1].event, events.PlayerRenamed)


def test_a_name_from_records_is_one_player(players: Players) -> None:
    id = players.unclaimed("Iljin, A.", "p1")
    assert players.unclaimed("Iljin, A.", "p2") == id
    assert players.unclaimed("Iljin, A", "p1") != id
    state = players.load(id)
    assert (state.claimed, state.tokens, state.version) == (False, {}, 1)
    players.issue(id, ["play"], Principal("admin", None))
    assert players.load(id).claimed


def test_a_name_from_records_is_kept_as_written(players: Players) -> None:
    for name in (" Ana\u00a0B. ", "x" * 255, 'A "B" \\ C'):
        assert players.names([players.unclaimed(name, "p1")]).popitem()[1] == name
    with pytest.raises(BadValue):
        players.unclaimed("x" * 256, "p1")
    with pytest.raises(BadValue):
        players.unclaimed(" ", "p1")
    with pytest.raises(BadAnnotation):
        players.unclaimed("a\nb", "p1")


def test_who_was_erased_does_not_come_back_with_the_next_record(players: Players) -> None:
    id = players.unclaimed("Ana", "p1")
    players.erase(id, Principal("admin", None))
    again = players.unclaimed("Ana", "p1")
    assert again != id
    assert players.unclaimed("Ana", "p1") == again
    assert players.names([id]) == {id: "?"}


def test_a_name_taken_by_another_import_just_now_is_theirs_too(
    players: Players, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overtaken(request: Append) -> int:
        monkeypatch.undo()
        players_of(players.log, clock).unclaimed("Ana", "p2")
        return players.log.append(request)

    monkeypatch.setattr(players.log, "append", overtaken)
    id = players.unclaimed("Ana", "p1")
    assert players.load(id).version == 1


def test_changes_at_the_same_time_are_all_made(players: Players) -> None:
    ana = players.register("Ana", None)
    with ThreadPoolExecutor(4) as pool:
        made = list(
            pool.map(lambda n: players.issue(ana.id, ["play"], Principal(str(n), None)), range(12))
        )
    assert set(players.load(ana.id).tokens) == {m.token.id for m in (*made, ana.token)}
    for token in made:
        assert players.bearers.authenticate(token.secret).token == token.token.id


def test_a_change_that_is_overtaken_for_ever_gives_up(
    players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana = players.register("Ana", None)

    def overtaken(request: Append) -> int:
        raise WrongExpectedVersion(str(request.stream), request.expected, request.expected + 1)

    monkeypatch.setattr(players.log, "append", overtaken)
    with pytest.raises(WrongExpectedVersion):
        players.rename(ana.id, "B", ana.id)


def test_of_names_from_records_that_are_refused_nobody_is_made(players: Players) -> None:
    with pytest.raises(BadAnnotation):
        players.all_unclaimed(["Ana", "a\nb"], "x")
    assert players.log.streams(KIND) == []
    known = players.all_unclaimed(["Ana", "Bea", "Ana"], "x")
    assert known == {name: players.unclaimed(name, "y") for name in ("Ana", "Bea")}
