"""Passwords: which may be chosen, and how they are hashed (NIST SP 800-63B, 5.1.1).

Hashing takes tens of milliseconds and 19 MiB. So it happens in native threads, which leave the loop
of the web process to others. Two passwords are hashed at a time while a few wait, and at most two
of one address are admitted, so that a flood of sign-ins takes nothing from anybody else.
"""

from __future__ import annotations

import unicodedata
from functools import cache, partial
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError

from engine.phrase import phrase
from service.accounts.account import fold_login
from service.accounts.errors import TooBusy, WeakPassword
from service.storage.native_threads import call_natively
from service.storage.turns import Turns

PASSES: Final = 2
MEMORY_KIB: Final = 19 * 1024
"""What OWASP recommends for Argon2id, on one thread."""
SHORTEST: Final = 8
LONGEST: Final = 256
AT_ONCE: Final = 2
"""Passwords that one process hashes at a time."""
MOST_ADMITTED: Final = 8
"""Passwords that one process hashes or that wait to be hashed."""
MOST_FOR_ONE: Final = 2
"""The same for one address."""
NOBODYS: Final = (
    "$argon2id$v=19$m=19456,t=2,p=1$dHkHq5kFerfSBXyhSaiic"
    "A$34tYVu1Y2lLdZmUK08Y8rkR3AiiO/YeuCB63r1qpTzo"
)
"""A hash of no password, compared for unknown names: that takes as long as for a known one."""


class Passwords:
    """Hashes passwords and compares them, as many at once as the process can bear."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher(PASSES, MEMORY_KIB, parallelism=1)
        self._turns = Turns(AT_ONCE, MOST_ADMITTED, MOST_FOR_ONE, TooBusy)

    def hash(self, password: str, address: str) -> str:
        """The hash to store of a password; raises TooBusy."""
        with self._turns.take(address):
            return call_natively(partial(self._hasher.hash, normalize(password)))

    def matches(self, hash: str | None, password: str, address: str) -> bool:
        """Whether a password has this hash; None, for nobody, takes as long. Raises TooBusy."""
        with self._turns.take(address):
            verify = partial(_verify, self._hasher, hash or NOBODYS, normalize(password))
            return call_natively(verify) and hash is not None

    def is_outdated(self, hash: str) -> bool:
        """Whether a hash was made with other parameters than today's."""
        return self._hasher.check_needs_rehash(hash)

    def count(self) -> int:
        """How many passwords are being hashed, or wait to be."""
        return self._turns.count()


def _verify(hasher: PasswordHasher, hash: str, password: str) -> bool:
    try:
        return hasher.verify(hash, password)
    except VerificationError:
        return False


def normalize(password: str) -> str:
    """A password as it is hashed: the same whichever keyboard typed it."""
    return unicodedata.normalize("NFKC", password[: 4 * LONGEST])


def check_password(password: str, *own: str) -> None:
    """Raise WeakPassword for a password that is too short, too long, common, or one of `own`."""
    length = len(normalize(password))
    if length < SHORTEST:
        raise WeakPassword(
            phrase(
                "has {length} characters; it needs at least {shortest}",
                length=length,
                shortest=SHORTEST,
            )
        )
    if length > LONGEST:
        raise WeakPassword(phrase("has more than {longest} characters", longest=LONGEST))
    bare = fold_login(password)
    if bare in list_commonest() or len(set(bare)) < 3:
        raise WeakPassword("is one of the most common passwords; choose another")
    if bare in {fold_login(name) for name in (*own, "movelog")}:
        raise WeakPassword("is your name or this service's; choose another")


@cache
def list_commonest() -> frozenset[str]:
    """The commonest passwords, in lower case."""
    # Imported only here: a process that hashes no password need not load it.
    from zxcvbn.frequency_lists import FREQUENCY_LISTS

    return frozenset(FREQUENCY_LISTS["passwords"])
