"""What is sent to an OpenID Connect provider, and its answers (`service.accounts.provider`)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attempt:
    """A sign-in that has been sent to the provider: what its answer must match."""

    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True, slots=True)
class ProviderIdentity:
    """An identity at the provider: who issued it, its id there, and a label for people."""

    issuer: str
    subject: str
    label: str
