"""A tournament over HTTP without processes: what workers do is done when the test says so."""

from __future__ import annotations

from typing import Any

from werkzeug.test import TestResponse

from service.composition.projector import compose_projector
from service.jobs.job_kinds import GAME_NEWS, IMPORT, ROUNDS, SCORING, TOURNAMENT_NEWS
from service.jobs.queue import JobQueue
from service.jobs.store import Jobs
from service.player.repository import NewPlayer
from tests.service.api.client import Api


class Desk:
    """An arbiter's desk: a tournament with its players, and the jobs that its commands leave."""

    def __init__(self, api: Api, arbiter: NewPlayer, players: int = 4, **wish: Any) -> None:
        self.api = api
        self.arbiter = arbiter
        given = {"name": "Open", "variant": "katruji", "kind": "swiss", "rounds": 3} | wish
        self.made = self.json(api.post("/tournaments", given, arbiter))
        self.path = f"/tournaments/{self.made['id']}"
        name = str(given["name"])
        self.players = [api.player(f"P{number} {name}") for number in range(players)]
        for number, player in enumerate(self.players):
            self.do("enter", player=player.id, rating=2000 - number)

    def json(self, answer: TestResponse) -> Any:
        """A good answer's JSON."""
        assert answer.status_code < 400, answer.get_data(as_text=True)
        return answer.json

    def do(self, type: str, **members: Any) -> Any:
        """A command by the arbiter, successfully."""
        return self.json(self.order(self.arbiter, type, **members))

    def order(self, by: NewPlayer | None, type: str, **members: Any) -> TestResponse:
        """A command by anybody."""
        return self.api.post(f"{self.path}/commands", {"type": type} | members, by)

    def get(self, path: str = "", **query: str | int) -> Any:
        """What everybody is shown."""
        return self.json(self.api.get(self.path + path, query=query))

    def token(self, id: str) -> NewPlayer:
        """The player of this id."""
        return next(player for player in self.players if player.id == id)

    def work(self) -> None:
        """Project what is new and do the jobs that it leaves, until there are none."""
        from workers.job_functions import FUNCTIONS
        from workers.run import carry_out

        service = self.api.service
        jobs = Jobs(service.store, service.games.clock)
        queue = JobQueue(jobs, service.store)
        projector = compose_projector(service, queue)
        while projector.step(0.001) or jobs.due():
            for id in jobs.due():
                assert jobs.get(id).kind in (ROUNDS, SCORING, IMPORT, GAME_NEWS, TOURNAMENT_NEWS)
                carry_out(id, service, jobs, FUNCTIONS)

    def pair(self, **members: Any) -> dict[str, Any]:
        """The next round, ready."""
        answer = self.do("pair", **members)
        self.work()
        made: dict[str, Any] = self.get(f"/rounds/{answer['number']}")
        return made

    def play_round(self) -> dict[str, Any]:
        """Pair a round; the second side resigns every game after both have moved."""
        made = self.pair()
        for one in made["pairings"]:
            if one["result"] == "*":
                self.play(one)
        self.work()
        played: dict[str, Any] = self.get(f"/rounds/{made['number']}")
        return played

    def play(self, pairing: dict[str, Any], loser: str = "second") -> None:
        """Play a game: two actions, then one side gives up."""
        path = f"/games/{pairing['game']}"
        for side in ("first", "second"):
            player = self.token(pairing[side]["id"])
            legal = self.json(self.api.get(f"{path}/legal", player))["actions"]
            self.api.play(path, player, legal[0]["action"])
        self.json(self.api.command(path, self.token(pairing[loser]["id"]), "resign"))
