"""Two players of a service in simulated time, and the notifications that their webhooks get."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from notation.registry import find_dialect
from service.composition.service import Service, now
from service.game import commands as c
from service.game.clock import SECOND
from service.game.commands import Command, CreateGame
from service.game.repository import KIND
from service.game.state import GameState
from service.game.terms import DAY
from service.game.values import Mode
from service.ids import new_id
from service.jobs.job_kinds import DELIVERY, GAME_NEWS, LOW_CLOCK
from service.jobs.queue import JobQueue
from service.player.actor import Actor
from service.player.scopes import ARBITER, PLAY
from service.reactions.game_news import GameNewsFollower
from service.reactions.listeners import find_listeners
from service.webhooks.webhook import EVENTS
from workers.job_functions import FUNCTIONS
from workers.run import carry_out

HOUR = DAY // 24
START = 1_800_000_000_000


@dataclass
class Clock:
    """The time of games and jobs, which advances only when told."""

    now: int = START

    def __call__(self) -> int:
        return self.now


class Club:
    """Two players of a service in simulated time, and the notifications that their webhooks get."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.clock = Clock()
        service.games.clock = service.jobs.clock = self.clock
        # The store's outages are in real time, not in this one.
        service.games.outages = None
        # The feed is in real time, too.
        self.feed_clock: Callable[[], int] = now
        self.queue = JobQueue(service.jobs, service.store)
        self.ann, self.bob, self.eve = (
            service.players.register(name, None).id for name in ("Ann", "Bob", "Eve")
        )
        self.seen: set[str] = set()
        self._reached: dict[int, str] = {}

    def listen(self, owner: str, *events: str, everybody: bool = False) -> str:
        hook = self.service.webhooks.register(
            owner, "https://example.org/hook", events or EVENTS, everybody
        )
        return hook.id

    def create(self, **terms: Any) -> GameState:
        wish = {"variant": "katruji", "mode": Mode.CHALLENGE, "first": self.ann, "second": self.bob}
        command = CreateGame(**{**wish, **terms})
        creator = Actor(self.ann, frozenset({PLAY, ARBITER}))
        return self.service.games.create(new_id(), command, creator).state

    def do(self, state: GameState, player: str, command: Command) -> GameState:
        self.clock.now += SECOND
        actor = Actor(player, frozenset({PLAY}))
        return self.service.games.execute(state.id, command, actor).state

    def play(self, state: GameState) -> GameState:
        """Play the first legal action."""
        player = state.seats[state.position.side]
        assert player is not None
        token = find_dialect(state.variant).coordinate(state.position.copy().legal()[0])
        return self.do(state, player, c.PlayAction(token=token))

    def begin(self, **terms: Any) -> GameState:
        """Begin an accepted game, with all notifications so far sent."""
        state = self.create(**terms)
        state = self.do(state, self.bob, c.AcceptChallenge())
        self.tell()
        return state

    def follow(self) -> None:
        """Let the follower read everything new in the feed, as the projector does."""
        known = self.service.webhooks, self.service.subscriptions
        follower = GameNewsFollower(self.queue, partial(find_listeners, *known), self.feed_clock)
        log = self.service.log
        for partition in range(log.partitions):
            pointers = log.feed(partition, self._reached.get(partition, "0-0"))
            if pointers:
                self._reached[partition] = pointers[-1].position
            follower.follow([each for each in pointers if each.stream.kind == KIND])

    def work(self) -> None:
        """Do the due jobs, except deliveries."""
        for id in self.service.jobs.due([GAME_NEWS, LOW_CLOCK]):
            assert carry_out(id, self.service, self.service.jobs, FUNCTIONS)

    def tell(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Follow and work; returns new deliveries: the webhook's owner, the event, its data."""
        self.follow()
        self.work()
        jobs = self.service.jobs
        news = []
        for id in jobs.due([DELIVERY]):
            if id not in self.seen:
                self.seen.add(id)
                arguments = jobs.get(id).arguments
                notice = json.loads(arguments["body"])
                owner = self.service.webhooks.get(arguments["webhook"]).owner
                assert notice["id"] == id == arguments["delivery"]
                news.append((owner, notice["event"], notice["data"]))
        return sorted(news, key=lambda one: one[:2])
