"""The first admin and their token."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from service.composition.service import Service
from service.ids import derived_id
from service.operations.admin import (
    issue_admin_token,
    make_first_admin,
    replace_admin_token,
)
from service.player.admins import OPERATOR
from service.player.commands import Principal
from service.player.errors import BadToken
from service.player.scopes import SCOPES
from service.player.tokens import NewToken
from tests.service.expired_tokens import issue_expired


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


def test_the_operator_gets_in_again_after_every_loss(service: Service) -> None:
    """Whatever happened to an archive's admin: revoked, expired, erased, or erased twice."""
    make_first_admin(service)
    players = service.players
    other = players.register("Bea", None, scopes=SCOPES)
    for lose in (revoke_all, expire_all, erase, erase):
        admin = service.bearers.authenticate(written(service)).actor.player
        lose(service, admin)
        replace_admin_token(service, keep_old=False)
        bearer = service.bearers.authenticate(written(service))
        assert bearer.actor.scopes == frozenset(SCOPES)
        assert (bearer.actor.player == admin) == (lose is not erase)
        assert len(players.load(bearer.actor.player).tokens) == 1
    assert service.bearers.authenticate(other.token.secret).actor.scopes == frozenset(SCOPES)


def revoke_all(service: Service, admin: str) -> None:
    for token in service.players.load(admin).tokens:
        service.players.revoke(admin, token, Principal(OPERATOR, None))


def expire_all(service: Service, admin: str) -> None:
    revoke_all(service, admin)
    issue_expired(service.players, admin, SCOPES, Principal(OPERATOR, None))


def erase(service: Service, admin: str) -> None:
    service.players.erase(admin, Principal(OPERATOR, None))


@pytest.mark.parametrize("lose", [revoke_all, erase])
def test_a_token_file_left_empty_is_filled_also_when_its_token_is_gone(
    service: Service, lose: Callable[[Service, str], None]
) -> None:
    make_first_admin(service)
    service.players.register("Bea", None, scopes=SCOPES)
    lose(service, derived_id(service.secret, "first-admin"))
    service.settings.admin_token_file.write_bytes(b"")
    assert make_first_admin(service)
    assert service.bearers.authenticate(written(service)).actor.scopes == frozenset(SCOPES)


def test_an_erased_admins_number_taken_just_now_is_passed_over(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_first_admin(service)
    service.players.register("Bea", None, scopes=SCOPES)
    first = derived_id(service.secret, "first-admin")

    def erased_meanwhile(id: str, *given: object) -> NewToken:
        monkeypatch.undo()
        erase(service, first)
        return service.players.issue(id, SCOPES, Principal(OPERATOR, None))

    monkeypatch.setattr(service.players, "issue", erased_meanwhile)
    id, made = issue_admin_token(service)
    assert id != first
    assert service.bearers.authenticate(made.secret).actor.player == id
