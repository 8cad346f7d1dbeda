"""Queries append nothing to the log, whatever has happened since its last event."""

from __future__ import annotations

import pytest

from service.game.repository import stream_of
from service.game.values import GameStatus
from service.log.values import Append
from service.player.repository import NewPlayer
from service.tournament.commands import ConfirmRound
from tests.service.api.client import Api
from tests.service.api.test_tournaments import settled
from tests.service.api.tournaments import Desk
from workers.round_job import ACTOR, create_game


def addresses(api: Api, ids: list[str]) -> list[str]:
    """Every path that can be read, with every id that it might refer to."""
    found = []
    for rule in api.app.url_map.iter_rules():
        if "GET" not in (rule.methods or ()) or rule.endpoint == "static":
            continue
        for id in ids:
            values = {name: id if name == "id" else "1" for name in rule.arguments}
            if built := rule.build(values):
                found.append(built[1])
    return sorted(set(found))


@pytest.mark.slow
def test_no_query_appends_an_event(
    api: Api, arbiter: NewPlayer, admin: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(api, arbiter, players=2, rounds=1)
    desk.do("pair")
    tournaments, games, log = api.service.tournaments, api.service.games, api.service.log
    state = settled(api, desk.made["id"])
    (pairing,) = state.rounds[0].pairings
    create_game(games, state, pairing)
    # The round is ready, but its worker died before it began the game.
    tournaments.execute(state.id, ConfirmRound(asked=state.rounds[0].version), ACTOR)
    game = str(pairing.game)
    appended: list[Append] = []
    with monkeypatch.context() as patched:
        patched.setattr(log, "append", appended.append)
        patched.setattr(log, "append_each", appended.extend)
        read = 0
        for address in addresses(api, [game, state.id, pairing.first]):
            for reader in (None, admin):
                headers = {"Authorization": f"Bearer {reader.token.secret}"} if reader else {}
                answer = api.http.get(f"{address}?until=caught_up", headers=headers)
                read += answer.status_code == 200
                answer.close()
                if answer.status_code == 400:
                    read += api.http.get(address, headers=headers).status_code == 200
                assert answer.status_code < 500, address
        assert read > 30
        shown = desk.json(api.get(f"/games/{game}"))
        assert (shown["status"], shown["version"]) == ("running", 2)
        # Every way of loading the game gives the same state.
        newest = games.load(game)
        (loaded,) = games.load_each([game])
        dated = games.at_time(game, newest.updated_at)
        for found in (loaded, games.at_version(game, 2), dated):
            assert (found.version, found.head) == (2, newest.head)
        assert games.at_version(game, 1).status is GameStatus.PREPARED
    assert appended == []
    assert log.version(stream_of(game)) == 1
    # The round's job, and the first change, find the state that was read.
    assert games.begin(game).version == 2
    assert games.begin(game).head == games.load(game).head == log.head(stream_of(game))
    answer = api.command(f"/games/{game}", desk.token(pairing.first), "resign", expected_version=2)
    assert answer.status_code == 200
