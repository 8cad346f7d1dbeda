"""Which player a bearer token belongs to, and which tokens are refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.composition.service import CODEC
from service.errors import BadValue, NotFound
from service.log.memory import MemoryEventLog
from service.log.values import Append
from service.player.commands import Principal
from service.player.repository import Players
from service.player.state import stream_of
from tests.service.player.support import NOBODY, Clock, players_of, refused


def test_a_token_expires(players: Players, clock: Clock) -> None:
    ana = players.register("Ana", None, expires=clock.now + 1000)
    clock.now += 999
    assert players.bearers.authenticate(ana.token.secret).actor.player == ana.id
    assert ana.token.token.is_good(clock.now)
    clock.now += 1
    assert refused(players, ana.token.secret)
    assert not ana.token.token.is_good(clock.now)
    with pytest.raises(BadValue, match="in the future"):
        players.issue(ana.id, ["play"], Principal(ana.id, None), expires=clock.now)


def test_a_revoked_token_is_good_for_nothing_at_once(players: Players) -> None:
    ana = players.register("Ana", None)
    further = players.issue(ana.id, ["arbiter"], Principal("admin", None))
    players.revoke(ana.id, ana.token.token.id, Principal(ana.id, None))
    assert refused(players, ana.token.secret)
    assert players.bearers.authenticate(further.secret).actor.scopes == {"arbiter"}
    with pytest.raises(NotFound):
        players.revoke(ana.id, ana.token.token.id, Principal(ana.id, None))


def test_a_token_of_another_player_is_not_theirs(players: Players) -> None:
    ana, bor = players.register("Ana", None), players.register("Bor", None)
    secret = ana.token.secret.rpartition("_")[2]
    assert refused(players, f"mlg_{bor.id}_{secret}")


def test_a_damaged_hash_lets_nobody_in(players: Players) -> None:
    ana = players.register("Ana", None)
    field = f"token:{ana.token.token.id}"
    stored = json.loads(players.log.all_attributes(stream_of(ana.id))[field])
    stored["hash"] = stored["hash"][:-1] + ("0" if stored["hash"][-1] != "0" else "1")
    players.log.append(
        Append(stream_of(ana.id), 2, [], 0, "x", attributes={field: json.dumps(stored)})
    )
    assert refused(players, ana.token.secret)


HOSTILE = [
    "",
    "_",
    "__",
    "mlg",
    "mlg_",
    "mlg__",
    f"mlg_{NOBODY}",
    f"mlg_{NOBODY}_",
    f"mlg_{NOBODY}_{'0' * 64}",
    f"MLG_{NOBODY}_{'0' * 64}",
    f"mlg_{NOBODY.upper()}_{'0' * 64}",
    f"mlg_{NOBODY}\n_{'0' * 64}",
    f"mlg_{NOBODY}_{'0' * 10_000_000}",
    f"mlg_{NOBODY}_\0",
    f"mlg_{NOBODY}_ž",
    f"mlg_{NOBODY}_\ud800",
    "mlg_\0_\0",
    "mlg_*_*",
    "mlg_{p1}:game_x",
    "ž" * 1000,
]


@pytest.mark.parametrize("bearer", HOSTILE, ids=range(len(HOSTILE)))
def test_a_malformed_token_is_a_bad_token(players: Players, bearer: str) -> None:
    assert refused(players, bearer)


@given(bearer=st.text() | st.text().map(lambda s: f"mlg_{NOBODY}_{s}"))
def test_no_text_is_a_token(bearer: str) -> None:
    players = players_of(MemoryEventLog(CODEC), Clock())
    assert refused(players, bearer)


def test_a_token_with_more_or_less_is_another(players: Players) -> None:
    ana = players.register("Ana", None)
    good = ana.token.secret
    assert players.bearers.authenticate(good).actor.player == ana.id
    for bad in (good + "0", good[:-1], good.upper(), " " + good, good + "\n", good + "_"):
        assert refused(players, bad)
