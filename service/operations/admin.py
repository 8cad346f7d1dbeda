"""The first admin: made at the first start, with a token in the data directory."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from service.composition import Service
from service.errors import NotFound
from service.ids import derived_id, keyed_digest
from service.log.errors import AlreadyDone
from service.log.values import Receipt
from service.operations.data_dir import write_private
from service.operations.errors import NoAdmin
from service.player.state import stream_of
from service.player.tokens import NewToken
from service.scopes import SCOPES

OPERATOR: Final = "movelog:operator"
"""Who acts in the log when somebody with access to the machine does."""

NAME: Final = "admin"


def make_first_admin(service: Service) -> bool:
    """Register the first admin and write their token, once in the life of a log.

    Returns whether the token was written now. A token file that was removed since stays
    removed. A start that broke off between the two steps leaves the file empty, and the next
    one fills it: the token derives from the service's key.
    """
    file = service.settings.admin_token_file
    id = derived_id(service.secret, "first-admin")
    key = keyed_digest(service.secret, "first-admin")
    receipt = Receipt(key, fingerprint="", status=201, first=0, last=0)
    if service.log.version(stream_of(id)) == 0:
        write_private(file, b"")
    elif not _is_empty(file):
        return False
    try:
        admin = service.players.register(NAME, OPERATOR, SCOPES, id=id, receipt=receipt)
    except AlreadyDone:
        admin = service.players.registered_with(id, receipt)
    _write(service, admin.token)
    return True


def replace_admin_token(service: Service, *, keep_old: bool) -> None:
    """Write a new token of the first admin, making them first if need be.

    Their other tokens are revoked unless `keep_old`. Raises NoAdmin when they were erased.
    """
    if make_first_admin(service):
        return
    id = derived_id(service.secret, "first-admin")
    old = service.players.load(id).tokens
    try:
        made = service.players.issue(id, SCOPES, OPERATOR)
    except NotFound as error:
        raise NoAdmin from error
    _write(service, made)
    for token in () if keep_old else old:
        service.players.revoke(id, token, OPERATOR)


def _write(service: Service, made: NewToken) -> None:
    write_private(service.settings.admin_token_file, f"{made.secret}\n".encode())


def _is_empty(file: Path) -> bool:
    return file.exists() and file.stat().st_size == 0
