"""Pairing a large round does not hold up the service, and survives a killed worker."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from tests.end_to_end.conftest import Start
from tests.end_to_end.running import Running, descendants
from tests.stopping import stopped
from tests.waiting import eventually, patiently

PLAYERS = 80
"""Enough players for pairing to take a second or more."""
HUGE = 600
"""Enough players for pairing to take much longer than all that a small round waits for."""


def tournament(
    running: Running,
    players: int = PLAYERS,
    session: requests.Session | None = None,
    name: str = "Large Open",
) -> str:
    """Import a Swiss from a report without rounds, as the admin or by another session.

    Returns its URL.
    """
    lines = [f"012 {name}", "XXR 5"]
    lines += [
        f"001 {number:4} {'':5}{f'Player{number:03}':33} {2900 - number:4}"
        for number in range(1, players + 1)
    ]
    answer = (session or running.session).post(
        f"{running.url}/api/v1/tournaments/trf?variant=katruji",
        data="\n".join(lines),
        headers={"Content-Type": "text/plain"},
    )
    assert answer.ok, answer.text
    return f"{running.url}/api/v1/tournaments/{answer.json()['id']}"


def pair(url: str, running: Running, session: requests.Session | None = None) -> requests.Response:
    """Request the pairing of the next round."""
    return (session or running.session).post(f"{url}/commands", json={"type": "pair"})


def sign_up(running: Running, name: str) -> requests.Session:
    """Register a player who may import reports; returns a session with their token."""
    player = running.post("/players", {"name": name}).json()
    wish = {"scopes": ["play", "arbiter"]}
    answer = running.post(f"/players/{player['id']}/tokens", wish)
    assert answer.ok, answer.text
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {answer.json()['secret']}"
    return session


def ready(url: str, running: Running) -> dict[str, Any]:
    """Wait for the first round, check that everybody is seated once, and return it."""
    eventually(lambda: running.session.get(url).json()["rounds_ready"] == 1, "it is ready")
    made: dict[str, Any] = running.session.get(f"{url}/rounds/1").json()
    seated = [one[side]["id"] for one in made["pairings"] for side in ("first", "second")]
    assert len(set(seated)) == len(seated) == PLAYERS
    types = [e["type"] for e in running.session.get(f"{url}/events?limit=1000").json()["items"]]
    assert types[-3:] == ["round-asked/1", "round-paired/1", "round-ready/1"]
    return made


def answers_while_it_pairs(url: str, running: Running) -> bool:
    """Whether a round is being paired; if so, other requests are answered."""
    if not running.session.get(url).json()["pairing"]:
        return False
    again = pair(url, running)
    # The round may be ready by now; either way a second one is refused.
    assert again.json()["code"] in ("round-pending", "unfinished-round")
    assert running.session.get(f"{running.url}/api/v1/games").ok
    return True


def test_the_service_answers_while_a_large_round_is_paired(start: Start) -> None:
    running = start()
    url = tournament(running)
    # However slow this process is, the round is not ready before it has asked a few times.
    with stopped(descendants(running.pid("large-pairer"))):
        assert pair(url, running).status_code == 202
        for _ in range(5):
            assert answers_while_it_pairs(url, running)
    for _ in patiently("the round is paired"):
        if not answers_while_it_pairs(url, running):
            break
    ready(url, running)


def test_large_rounds_of_other_organisers_hold_up_no_small_one(start: Start) -> None:
    running = start()
    large = []
    for name in ("Mallory", "Eve"):
        with sign_up(running, name) as session:
            for number in range(2):
                url = tournament(running, HUGE, session, f"{name}'s Open {number}")
                assert pair(url, running, session).status_code == 202
                large.append(url)
    with sign_up(running, "Ann") as session:
        small = tournament(running, 20, session, "Club Championship")
        assert pair(small, running, session).status_code == 202
    eventually(lambda: running.session.get(small).json()["rounds_ready"] == 1, "it is ready")
    assert all(running.session.get(url).json()["pairing"] for url in large)


@pytest.mark.soak
def test_a_worker_killed_while_it_pairs_is_followed_by_another(start: Start) -> None:
    running = start()
    url = tournament(running)
    pairer = running.pid("large-pairer")
    assert pair(url, running).status_code == 202
    # The pairing is computed in a child process.
    eventually(lambda: len(list(descendants(pairer))) > 1, "the round is being paired")
    running.kill("large-pairer")
    assert running.session.get(url).json()["pairing"]
    assert running.session.get(f"{url}/rounds/1").json()["pairings"] == []
    ready(url, running)
