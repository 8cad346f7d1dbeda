"""A player's state is the fold of their events."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.game.events import ChallengeDeclined
from service.log.values import Event, Recorded
from service.player import events
from service.player.state import PlayerState, Token, fold


def folded(*made: Event) -> PlayerState | None:
    return fold("p", [Recorded(n, event, 1000 + n, "by") for n, event in enumerate(made, 1)])


def known(*made: Event) -> PlayerState:
    state = folded(events.PlayerRegistered(claimed=True), *made)
    assert state is not None
    return state


ISSUED = events.TokenIssued(token="t", scopes=("play",), expires=5000)
TOKEN = Token("t", ("play",), 1002, 5000)


def test_nothing_happened_to_nobody() -> None:
    assert folded() is None


def test_player_registered() -> None:
    registered = PlayerState("p", 1, "", 1001, registered_at=1001, registered_by="by")
    assert known() == replace(registered, claimed=True)
    assert folded(events.PlayerRegistered(claimed=False)) == registered


def test_token_issued() -> None:
    assert known(ISSUED).tokens == {"t": TOKEN}
    claimed = folded(events.PlayerRegistered(claimed=False), ISSUED)
    assert claimed is not None
    assert claimed.claimed


def test_token_revoked() -> None:
    other = events.TokenIssued(token="u", scopes=("admin",))
    state = known(ISSUED, other, events.TokenRevoked(token="t"))
    assert state.tokens == {"u": Token("u", ("admin",), 1003)}
    assert state.version == 4


def test_player_renamed() -> None:
    assert known(events.PlayerRenamed()) == replace(known(), version=2, updated_at=1002)


def test_player_erased() -> None:
    state = known(ISSUED, events.PlayerErased())
    assert (state.erased, state.tokens, state.version) == (True, {}, 3)


def test_an_event_of_something_else_is_refused() -> None:
    with pytest.raises(TypeError, match="ChallengeDeclined has no effect defined"):
        known(ChallengeDeclined())


@pytest.mark.parametrize("event", events.EVENTS.values(), ids=lambda event: event.stored_name)
def test_every_event_has_a_test(event: type[Event]) -> None:
    name = event.stored_name.partition("/")[0].replace("-", "_")
    assert f"test_{name}" in globals()


def test_player_merged() -> None:
    assert known(events.PlayerMerged(into="q")).merged_into == "q"


def test_player_distinguished() -> None:
    state = known(*(events.PlayerDistinguished(other=other) for other in ("q", "r", "q")))
    assert state.distinct_from == {"q", "r"}


def test_player_parted() -> None:
    assert known(events.PlayerMerged(into="q"), events.PlayerParted()).merged_into is None
