"""The operator's admin: created at the first start, with a token in the data directory."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Final

from service.composition.service import Service
from service.errors import NotFound, WrongExpectedVersion
from service.ids import derived_id, keyed_digest
from service.log.errors import AlreadyDone
from service.log.values import Receipt
from service.operations.data_dir import make_private, write_private
from service.player.admins import OPERATOR
from service.player.commands import Principal
from service.player.scopes import SCOPES
from service.player.state import stream_of
from service.player.tokens import NewToken

NAME: Final = "admin"
UNBOUNDED: Final = Principal(OPERATOR, None)
"""The service's operator, whom no token limits."""


def make_first_admin(service: Service) -> bool:
    """Register the first admin and write their token, once in the life of a log.

    Returns whether a token was written now. A token file that was removed since stays removed. A
    start that was interrupted between the two steps leaves the file empty, and the next one fills
    it, since the token derives from the service's key. If that token was revoked since, or its
    player erased, the file gets a new one.
    """
    file = service.settings.admin_token_file
    id = find_admin(service, 0)
    key = keyed_digest(service.secret, "first-admin")
    receipt = Receipt(key, fingerprint="", status=201, first=0, last=0)
    if service.log.version(stream_of(id)) == 0:
        make_private(file.parent)
        write_private(file, b"")
    elif not _is_empty(file):
        return False
    try:
        made = register(service, id, receipt)
    except AlreadyDone:
        try:
            made = service.players.registered_with(id, receipt).token
        except NotFound:
            _, made = issue_admin_token(service)
    _write(service, made)
    return True


def replace_admin_token(service: Service, *, keep_old: bool) -> None:
    """Write a new token of the operator's admin, creating the admin first if need be.

    Their other tokens are revoked unless `keep_old`. If the admin was erased, another is
    registered: whoever has the data directory can always get in again.
    """
    if make_first_admin(service):
        return
    id, made = issue_admin_token(service)
    _write(service, made)
    for token in service.players.load(id).tokens:
        if not keep_old and token != made.token.id:
            service.players.revoke(id, token, UNBOUNDED)


def issue_admin_token(service: Service) -> tuple[str, NewToken]:
    """The id and a new token of the operator's admin; registers one if all were erased."""
    for number in count():
        id = find_admin(service, number)
        try:
            if service.players.load(id).erased:
                continue
            return id, service.players.issue(id, SCOPES, UNBOUNDED)
        except NotFound:
            # Does not exist yet, or was just erased: then the next number is free.
            try:
                return id, register(service, id)
            except WrongExpectedVersion:
                continue
    raise AssertionError


def register(service: Service, id: str, receipt: Receipt | None = None) -> NewToken:
    """Register the operator's admin with this id; returns the first token."""
    players = service.players
    return players.register(NAME, UNBOUNDED, SCOPES, id=id, reserved=True, receipt=receipt).token


def find_admin(service: Service, number: int) -> str:
    """The id of the operator's admin: the first, or one registered after those before were erased.

    It derives from the service's key, so it need not be stored anywhere.
    """
    return derived_id(service.secret, "first-admin", *([str(number)] if number else []))


def _write(service: Service, made: NewToken) -> None:
    make_private(service.settings.data_dir)
    write_private(service.settings.admin_token_file, f"{made.secret}\n".encode())


def _is_empty(file: Path) -> bool:
    return file.exists() and file.stat().st_size == 0
