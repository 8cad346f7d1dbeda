"""Players who ask for mail are notified of their games once, and as they wish."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from email.message import EmailMessage
from typing import Any

import pytest

from service.accounts.visitor import Visitor
from service.archive.outages import ArchiveDamaged
from service.composition.service import compose
from service.game import commands as c
from service.game.clock import SECOND
from service.game.state import GameState
from service.game.terms import DAY
from service.ids import new_id
from service.jobs.job import JobState
from service.jobs.job_kinds import MAIL
from service.jobs.store import LEASE, TRIES
from service.log.errors import UnknownEvent
from service.mail import smtp
from service.mail.outbox import REST
from service.mail.subscription import EVENTS, Pace
from service.reactions.mails import RETRY_DELAYS_MS
from service.settings import read_settings
from service.webhooks.webhook import CLOCK_LOW, YOUR_TURN
from tests.service.mail.mail_server import (
    PUBLIC_URL,
    MailServer,
    find_link,
    serving_mail,
    text_of,
)
from tests.service.redis_server import RedisServer
from tests.workers.club import HOUR, Club
from tests.workers.support import environment
from workers import mail as mailer
from workers.job_functions import FUNCTIONS
from workers.mail import LONGEST_WAIT
from workers.run import carry_out

DAYS = "1/259200"
"""Three days a move."""
BOB = "bob@home.example"
HERE = Visitor("192.0.2.1", "Firefox")


@pytest.fixture
def mail() -> Iterator[MailServer]:
    with serving_mail() as server:
        yield server


@pytest.fixture
def club(redis_server: RedisServer, mail: MailServer) -> Club:
    """A club whose service sends mail."""
    variables = environment(redis_server) | mail.environment
    club = Club(compose(read_settings(variables)))
    service = club.service
    service.subscriptions.clock = service.mail_links.clock = club.clock
    return club


def subscribe(
    club: Club,
    player: str,
    address: str = BOB,
    pace: Pace = Pace.IMMEDIATELY,
    events: Collection[str] = EVENTS,
) -> None:
    """Subscribe a player with a confirmed address."""
    known = club.service.subscriptions.subscribe(player, address, events, pace, HERE.address)
    club.service.mail_announcer.ask_for_confirmation(known)
    send(club)
    link = club.service.mail_links.confirm_url(known).rpartition("/")[2]
    club.service.subscriptions.confirm(*club.service.mail_links.read_confirm(link))


def send(club: Club) -> None:
    """Follow the feed, and send all mail that is due."""
    club.tell()
    for id in club.service.jobs.due([MAIL]):
        carry_out(id, club.service, club.service.jobs, FUNCTIONS)


def news(mail: MailServer) -> list[EmailMessage]:
    """The sent messages, except confirmations."""
    return [message for _, message in mail.got if "List-Unsubscribe" in message]


def test_an_address_is_confirmed_by_the_link_that_is_sent_to_it(
    club: Club, mail: MailServer
) -> None:
    known = club.service.subscriptions.subscribe(
        club.bob, BOB, EVENTS, Pace.IMMEDIATELY, HERE.address
    )
    for _ in range(2):
        club.service.mail_announcer.ask_for_confirmation(known)
        club.service.mail_announcer.ask_for_confirmation(known)
        send(club)
    ((to, message),) = mail.got
    assert to == BOB == message["To"]
    assert "Bob on https://club.example" in text_of(message)
    token = find_link(message, "confirm").removeprefix("/mail/confirm/")
    assert f'href="{PUBLIC_URL}/mail/confirm/{token}"' in text_of(message, "html")
    # Until the address is confirmed, no news is sent.
    state = club.begin(time_control=DAYS)
    state = club.play(state)
    send(club)
    assert len(mail.got) == 1
    club.service.subscriptions.confirm(*club.service.mail_links.read_confirm(token))
    club.play(club.play(state))
    send(club)
    assert len(mail.got) == 2


def test_a_link_that_signs_in_is_sent_to_a_confirmed_address_alone(
    club: Club, mail: MailServer
) -> None:
    accounts = club.service.accounts
    accounts.addresses.add(club.bob, BOB, HERE)
    accounts.addresses.ask_for_link(BOB, HERE)
    send(club)
    ((to, message),) = mail.got
    assert to == BOB == message["To"]
    assert message["Subject"] == "Confirm your e-mail address"
    assert "The player Bob on https://club.example" in text_of(message)
    path = find_link(message, "address")
    assert path.startswith("/account/address/")
    accounts.addresses.confirm(path.removeprefix("/account/address/"), club.bob)
    mail.got.clear()
    for address in (BOB, "nobody@home.example"):
        accounts.addresses.ask_for_link(address, HERE)
    send(club)
    ((to, message),) = mail.got
    assert to == BOB == message["To"]
    path = find_link(message, "link")
    assert f'href="{PUBLIC_URL}{path}"' in text_of(message, "html")
    player, _ = accounts.addresses.follow(path.removeprefix("/sign-in/link/"))
    assert player == club.bob
    for id in club.service.jobs.due([MAIL]):
        assert "home.example" not in str(club.service.jobs.get(id))


def test_a_link_that_was_used_is_not_sent_again(club: Club, mail: MailServer) -> None:
    accounts = club.service.accounts
    accounts.addresses.add(club.bob, BOB, HERE)
    accounts.addresses.add(club.bob, "bob@work.example", HERE)
    send(club)
    assert [to for to, _ in mail.got] == ["bob@work.example"]


def test_a_game_of_three_days_a_move(club: Club, mail: MailServer) -> None:
    """Each turn, a draw offer and a low clock are mailed to the player concerned."""
    subscribe(club, club.ann, "ann@home.example")
    subscribe(club, club.bob)
    mail.got.clear()
    state = club.begin(time_control=DAYS)
    send(club)
    assert [(to, message["Subject"]) for to, message in mail.got] == [
        ("ann@home.example", "It is your turn against Bob (Katruji)")
    ]
    club.clock.now += 2 * HOUR
    state = club.play(state)
    send(club)
    club.clock.now += 20 * HOUR
    state = club.play(state)
    send(club)
    state = club.play(state)
    send(club)
    state = club.do(state, club.ann, c.OfferDraw())
    send(club)
    club.clock.now += 3 * DAY - 18 * HOUR - 60 * SECOND
    send(club)
    assert len(mail.got) == 5
    club.clock.now += 2 * 60 * SECOND
    send(club)
    assert [(to.partition("@")[0], message["Subject"]) for to, message in mail.got[1:]] == [
        ("bob", "It is your turn against Ann (Katruji)"),
        ("ann", "It is your turn against Bob (Katruji)"),
        ("bob", "It is your turn against Ann (Katruji)"),
        ("bob", "Ann offers you a draw (Katruji)"),
        ("bob", "Your clock is running low against Ann (Katruji)"),
    ]
    text = text_of(mail.got[-1][1])
    assert "Game: Katruji, you play North." in text
    assert f"Last action: {state.played[-1].san}" in text
    assert "Your time runs out on Tuesday, 19 January 2027, 06:00 UTC." in text
    assert f"{PUBLIC_URL}/games/{state.id}" in text
    assert "a8  . S O O" in text
    assert "a8  . S O O" in text_of(mail.got[-1][1], "html")
    ids = {message["Message-ID"] for _, message in mail.got}
    assert len(ids) == len(mail.got)
    assert all(id.endswith("@club.example>") for id in ids)


def test_mails_are_in_the_language_that_was_set_with_the_address(
    club: Club, mail: MailServer
) -> None:
    known = club.service.subscriptions.subscribe(
        club.bob, BOB, EVENTS, Pace.IMMEDIATELY, HERE.address, language="de"
    )
    club.service.mail_announcer.ask_for_confirmation(known)
    send(club)
    ((_, message),) = mail.got
    assert message["Subject"] == "Bestätige deine E-Mail-Adresse"
    assert "Bob von https://club.example möchte" in text_of(message)
    assert '<html lang="de">' in text_of(message, "html")
    token = find_link(message, "confirm").removeprefix("/mail/confirm/")
    assert f'href="{PUBLIC_URL}/mail/confirm/{token}"' in text_of(message, "html")
    club.service.subscriptions.confirm(*club.service.mail_links.read_confirm(token))
    subscribe(club, club.ann, "ann@home.example")
    mail.got.clear()
    state = club.begin(time_control=DAYS)
    send(club)
    for _ in range(3):
        state = club.play(state)
        send(club)
    by_address = dict(mail.got)
    assert by_address["ann@home.example"]["Subject"] == "It is your turn against Bob (Katruji)"
    message = by_address[BOB]
    assert message["Subject"] == "Du bist gegen Ann am Zug (Katruji)"
    for kind in ("plain", "html"):
        text = text_of(message, kind)
        assert "Spiel: Katruji, du spielst Nord." in text
        assert f"Letzte Aktion: {state.played[-1].san}" in text
        assert re.search(r"Deine Zeit läuft ab: \w+, \d+\. Januar 2027, \d\d:00 UTC\.", text)
        for english in ("You get", "Stop all", "Game:", "Go to", "Your time"):
            assert english not in text


def test_links_that_sign_in_come_in_the_language_of_the_page(club: Club, mail: MailServer) -> None:
    german = replace(HERE, language="de")
    addresses = club.service.accounts.addresses
    addresses.add(club.bob, BOB, german)
    send(club)
    ((_, message),) = mail.got
    assert message["Subject"] == "Bestätige deine E-Mail-Adresse"
    assert "Bob von https://club.example möchte sich mit dieser Adresse" in text_of(message)
    path = find_link(message, "address")
    addresses.confirm(path.removeprefix("/account/address/"), club.bob)
    for visitor, subject, told in (
        (german, "Anmelden", "folge innerhalb von 20 Minuten"),
        (HERE, "Sign in", "follow this link within 20 minutes"),
    ):
        mail.got.clear()
        addresses.ask_for_link(BOB, visitor)
        send(club)
        ((_, message),) = mail.got
        assert message["Subject"] == subject
        assert told in text_of(message)
        assert find_link(message, "link") in text_of(message, "html")


def test_faster_games_and_other_wishes_are_not_told(club: Club, mail: MailServer) -> None:
    subscribe(club, club.bob, events=(CLOCK_LOW,))
    mail.got.clear()
    club.play(club.begin(time_control="600"))
    club.play(club.begin())
    club.play(club.begin(time_control=DAYS))
    send(club)
    assert mail.got == []


def test_a_digest_comes_once_a_day_and_tells_what_still_waits(club: Club, mail: MailServer) -> None:
    subscribe(club, club.bob, pace=Pace.DAILY)
    mail.got.clear()
    waiting = [club.play(club.begin(time_control=DAYS)) for _ in range(3)]
    send(club)
    club.play(waiting[0])
    send(club)
    assert mail.got == []
    club.clock.now += DAY
    send(club)
    ((_, message),) = mail.got
    assert message["Subject"] == "2 games are waiting for you"
    told = text_of(message)
    assert [state.id in told for state in waiting] == [False, True, True]
    club.clock.now += HOUR
    send(club)
    # Reading the feed again sends nothing again.
    club._reached.clear()
    send(club)
    club.clock.now += DAY
    send(club)
    assert len(mail.got) == 1
    club.play(club.play(waiting[1]))
    send(club)
    club.clock.now += DAY
    send(club)
    assert [message["Subject"] for _, message in mail.got[1:]] == [
        "It is your turn against Ann (Katruji)"
    ]


@pytest.mark.parametrize("failure", [UnknownEvent("later/9"), ArchiveDamaged("damaged")])
def test_a_game_that_cannot_be_read_is_left_out_of_a_digest(
    club: Club, mail: MailServer, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    subscribe(club, club.bob, pace=Pace.DAILY)
    mail.got.clear()
    broken, waiting = (club.play(club.begin(time_control=DAYS)) for _ in range(2))
    club.tell()
    (key,) = club.service.store.scan_iter(match=f"*digest:{club.bob}")
    assert club.service.store.ttl(key) > 0
    load = club.service.games.load

    def fail(id: str) -> GameState:
        if id == broken.id:
            raise failure
        return load(id)

    monkeypatch.setattr(club.service.games, "load", fail)
    club.clock.now += DAY
    for id in club.service.jobs.due([MAIL]):
        carry_out(id, club.service, club.service.jobs, FUNCTIONS)
    ((_, message),) = mail.got
    assert waiting.id in text_of(message)
    assert broken.id not in text_of(message)


def test_a_turn_that_has_passed_is_not_told(club: Club, mail: MailServer) -> None:
    subscribe(club, club.bob)
    mail.got.clear()
    state = club.play(club.begin(time_control=DAYS))
    club.tell()
    club.play(state)
    send(club)
    assert mail.got == []


def test_the_stop_link_stops_all_of_it(club: Club, mail: MailServer) -> None:
    subscribe(club, club.bob)
    state = club.play(club.begin(time_control=DAYS))
    send(club)
    (message,) = news(mail)
    assert message["List-Unsubscribe"] == f"<{PUBLIC_URL}{find_link(message, 'stop')}>"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    token = find_link(message, "stop").removeprefix("/mail/stop/")
    club.service.subscriptions.stop(*club.service.mail_links.read_stop(token), "you stopped it")
    club.play(club.play(state))
    send(club)
    assert len(news(mail)) == 1
    # They may subscribe again, and the old link does not stop mail to another address.
    subscribe(club, club.bob, "bob@work.example")
    club.service.subscriptions.stop(*club.service.mail_links.read_stop(token), "you stopped it")
    state = club.service.games.load(state.id)
    club.play(club.play(state))
    send(club)
    assert [to for to, message in mail.got if message in news(mail)][1:] == ["bob@work.example"]


def test_what_was_sent_is_not_sent_again_after_a_restart(club: Club, mail: MailServer) -> None:
    """Killed after the server took the message, before or after this was noted."""
    subscribe(club, club.bob)
    jobs, outbox = club.service.jobs, club.service.outbox
    for cut in (outbox.mark, jobs.finish):
        mail.got.clear()
        club.play(club.begin(time_control=DAYS))
        club.tell()
        (id,) = jobs.due([MAIL])
        killed_in(club, id, cut.__name__)
        assert len(mail.got) == 1
        club.clock.now += LEASE + SECOND
        assert jobs.expired() == [id]
        jobs.take_back(id)
        send(club)
        assert len(mail.got) == 1
        assert not jobs.under_way([id])


class Killed(BaseException):
    """Simulates a mailer that is killed."""


def killed_in(club: Club, id: str, step: str) -> None:
    """Send a message, and be killed after the server took it, before this step."""
    jobs, outbox = club.service.jobs, club.service.outbox
    mark = outbox.mark

    def noting(id: str, how: str) -> None:
        if how == "sent":
            raise Killed
        mark(id, how)

    def finishing(*given: object) -> None:
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        if step == "mark":
            patch.setattr(outbox, "mark", noting)
        else:
            patch.setattr(jobs, "finish", finishing)
        with pytest.raises(Killed):
            carry_out(id, club.service, jobs, FUNCTIONS)


def test_a_message_that_was_never_handed_over_is_sent_after_a_restart(
    club: Club, mail: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribe(club, club.bob)
    mail.got.clear()
    club.play(club.begin(time_control=DAYS))
    club.tell()
    (id,) = club.service.jobs.due([MAIL])

    def die(*given: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(mailer, "send_message", die)
        with pytest.raises(Killed):
            carry_out(id, club.service, club.service.jobs, FUNCTIONS)
    club.clock.now += LEASE + SECOND
    club.service.jobs.take_back(id)
    send(club)
    assert len(mail.got) == 1


def test_a_message_that_is_taken_and_not_answered_is_not_sent_again(
    club: Club, mail: MailServer
) -> None:
    subscribe(club, club.bob, events=(YOUR_TURN,))
    mail.got.clear()
    mail.silent = True
    club.play(club.begin(time_control=DAYS))
    send(club)
    mail.silent = False
    for delay in RETRY_DELAYS_MS:
        club.clock.now += delay + SECOND
        send(club)
    assert len(news(mail)) == 1


@pytest.mark.slow
def test_a_message_that_is_refused_is_tried_again_later_and_later(
    club: Club, mail: MailServer
) -> None:
    subscribe(club, club.bob, events=(YOUR_TURN,))
    mail.got.clear()
    mail.to_data = "451 4.3.0 try again"
    club.play(club.begin(time_control=DAYS))
    for delay in RETRY_DELAYS_MS:
        send(club)
        waiting = club.service.jobs.waiting([MAIL])
        assert (waiting.queued, waiting.since) == (1, club.clock.now + delay)
        club.clock.now += delay
    send(club)
    assert club.service.jobs.waiting([MAIL]).queued == 0
    assert mail.got == []
    club.play(club.begin(time_control=DAYS))
    send(club)
    mail.to_data = None
    club.clock.now += RETRY_DELAYS_MS[0]
    send(club)
    send(club)
    assert len(mail.got) == 1


def test_an_address_that_the_server_does_not_know_is_sent_nothing_more(
    club: Club, mail: MailServer, caplog: pytest.LogCaptureFixture
) -> None:
    subscribe(club, club.bob)
    state = club.play(club.begin(time_control=DAYS))
    mail.to_rcpt = f"550 5.1.1 <{BOB}> is unknown here"
    send(club)
    known = club.service.subscriptions.find(club.bob)
    assert known is not None
    assert known.stopped == "the mail server answered 550 to RCPT"
    mail.to_rcpt = None
    club.play(club.play(state))
    send(club)
    assert news(mail) == []
    assert BOB not in caplog.text
    found: Any = club.service.store.zrange("movelog:{jobs}:state:done", 0, -1)
    stored = club.service.jobs.get_each([id.decode() for id in found])
    assert stored
    assert BOB not in str(stored)


@pytest.mark.parametrize("answers", [False, True], ids=["away", "sender refused"])
def test_a_server_that_accepts_no_mail_is_left_alone_for_a_while(
    club: Club, mail: MailServer, monkeypatch: pytest.MonkeyPatch, answers: bool
) -> None:
    subscribe(club, club.bob, events=(YOUR_TURN,))
    asked = []

    def parse(url: str) -> smtp.MailServer:
        asked.append(url)
        return smtp.parse_server(url if answers else "smtp+plain://localhost:1")

    monkeypatch.setattr(mailer, "parse_server", parse)
    mail.to_mail = "550 5.7.1 sender not allowed" if answers else None
    for _ in range(3):
        club.play(club.begin(time_control=DAYS))
    send(club)
    assert len(asked) == 1
    assert club.service.jobs.waiting([MAIL]).queued == 3
    club.clock.now += 10 * SECOND
    assert club.service.outbox.measure_absence(club.clock.now) == 10 * SECOND
    monkeypatch.undo()
    mail.to_mail = None
    club.service.store.delete("movelog:{mail}:resting")
    club.clock.now += max(REST, RETRY_DELAYS_MS[0]) + SECOND
    send(club)
    assert len(news(mail)) == 3
    assert club.service.outbox.measure_absence(club.clock.now) == 0


def test_a_message_for_a_server_that_is_left_alone_waits_as_one_job_and_is_given_up(
    club: Club, mail: MailServer, caplog: pytest.LogCaptureFixture
) -> None:
    subscribe(club, club.bob, events=(YOUR_TURN,))
    mail.got.clear()
    jobs, outbox = club.service.jobs, club.service.outbox
    club.play(club.begin(time_control=DAYS))
    club.tell()
    (id,) = jobs.due([MAIL])
    before = jobs.counts()
    for _ in range(2 * TRIES):
        outbox.rest(club.clock.now)
        send(club)
        waiting = jobs.get(id)
        assert (waiting.state, waiting.tries) == (JobState.QUEUED, 0)
        assert club.clock.now < waiting.due <= club.clock.now + REST
        club.clock.now += REST
    assert jobs.counts() == before
    club.clock.now += LONGEST_WAIT
    send(club)
    assert f"message {id} is given up: the mail server has accepted no mail" in caplog.text
    assert jobs.get_each([id]) == []
    assert mail.got == []


def test_who_has_no_address_any_more_is_sent_nothing(club: Club, mail: MailServer) -> None:
    subscribe(club, club.bob)
    mail.got.clear()
    club.play(club.begin(time_control=DAYS))
    club.tell()
    club.service.subscriptions.remove(club.bob)
    send(club)
    assert mail.got == []
    assert club.service.subscriptions.find_active(EVENTS, [club.bob]) == frozenset()


def test_nobody_is_told_where_no_mail_is_configured(redis_server: RedisServer) -> None:
    club = Club(compose(read_settings(environment(redis_server))))
    club.play(club.begin(time_control=DAYS))
    club.tell()
    assert club.service.jobs.waiting([MAIL]).queued == 0
    assert new_id() != club.bob
