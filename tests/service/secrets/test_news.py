"""What players and their programs are told of a running game reveals no choice.

Games that differ only in the choices are reported in the same bytes, by webhook and by mail.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from random import Random

import pytest

from engine.side import Side
from service.game.news import find_low_time
from service.game.repository import stream_of
from service.game.values import GameStatus
from service.mail.subscription import EVENTS as MAILED
from service.mail.subscription import Pace, Subscription
from tests.service.redis_server import RedisServer
from tests.service.secrets.pairs import Pair
from tests.service.secrets.twins import Twin, twins
from workers.game_news import make_challenge_notice, make_notices, make_turn_notice
from workers.mails.message import report_game, write_news

PLIES = 16
KNOWN = Subscription("player", "ada@club.example", MAILED, Pace.IMMEDIATELY, 0)


def list_told(twin: Twin, id: str) -> list[str]:
    """All that may be told of a game in its present state, and when a clock is reported as low."""
    service = twin.api.service
    state = service.games.load(id)
    notices = make_notices(state, service.log.read(stream_of(id)))
    # Whether they are due or not.
    notices += [make_turn_notice(state, side, state.version) for side in Side]
    notices.append(make_challenge_notice(state))
    names = {str(id): f"Player {side}" for side, id in zip(Side, state.seats, strict=True)}
    links = service.mail_links
    mails = [
        write_news([report_game(state, side, event, names, links)], KNOWN, "m@club.example", links)
        for side in Side
        for event in MAILED
    ]
    return [
        *(str(part.get_content()) for mail in mails for part in mail.iter_parts()),
        *(str(mail["Subject"]) for mail in mails),
        *(
            f"{each.event} {each.about} {each.concerned} {json.dumps(each.data)}"
            for each in notices
        ),
        f"low {find_low_time(state)}",
    ]


@pytest.mark.parametrize(
    ("variant", "games"),
    [
        ("kerd", 1),
        pytest.param("kerd-draft", 2, marks=pytest.mark.slow),
        pytest.param("kerd", 6, marks=pytest.mark.soak),
        pytest.param("kerd-draft", 6, marks=pytest.mark.soak),
    ],
)
def test_alike_games_are_told_of_alike(
    redis_server: RedisServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variant: str,
    games: int,
) -> None:
    assert compare(redis_server, tmp_path, monkeypatch, variant, games) > 20 * games


@pytest.mark.slow
@pytest.mark.parametrize("leak", ["game_news", "mails.message"])
def test_a_leak_is_found(
    redis_server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, leak: str
) -> None:
    monkeypatch.setattr(f"workers.{leak}.seen_position", lambda state, viewer: state.position)
    # The picture in a mail cannot show what is secret; the position string can.
    monkeypatch.setattr("workers.mails.message.draw_text", lambda variant, fen: fen)
    with pytest.raises(AssertionError):
        compare(redis_server, tmp_path, monkeypatch, "kerd", 4)


def compare(
    redis_server: RedisServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variant: str,
    games: int,
) -> int:
    """Play games in pairs and compare what is told; return the number of texts compared."""
    told = 0
    for number in range(games):
        with twins(redis_server, tmp_path, monkeypatch, seed=number) as both:
            pair = Pair(both, variant, tuple(Side), Random(f"{variant} {number}"))
            pair.begin()
            while pair.goes_on() and len(pair.states[0].played) < PLIES:
                assert pair.states[0].status is not GameStatus.FINISHED
                one, other = both.each(partial(list_told, id=pair.states[0].id))
                assert one == other
                assert not any(nonce in text for text in one for nonce in pair.nonces)
                told += len(one)
                if not pair.step():
                    break
    return told
