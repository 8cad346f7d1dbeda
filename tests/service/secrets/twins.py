"""Two services that differ only in what players keep secret.

Their clocks, ids, tokens and nonces are alike, and commitments are replaced by values that do not
depend on the choice.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
import redis
from werkzeug.test import TestResponse

from service.composition.projector import list_projections
from service.composition.service import compose
from service.pages.session import COOKIE
from service.player.repository import NewPlayer
from service.projection.database.opening import FOLDER
from service.projection.projector import Projector
from service.projection.reaction_progress import StoredReactionProgress
from service.projection.reactions import Reactions
from service.reactions.imports import FinishedImportFollower
from service.settings import read_settings
from tests.service.api.client import NDJSON, PGN, Api
from tests.service.redis_server import RedisServer

BEGINNING = 1_800_000_000_000
STEP = 1000


@dataclass
class Chance:
    """Replaces the clock and the operating system's random source."""

    random: Random = field(default_factory=lambda: Random(0))
    now: int = BEGINNING

    def token_bytes(self, count: int) -> bytes:
        return self.random.randbytes(count)

    def token_hex(self, count: int) -> str:
        return self.random.randbytes(count).hex()


@dataclass(frozen=True)
class Request:
    """A request: who makes it (None for nobody), and what is sent with it."""

    method: str
    path: str
    by: str | None = None
    body: Any = None
    record: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """All that a client sees of an answer."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


class Twin:
    """One of the two services; its random source is its own, but yields what the other's does."""

    def __init__(self, redis_server: RedisServer, number: int, folder: Path, seed: int) -> None:
        url = f"{redis_server.url}?db={number}"
        with redis.Redis.from_url(url) as store:
            store.flushdb()
        # Each has a database of its own, and the same keys.
        data_dir = folder / str(number)
        if data_dir.exists():
            shutil.rmtree(data_dir / FOLDER)
        elif (others := next(folder.glob("[0-9]"), None)) is not None:
            shutil.copytree(others, data_dir, ignore=shutil.ignore_patterns(FOLDER))
        own = {
            "MOVELOG_REDIS_URL": url,
            "MOVELOG_DATA_DIR": str(data_dir),
            "MOVELOG_RATE_LIMIT": "",
        }
        self.chance = Chance(Random(seed))
        self.api = Api(compose(read_settings(own)))
        self.players: dict[str, NewPlayer] = {}
        parts = self.api.service
        reactions = Reactions(
            StoredReactionProgress(parts.store),
            lambda games: None,
            [FinishedImportFollower(parts.imports, parts.announcer)],
        )
        self.projector = Projector(parts.games, parts.database, list_projections(parts), reactions)

    @property
    def page_rules(self) -> set[str]:
        """The rules of all pages that can be read."""
        return {
            rule.rule
            for rule in self.api.app.url_map.iter_rules()
            if rule.endpoint.startswith(("pages.", "embed.")) and "GET" in (rule.methods or ())
        }

    def send(self, request: Request) -> TestResponse:
        """Send a request; one for a page (`//…`) has the cookie of the player who is signed in."""
        if request.path.startswith("//"):
            return self._look_at(request)
        raw, kind = None, None
        if request.record is not None:
            raw, kind = request.record.encode(), PGN
        elif isinstance(request.body, list):
            raw, kind = "".join(f"{json.dumps(line)}\n" for line in request.body).encode(), NDJSON
        elif request.body is not None:
            raw, kind = json.dumps(request.body).encode(), "application/json"
        return self.api.send(
            request.method,
            request.path,
            self.players[request.by] if request.by else None,
            raw,
            kind,
            headers=request.headers,
            query=request.query,
        )

    def _look_at(self, request: Request) -> TestResponse:
        if request.by is not None:
            self.api.http.set_cookie(COOKIE, self.players[request.by].token.secret)
        answer = self.api.send(request.method, request.path, query=request.query)
        self.api.http.delete_cookie(COOKIE)
        return answer

    def project(self) -> None:
        """Let the lists of games catch up, without waiting for more."""
        parts = self.api.service
        while parts.checkpoints.count_behind(parts.log):
            self.projector.step(0.001)

    def close(self) -> None:
        self.api.service.store.close()


class Twins:
    """Both services; each request goes to both of them."""

    def __init__(self, both: tuple[Twin, Twin], use: Callable[[Chance], None]) -> None:
        self.both = both
        self._use = use

    def each(self, do: Callable[[Twin], Any]) -> tuple[Any, Any]:
        """Do the same in both; return both results."""
        done = []
        for twin in self.both:
            self._use(twin.chance)
            done.append(do(twin))
        return done[0], done[1]

    def ask(self, first: Request, second: Request | None = None) -> tuple[Answer, Answer]:
        """Both services' answers to a request, or each one's answer to its own."""
        answers = []
        for twin, request in zip(self.both, (first, second or first), strict=True):
            self._use(twin.chance)
            answers.append(seen(twin.send(request)))
        return answers[0], answers[1]

    def tick(self) -> None:
        """Let a second pass, and the lists of games catch up."""
        for twin in self.both:
            twin.chance.now += STEP
        self.project()

    def project(self) -> None:
        """Let the lists of games catch up."""
        self.each(lambda twin: twin.project())


def seen(answer: TestResponse) -> Answer:
    """An answer, read to its end and without its date."""
    body = answer.get_data()
    answer.close()
    # The web server's own clock is not the service's.
    headers = [(name, value) for name, value in answer.headers.items() if name != "Date"]
    return Answer(answer.status_code, tuple(sorted(headers)), body)


def blind(choice: str, nonce: str) -> str:
    """A commitment that does not depend on the choice."""
    return sha256(nonce.encode()).hexdigest()


@contextmanager
def twins(
    redis_server: RedisServer, folder: Path, patch: pytest.MonkeyPatch, seed: int
) -> Iterator[Twins]:
    """Two services that are alike, while the context lasts."""
    current = Chance()

    def use(chance: Chance) -> None:
        nonlocal current
        current = chance

    patch.setattr("service.composition.service.now", lambda: current.now)
    patch.setattr("service.composition.service.StoreTime", lambda store: lambda: current.now)
    patch.setattr("service.ids.secrets.token_bytes", lambda n: current.token_bytes(n))
    patch.setattr("service.ids.secrets.token_hex", lambda n: current.token_hex(n))
    patch.setattr("notation.kerd.sealing.commitment", blind)
    # Durations vary from request to request, whatever the secrets are.
    patch.setattr("service.projection.lag.REMEMBERED", -1.0)
    patch.setattr("service.operations.web_app.time.perf_counter", lambda: 0.0)
    # A position depends on the store's clock.
    patch.setattr("service.game_feed.position.PositionCipher.write", lambda *given: "1position")
    patch.setattr("prometheus_client.metrics._use_created", False)
    both = (Twin(redis_server, 1, folder, seed), Twin(redis_server, 2, folder, seed))
    try:
        yield Twins(both, use)
    finally:
        for twin in both:
            twin.close()
