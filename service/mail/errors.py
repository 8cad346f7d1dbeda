"""Errors of e-mail. None of them reveals an address.

ServiceError
├── BadAddress            this is not an e-mail address                 bad-address
├── MailUnavailable       the operator has configured no mail server    mail-unavailable
├── TooManyConfirmations  a player or an address was sent enough        too-many-confirmations
├── BadLink               the link in a mail is not one of ours         bad-link
├── ExpiredLink           the link is ours, but too old                 expired-link
├── CannotSend            the mail server did not accept a message      cannot-send
└── MayBeSent             it is unknown whether the server accepted it  may-be-sent
"""

from __future__ import annotations

from service.errors import ServiceError


class BadAddress(ServiceError):
    """A text that is not an e-mail address to which mail could be sent."""

    code = "bad-address"
    message = "address: {reason}"
    reason: str


class MailUnavailable(ServiceError):
    """The service sends no mail, because no mail server is configured."""

    code = "mail-unavailable"
    message = "this service sends no e-mail: its operator has not configured a mail server"


class TooManyConfirmations(ServiceError):
    """A player, or an address, was sent as many confirmations as are allowed in a day."""

    code = "too-many-confirmations"
    message = "{limit} confirmations were sent within a day: look for them, or try again later"
    limit: int
    retry_after: int


class BadLink(ServiceError):
    """A link that this service did not make, or one for another address than the player's."""

    code = "bad-link"
    message = "this link is not valid: copy all of it from the mail, or ask for another"


class ExpiredLink(ServiceError):
    """A link that was not used to confirm an address in time."""

    code = "expired-link"
    message = "this link has expired: enter your address again to get another"


class CannotSend(ServiceError):
    """The mail server did not accept a message; `reason` quotes nothing that the server said.

    `refused` says that the server accepted the connection, the login and the sender, and refused
    this message; otherwise it accepts none. `unknown_address` says that it will never accept mail
    for this address.
    """

    code = "cannot-send"
    message = "{reason}"
    reason: str
    refused: bool = False
    unknown_address: bool = False


class MayBeSent(ServiceError):
    """The message was handed over, and the connection was lost before the server's answer."""

    code = "may-be-sent"
    message = "{reason}"
    reason: str
