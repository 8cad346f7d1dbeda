"""Errors of keys, nonces and sealed values.

ServiceError
├── NoKeys          the data directory has no keys, and the store has       no-keys
├── OtherKeys       the data directory's keys are not the store's           other-keys
├── NonceUsed       a nonce that came with another choice                   nonce-used
└── CannotUnseal    a sealed value that no key opens                        cannot-unseal
"""

from __future__ import annotations

from service.errors import ServiceError


class OtherKeys(ServiceError):
    """The keys in `file` are not the store's: `stored` and `own` are the fingerprints."""

    code = "other-keys"
    message = (
        "{file} is not the key of this store (fingerprint {own}, the store has"
        " {stored}): copy secret.key, choice.key and signing.key from a data"
        " directory of the same service, or name another store in MOVELOG_REDIS_URL"
    )
    file: str
    stored: str
    own: str


class NoKeys(ServiceError):
    """The data directory `data_dir` has no keys, and the store is that of a service with keys."""

    code = "no-keys"
    message = (
        "{data_dir} has no keys, but the store belongs to a service that has: name its data"
        " directory in MOVELOG_DATA_DIR, or copy secret.key, choice.key and signing.key from it"
        " (nothing was made)"
    )
    data_dir: str


class NonceUsed(ServiceError):
    """A nonce that came with another choice before: it could tell the two apart."""

    code = "nonce-used"
    message = "this nonce was used before; send a new random one, or none"


class CannotUnseal(ServiceError):
    """A sealed value that no key opens, or that belongs elsewhere."""

    code = "cannot-unseal"
    message = "{where} cannot be unsealed; is the key file the one it was sealed with?"
    where: str
