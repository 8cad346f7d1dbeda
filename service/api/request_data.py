"""Request bodies and query parameters, checked before they are used."""

from __future__ import annotations

import json
from typing import Any

from flask import current_app, request
from flask.globals import request_ctx
from marshmallow import Schema, ValidationError
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import RequestEntityTooLarge

from engine.phrase import phrase
from service.api.errors import BadParameter, MalformedJson, WrongMediaType
from service.api.field_messages import recognise_messages
from service.api.schemas.queries import QuerySchema

NONE = QuerySchema()
NO_FIELDS = Schema()
"""The body of a request that has nothing to say: none at all, or an empty object."""
MOST_DIGITS = 300
"""The most digits of a number in a body: more than any field needs, and still fast to read."""


def _refuse_constant(name: str) -> None:
    raise ValueError(phrase("{name} is not JSON", name=name))


def _parse_whole_number(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError("a number has too many digits")
    return int(digits)


def _make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; duplicate names are refused, as readers disagree about them (RFC 8259, 4)."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a name is given twice in one object")
    return members


DECODER = json.JSONDecoder(
    parse_constant=_refuse_constant, parse_int=_parse_whole_number, object_pairs_hook=_make_object
)


def read_body(schema: Schema) -> dict[str, Any]:
    """The request's JSON object, loaded by the schema.

    Raises WrongMediaType, MalformedJson, BadParameter or marshmallow's ValidationError.
    """
    return load_fields(schema, read_json())


def read_json() -> dict[str, Any]:
    """The JSON object of a request without query parameters.

    Raises WrongMediaType, MalformedJson or BadParameter.
    """
    own = request_ctx.request
    if own.query_string:
        read_query()
    if own.mimetype not in ("application/json", ""):
        raise WrongMediaType(("application/json",))
    return parse_json(read_content())


def read_content() -> bytes:
    """The body of the request; raises RequestEntityTooLarge."""
    own = request_ctx.request
    data = own.get_data()
    # A body without a length is cut off at the limit without notice.
    if own.content_length is None and len(data) >= current_app.config["MAX_CONTENT_LENGTH"]:
        raise RequestEntityTooLarge
    return data


def parse_json(data: bytes) -> dict[str, Any]:
    """The JSON object these bytes hold, in UTF-8 (RFC 8259, 8.1); raises MalformedJson."""
    try:
        text = data.decode()
        value = DECODER.decode(text or "{}")
        if "\\u" in text:
            # An escape may be half a surrogate pair, which nothing after this could encode.
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError as error:
        raise MalformedJson("the body is not JSON: nested too deep") from error
    except ValueError as error:
        raise MalformedJson(
            phrase("the body is not JSON: {value}", value=str(error)[:200])
        ) from error
    if not isinstance(value, dict):
        raise MalformedJson("the body is not a JSON object")
    return value


def load_fields(schema: Schema, value: dict[str, Any]) -> dict[str, Any]:
    """The value, loaded by the schema; raises ValidationError."""
    loaded = schema.load(value)
    if not isinstance(loaded, dict):
        raise ValidationError("expected one object")
    return loaded


def read_query(schema: Schema = NONE) -> dict[str, Any]:
    """The query parameters, loaded by the schema, without absent ones that have no default.

    Raises BadParameter for a parameter that is unknown, duplicate, missing or invalid.
    """
    if schema is NONE and not request.query_string:
        return {}
    return load_parameters(schema, request.args)


def load_parameters(schema: Schema, given: MultiDict[str, str]) -> dict[str, Any]:
    """Parameters, loaded by the schema; raises the errors of `read_query`."""
    known = [field.data_key or name for name, field in schema.fields.items()]
    for name in given:
        if name not in known:
            raise BadParameter(
                name, phrase("unknown; there is {none}", none=", ".join(known) or "none")
            )
        if len(given.getlist(name)) > 1:
            raise BadParameter(name, "given twice")
    if not known:
        return {}
    try:
        return load_fields(schema, dict(given.items()))
    except ValidationError as error:
        assert isinstance(error.messages, dict)
        name, messages = next(iter(error.messages.items()))
        raise BadParameter(str(name), recognise_messages(messages[0])) from error
