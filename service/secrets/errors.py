"""Errors of keys, nonces and sealed values.

ServiceError
├── NoKeys          a key is missing, but the store has one                   no-keys
├── OtherKeys       the process's keys are not the store's                    other-keys
├── KeyStillNeeded  a dropped key may have sealed something                   key-still-needed
├── KeysGiven       the operator provides the key, not the service            keys-given
├── NonceUsed       a nonce used with another choice before                   nonce-used
└── CannotUnseal    a sealed value that no key opens, or a key to seal with   cannot-unseal
"""

from __future__ import annotations

from service.errors import ServiceError


class OtherKeys(ServiceError):
    """The key of `origin` is not the store's: `stored` and `own` are the fingerprints."""

    code = "other-keys"
    message = (
        "{origin} is not the key of this store (fingerprint {own}, the store has"
        " {stored}): copy secret.key, choice.key and signing.key from a data"
        " directory of the same service, or give their contents in MOVELOG_SECRET_KEY_FILE,"
        " MOVELOG_CHOICE_KEYS_FILE and MOVELOG_SIGNING_KEYS_FILE, or name another store in"
        " MOVELOG_REDIS_URL"
    )
    origin: str
    stored: str
    own: str


class NoKeys(ServiceError):
    """There is no key at `origin`, but the store belongs to a service that has one."""

    code = "no-keys"
    message = (
        "there is no {origin}, but the store belongs to a service that has keys: name its data"
        " directory in MOVELOG_DATA_DIR, or copy secret.key, choice.key and signing.key from it,"
        " or name such files in MOVELOG_SECRET_KEY_FILE, MOVELOG_CHOICE_KEYS_FILE and"
        " MOVELOG_SIGNING_KEYS_FILE (nothing was made)"
    )
    origin: str


class KeyStillNeeded(ServiceError):
    """A choice key with the fingerprint `key` may have sealed something, and `origin` lacks it."""

    code = "key-still-needed"
    message = (
        "{origin} lacks the key {key}, with which secret choices may still be sealed: put it back"
        " behind the others, run `movelog key rotate`, and drop it then"
    )
    origin: str
    key: str


class KeysGiven(ServiceError):
    """The operator provides the key of `origin`, so the service cannot change it."""

    code = "keys-given"
    message = "{origin} is given by the operator, and cannot be changed by the service"
    origin: str


class NonceUsed(ServiceError):
    """A nonce that was used with another choice before: it could distinguish the two."""

    code = "nonce-used"
    message = "this nonce was used before; send a new random one, or none"


class CannotUnseal(ServiceError):
    """No key opens the sealed value, or it belongs elsewhere; or there is no key to seal with."""

    code = "cannot-unseal"
    message = "{where} cannot be sealed or unsealed; has this process all keys of the service?"
    where: str
