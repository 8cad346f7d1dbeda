"""A client generated from the contract plays a game on a real service."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

from tests.contracts.document import FILE, operations
from tests.service.redis_server import RedisServer
from tests.service.web_server import WebServer

NAME = "movelog_client"
MOST_MODELS = 265
LONGEST = 400
"""Limit in plies for the game below, which the rules end sooner."""

Call = Callable[..., Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The generated client, which must generate without warnings."""
    generated = tmp_path_factory.mktemp("client") / NAME
    generator = Path(sys.executable).with_name("openapi-python-client")
    config = FILE.parent / "docs" / "client.yaml"
    command: list[str | Path] = [generator, "generate", "--path", FILE, "--config", config]
    command += ["--meta", "none", "--output-path", generated, "--fail-on-warning"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return generated


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[ModuleType]:
    sys.path.insert(0, str(folder.parent))
    yield importlib.import_module(NAME)
    sys.path.remove(str(folder.parent))
    for name in [name for name in sys.modules if name.partition(".")[0] == NAME]:
        del sys.modules[name]


@pytest.fixture
def server(redis_server: RedisServer, tmp_path: Path) -> Iterator[WebServer]:
    with WebServer(redis_server.url, tmp_path) as running:
        yield running


def api(path: str) -> Call:
    """The generated function for an operation."""
    call: Call = importlib.import_module(f"{NAME}.api.{path}").sync
    return call


def model(name: str) -> Any:
    """A generated class."""
    return getattr(importlib.import_module(f"{NAME}.models"), name)


@pytest.mark.slow
def test_a_generated_client_has_every_operation_and_few_models(folder: Path) -> None:
    generated = [path for path in folder.glob("api/*/*.py") if path.name != "__init__.py"]
    assert len(generated) == len(operations())
    models = [path for path in (folder / "models").glob("*.py") if path.name != "__init__.py"]
    assert len(models) <= MOST_MODELS


@pytest.mark.slow
def test_a_generated_client_plays_a_game(client: ModuleType, server: WebServer) -> None:
    with ExitStack() as open_clients:
        stranger = open_clients.enter_context(client.Client(base_url=server.url))
        ada, brahim = (
            open_clients.enter_context(
                client.AuthenticatedClient(base_url=server.url, token=register(name, stranger))
            )
            for name in ("Ada", "Brahim")
        )
        wish = model("NewGame")(variant=model("Variant").KATRUJI, side=model("SideName").FIRST)
        game = api("games.create_game")(client=ada, body=wish)
        accept = model("PlainCommand")(type_=model("PlainCommandType").ACCEPT)
        api("games.send_command")(game.id, client=brahim, body=accept)

        refused = play(game.id, "Zz9", ada)
        assert isinstance(refused, model("Problem"))
        assert refused.code == model("ProblemCode").ILLEGAL_MOVE

        random, sides = Random(1), {"first": ada, "second": brahim}
        for _ in range(LONGEST):
            legal = api("games.list_legal_actions")(game.id, client=stranger)
            if not legal.actions:
                break
            done = play(game.id, random.choice(legal.actions).action, sides[legal.to_act])
            assert isinstance(done, model("Done")), done

        ended = api("games.get_game")(game.id, client=stranger)
    assert ended.status == model("Status").FINISHED
    assert ended.result in set(model("Result")) - {model("Result")("*")}
    assert len(ended.actions) == ended.ply > 10


def register(name: str, client: Any) -> str:
    """Register a player, which needs no token, and return their token."""
    player = api("players.register_player")(client=client, body=model("NewPlayer")(name=name))
    secret: str = player.token.secret
    return secret


def play(id: str, action: str, client: Any) -> Any:
    """Play an action and return the answer."""
    body = model("NewAction")(action=action)
    return api("games.play_action")(id, client=client, body=body)
