"""A whole service notifies players once by mail and webhook, through kills and a restart."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
import requests

from tests.end_to_end.conftest import Start
from tests.end_to_end.running import Running
from tests.service.mail.mail_server import MailServer, find_link, serving_mail
from tests.service.webhooks.receiver import Receiver, receiving
from tests.waiting import eventually

MOVE = re.compile(r"[a-d][1-8][a-d][1-8]")
BOB = "bob@home.example"


@pytest.fixture
def mail() -> Iterator[MailServer]:
    with serving_mail() as server:
        yield server


class Person:
    """A player, whose token stays valid wherever the service is."""

    def __init__(self, running: Running, name: str) -> None:
        answer = running.post("/players", {"name": name})
        answer.raise_for_status()
        self.running = running
        self.id = answer.json()["id"]
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {answer.json()['token']['secret']}"

    def send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        url = f"{self.running.url}/api/v1{path}"
        answer = self.session.request(method, url, json=body)
        assert answer.ok, answer.text
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def play(self, game: str) -> None:
        """Play the first legal action that moves a piece, and so passes the turn."""
        legal = self.send("GET", f"/games/{game}/legal")["actions"]
        action = next(one["action"] for one in legal if MOVE.fullmatch(one["action"]))
        self.send("POST", f"/games/{game}/actions", {"action": action})


def turns_told(mail: MailServer) -> int:
    return sum("your turn" in message["Subject"] for _, message in mail.got)


def test_turns_are_told_once_through_kills_and_a_restart(start: Start, mail: MailServer) -> None:
    running = start(MOVELOG_PRIVATE_WEBHOOKS="yes", **mail.environment)
    ann, bob = Person(running, "Ann"), Person(running, "Bob")
    wish = {"address": BOB, "events": ["your-turn"]}
    assert bob.send("PUT", "/me/mail", wish)["confirmed_at"] is None
    eventually(lambda: mail.got, "the confirmation is sent")
    confirm = running.url + find_link(mail.got[0][1], "confirm")
    assert requests.get(confirm).status_code == 200
    assert bob.send("GET", "/me/mail")["confirmed_at"] is None
    assert requests.post(confirm).status_code == 200
    with receiving() as receiver:
        hook = {"url": receiver.url, "events": ["your-turn", "challenge"]}
        bob.send("POST", "/webhooks", hook)
        wish = {"variant": "katruji", "side": "first", "time_control": "1/259200"}
        game = ann.send("POST", "/games", wish | {"opponent": bob.id})["id"]
        eventually(lambda: receiver.got, "Bob is told of the challenge")
        bob.send("POST", f"/games/{game}/commands", {"type": "accept"})
        for turn, kills in enumerate([(), ("mailer",), ("projector", "messenger"), "all"], 1):
            ann.play(game)
            if kills == "all":
                running.stop()
                running.start_again()
            else:
                for name in kills:
                    running.kill(name)
            eventually(partial(has_told, mail, turn), f"turn {turn} is told by mail")
            eventually(partial(has_got, receiver, turn), f"turn {turn} is told by webhook")
            bob.play(game)
        stop = running.url + find_link(mail.got[-1][1], "stop")
        one_click = {"List-Unsubscribe": "One-Click"}
        assert requests.post(stop, data=one_click).status_code == 200
        ann.play(game)
        eventually(partial(has_got, receiver, 5), "the webhook goes on")
        eventually(lambda: is_idle(running), "nothing is left to send")
        notices = [json.loads(body) for _, body in receiver.got]
        told = {notice["id"]: notice for notice in notices}
        assert Counter(notice["event"] for notice in told.values()) == {
            "your-turn": 5,
            "challenge": 1,
        }
    ids = [message["Message-ID"] for _, message in mail.got]
    assert len(set(ids)) == len(ids) == 1 + 4
    assert turns_told(mail) == 4
    assert {to for to, _ in mail.got} == {BOB}
    assert BOB not in running.log()


def has_told(mail: MailServer, turns: int) -> bool:
    return turns_told(mail) >= turns


def has_got(receiver: Receiver, turns: int) -> bool:
    notices = [json.loads(body) for _, body in receiver.got]
    return len({one["id"] for one in notices if one["event"] == "your-turn"}) >= turns


def is_idle(running: Running) -> bool:
    duties = requests.get(f"{running.url}/readyz").json()["duties"]
    # Webhooks also have queued jobs that look at a clock much later.
    return bool(duties["mail"]["queued"] == duties["webhooks"]["oldest_seconds"] == 0)
