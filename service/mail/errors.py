"""Errors of e-mail. None of them tells an address.

ServiceError
├── BadAddress            this is no e-mail address                     bad-address
├── MailUnavailable       the operator has configured no mail server    mail-unavailable
├── TooManyConfirmations  a player or an address has had enough         too-many-confirmations
├── BadLink               the link in a mail is not one of ours         bad-link
├── ExpiredLink           it is, but it is too old                      expired-link
├── CannotSend            the mail server has not taken a message       cannot-send
└── MayBeSent             nobody knows whether it has                   may-be-sent
"""

from __future__ import annotations

from service.errors import ServiceError


class BadAddress(ServiceError):
    """A text that is no e-mail address to which mail could be sent."""

    code = "bad-address"
    message = "address: {reason}"
    reason: str


class MailUnavailable(ServiceError):
    """The service sends no mail, since no mail server is configured."""

    code = "mail-unavailable"
    message = "this service sends no e-mail: its operator has not configured a mail server"


class TooManyConfirmations(ServiceError):
    """A player, or an address, was sent as many confirmations as may be in a day."""

    code = "too-many-confirmations"
    message = "{limit} confirmations were sent within a day: look for them, or try again later"
    limit: int
    retry_after: int


class BadLink(ServiceError):
    """A link that this service has not made, or for another address than the player has now."""

    code = "bad-link"
    message = "this link is not valid: copy all of it from the mail, or ask for another"


class ExpiredLink(ServiceError):
    """A link that has confirmed nothing in its time."""

    code = "expired-link"
    message = "this link has expired: give your address again, and you are sent another"


class CannotSend(ServiceError):
    """The mail server has not taken a message; `reason` quotes nothing that the server said.

    `reached` says whether the server answered at all, `unknown_address` that it will not take mail
    for this address, today or later.
    """

    code = "cannot-send"
    message = "{reason}"
    reason: str
    reached: bool = False
    unknown_address: bool = False


class MayBeSent(ServiceError):
    """The message was handed over, and the connection was lost before the server's answer."""

    code = "may-be-sent"
    message = "{reason}"
    reason: str
