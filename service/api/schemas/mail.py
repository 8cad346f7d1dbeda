"""Requests about e-mail. Unknown fields are refused."""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from service.languages.catalogue import LANGUAGES
from service.mail.address import LONGEST
from service.mail.subscription import EVENTS, Pace

LONGEST_LINK = 1000
"""The most characters of a link's token."""


class SubscriptionSchema(Schema):
    """A player's address, and what mail they want there."""

    address = fields.String(required=True, validate=validate.Length(3, LONGEST))
    events = fields.List(
        fields.String(validate=validate.OneOf(EVENTS)),
        load_default=list(EVENTS),
        validate=validate.Length(1, len(EVENTS)),
    )
    pace = fields.String(
        validate=validate.OneOf([pace.value for pace in Pace]), load_default=Pace.IMMEDIATELY.value
    )
    language = fields.String(validate=validate.OneOf(list(LANGUAGES)), load_default=None)


class LinkSchema(Schema):
    """The token of a link in a mail."""

    token = fields.String(required=True, validate=validate.Length(1, LONGEST_LINK))
