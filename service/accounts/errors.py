"""The errors raised to people who sign in or change their credentials.

ServiceError
├── RegistrationClosed  only admins register players here                  registration-closed
├── SignInRefused       no such name with such a password                  sign-in-refused
├── TooManyTries        too many tries to sign in or register from here    too-many-tries
├── TooBusy             too many passwords are being checked               too-busy
├── WeakPassword        this is no password to choose                      weak-password
├── NameInUse           somebody signs in by this name                     name-in-use
├── LesserSession       the session is good for less than the player       lesser-session
├── StaleSession        the session is too old to change how one signs in  stale-session
├── LastWayIn           nothing would be left to sign in with              last-way-in
├── BadSignInLink       the link was used, has expired, or is none         bad-sign-in-link
├── AnothersLink        the link confirms an address of somebody else      anothers-link
├── AddressInUse        another player signs in with this address          address-in-use
├── PasskeyRefused      no passkey of this site, or an answer sent twice   passkey-refused
├── IdentityRefused     the provider has not said who somebody is          identity-refused
├── IdentityInUse       another player signs in with this identity         identity-in-use
└── IdentityUnavailable the provider cannot be reached                     identity-unavailable
"""

from __future__ import annotations

from service.errors import Forbidden, ServiceError, WrongState


class RegistrationClosed(Forbidden):
    """Only admins register players on this service."""

    code = "registration-closed"
    message = "only an admin registers players here: ask one for an account"


class SignInRefused(ServiceError):
    """Nobody has this name and this password; the error does not say which of the two is wrong."""

    code = "sign-in-refused"
    message = "the name and the password do not match"


class TooManyTries(ServiceError):
    """An address has tried to sign in, or registered, too often; `retry_after` is in seconds."""

    code = "too-many-tries"
    message = (
        "too many tries to sign in or register came from your network:"
        " try again in {retry_after} s, or sign in another way"
    )
    retry_after: int


class TooBusy(ServiceError):
    """No more passwords can be checked at the moment; `retry_after` is in seconds."""

    code = "too-busy"
    message = "too many people are signing in just now: try again in a few seconds"
    retry_after = 3


class WeakPassword(ServiceError):
    """A password that is too short or easily guessed."""

    code = "weak-password"
    message = "this password {reason}"
    reason: str


class NameInUse(ServiceError):
    """Another player signs in by this name."""

    code = "name-in-use"
    message = "somebody else signs in as {name!r}: choose another name, for example a longer one"
    name: str


class LesserSession(Forbidden):
    """The session's token has fewer rights than the player, or expires."""

    code = "lesser-session"
    message = (
        "you have signed in with a token that does not allow everything: sign in another way,"
        " or with a token that has all your rights and does not expire"
    )


class StaleSession(Forbidden):
    """The session is too old for its browser to be trusted with the player's credentials."""

    code = "stale-session"
    message = "you signed in a while ago: give your password, or sign in again, and repeat this"


class LastWayIn(WrongState):
    """Without this credential the player could never sign in again."""

    code = "last-way-in"
    message = "this is your only way to sign in: add another one first"


class BadSignInLink(ServiceError):
    """A link that was used, has expired, or was not made by this service."""

    code = "bad-sign-in-link"
    message = "this link was used before or has expired: ask for another"


class AnothersLink(Forbidden):
    """A link that confirms an address, not followed by the player who asked for it."""

    code = "anothers-link"
    message = (
        "this link confirms an address for another player: sign in as that player first,"
        " or leave it if you did not ask for it"
    )


class AddressInUse(WrongState):
    """Another player signs in with this e-mail address."""

    code = "address-in-use"
    message = "another player signs in with this address: remove it there first"


class PasskeyRefused(ServiceError):
    """Nobody has this passkey, or it answers no challenge of this site; the message is the same."""

    code = "passkey-refused"
    message = "this passkey is not known here: sign in another way"


class IdentityRefused(ServiceError):
    """The provider has not signed the person in, or its answer cannot be trusted."""

    code = "identity-refused"
    message = "the other service did not sign you in: {reason}"
    reason: str


class IdentityInUse(WrongState):
    """Another player signs in with this identity."""

    code = "identity-in-use"
    message = "another player signs in this way already: remove it there first"


class IdentityUnavailable(ServiceError):
    """The provider cannot be reached, or its answer is not one of an OpenID Connect provider."""

    code = "identity-unavailable"
    message = "the other service cannot be reached: try again later, or sign in another way"
