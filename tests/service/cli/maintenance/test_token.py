"""`movelog token` lets whoever has the data directory in again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from service.cli import main
from service.composition.service import Service, compose
from service.ids import derived_id
from service.operations.admin import make_first_admin
from service.operations.reachable_store import reach_store
from service.player.admins import OPERATOR
from service.player.commands import Principal
from service.player.errors import BadToken
from service.player.scopes import SCOPES
from service.settings import Settings, read_settings
from tests.service.expired_tokens import issue_expired
from tests.service.redis_server import RedisServer

Loss = Callable[[Service, str], object]


def revoked(service: Service, admin: str) -> None:
    service.players.register("Bea", None, scopes=SCOPES)
    for token in service.players.load(admin).tokens:
        service.players.revoke(admin, token, Principal(admin, None))


def expired(service: Service, admin: str) -> None:
    revoked(service, admin)
    issue_expired(service.players, admin, SCOPES, Principal(OPERATOR, None))


def erased(service: Service, admin: str) -> None:
    service.players.register("Bea", None, scopes=SCOPES)
    service.players.erase(admin, Principal(admin, None))


def without_file(service: Service, admin: str) -> None:
    service.settings.admin_token_file.unlink()


def with_empty_file(service: Service, admin: str) -> None:
    erased(service, admin)
    service.settings.admin_token_file.write_bytes(b"")


LOSSES = [revoked, expired, erased, without_file, with_empty_file]


def lose(settings: Settings, loss: Loss) -> str:
    """Start a service once and let it lose its admin; return the admin's old token."""
    service = compose(settings)
    make_first_admin(service)
    old = settings.admin_token_file.read_text().strip()
    loss(service, derived_id(service.secret, "first-admin"))
    service.store.close()
    return old


def check_admin(settings: Settings, old: str) -> None:
    """The token in the file has every scope, and the old one is refused."""
    service = compose(settings)
    token = settings.admin_token_file.read_text().strip()
    assert service.bearers.authenticate(token).actor.scopes == frozenset(SCOPES)
    with pytest.raises(BadToken):
        service.bearers.authenticate(old)
    service.store.close()


@pytest.mark.parametrize("loss", LOSSES)
def test_it_works_beside_a_running_service(
    loss: Loss,
    redis_server: RedisServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MOVELOG_REDIS_URL", redis_server.url)
    settings = read_settings(
        {"MOVELOG_REDIS_URL": redis_server.url, "MOVELOG_DATA_DIR": str(tmp_path)}
    )
    old = lose(settings, loss)
    assert main(["token", "--data-dir", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{settings.admin_token_file}\n"
    check_admin(settings, old)


@pytest.mark.parametrize("loss", [erased, without_file])
def test_it_works_where_no_service_is_running(
    loss: Loss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MOVELOG_REDIS_URL", raising=False)
    stopped = read_settings({"MOVELOG_DATA_DIR": str(tmp_path)})
    with reach_store(stopped) as settings:
        old = lose(settings, loss)
    assert main(["token", "--data-dir", str(tmp_path)]) == 0
    with reach_store(stopped) as settings:
        check_admin(settings, old)
