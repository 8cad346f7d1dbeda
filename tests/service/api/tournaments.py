"""A tournament over HTTP without other processes: the test says when workers' jobs are done."""

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
    """An arbiter's desk: a tournament, its players, and the jobs that its commands submit."""

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
        """The JSON of an answer, which must be a success."""
        assert answer.status_code < 400, answer.get_data(as_text=True)
        return answer.json

    def do(self, type: str, **members: Any) -> Any:
        """Send a command as the arbiter; fails unless it succeeds."""
        return self.json(self.order(self.arbiter, type, **members))

    def order(self, by: NewPlayer | None, type: str, **members: Any) -> TestResponse:
        """Send a command as anybody."""
        return self.api.post(f"{self.path}/commands", {"type": type} | members, by)

    def get(self, path: str = "", **query: str | int) -> Any:
        """GET a path of the tournament, anonymously."""
        return self.json(self.api.get(self.path + path, query=query))

    def token(self, id: str) -> NewPlayer:
        """The player with this id."""
        return next(player for player in self.players if player.id == id)

    def work(self) -> None:
        """Project what is new and do the jobs that follow from it, until there are none."""
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
        """Pair the next round, and return it when it is ready."""
        answer = self.do("pair", **members)
        self.work()
        made: dict[str, Any] = self.get(f"/rounds/{answer['number']}")
        return made

    def play_round(self) -> dict[str, Any]:
        """Pair and play a round: after both have moved, the second side resigns each game."""
        made = self.pair()
        for one in made["pairings"]:
            if one["result"] == "*":
                self.play(one)
        self.work()
        played: dict[str, Any] = self.get(f"/rounds/{made['number']}")
        return played

    def play(self, pairing: dict[str, Any], loser: str = "second") -> None:
        """Play a game: each side acts once, then `loser` resigns."""
        path = f"/games/{pairing['game']}"
        for side in ("first", "second"):
            player = self.token(pairing[side]["id"])
            legal = self.json(self.api.get(f"{path}/legal", player))["actions"]
            self.api.play(path, player, legal[0]["action"])
        self.json(self.api.command(path, self.token(pairing[loser]["id"]), "resign"))
