"""The first admin and their token."""

from __future__ import annotations

import pytest

from service.composition import Service
from service.ids import derived_id
from service.operations.admin import OPERATOR, make_first_admin, replace_admin_token
from service.operations.errors import NoAdmin
from service.player.tokens import BadToken
from service.scopes import SCOPES


def written(service: Service) -> str:
    return service.settings.admin_token_file.read_text().strip()


def test_the_first_start_writes_a_token_for_everything(service: Service) -> None:
    assert make_first_admin(service)
    bearer = service.bearers.authenticate(written(service))
    assert bearer.actor.scopes == frozenset(SCOPES)
    assert service.settings.admin_token_file.stat().st_mode & 0o777 == 0o600


def test_later_starts_leave_it_alone(service: Service) -> None:
    make_first_admin(service)
    token = written(service)
    assert not make_first_admin(service)
    assert written(service) == token
    service.settings.admin_token_file.unlink()
    assert not make_first_admin(service)
    assert not service.settings.admin_token_file.exists()


def test_a_start_broken_off_halfway_is_made_good(service: Service) -> None:
    make_first_admin(service)
    token = written(service)
    service.settings.admin_token_file.write_bytes(b"")
    assert make_first_admin(service)
    assert written(service) == token


def test_a_lost_token_is_replaced_and_good_for_nothing(service: Service) -> None:
    make_first_admin(service)
    lost = written(service)
    replace_admin_token(service, keep_old=False)
    assert service.bearers.authenticate(written(service)).actor.scopes == frozenset(SCOPES)
    with pytest.raises(BadToken):
        service.bearers.authenticate(lost)


def test_an_old_token_may_be_kept(service: Service) -> None:
    make_first_admin(service)
    old = written(service)
    replace_admin_token(service, keep_old=True)
    assert written(service) != old
    assert service.bearers.authenticate(old).actor == (
        service.bearers.authenticate(written(service)).actor
    )


def test_a_token_is_made_where_nothing_was_started_yet(service: Service) -> None:
    replace_admin_token(service, keep_old=False)
    assert service.bearers.authenticate(written(service)).actor.scopes == frozenset(SCOPES)


def test_an_erased_admin_gets_no_token(service: Service) -> None:
    make_first_admin(service)
    service.players.erase(derived_id(service.secret, "first-admin"), OPERATOR)
    with pytest.raises(NoAdmin):
        replace_admin_token(service, keep_old=False)
