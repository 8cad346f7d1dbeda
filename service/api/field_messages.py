"""What is wrong with single fields, in words that can be translated.

marshmallow fills in its messages before anybody sees them; here the parts are recognised again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from engine.phrase import phrase
from service.languages.texts import mark

TEMPLATES: Final = (
    # marshmallow's own
    mark("Missing data for required field."),
    mark("Unknown field."),
    mark("Field may not be null."),
    mark("Invalid value."),
    mark("Invalid type."),
    mark("Invalid input type."),
    mark("Not a valid string."),
    mark("Not a valid utf-8 string."),
    mark("Not a valid integer."),
    mark("Number too large."),
    mark("Not a valid boolean."),
    mark("Not a valid list."),
    mark("Not a valid mapping type."),
    mark("String does not match expected pattern."),
    mark("Must be one of: {choices}."),
    mark("Length must be between {min} and {max}."),
    mark("Length must be {equal}."),
    mark("Longer than maximum length {max}."),
    mark("Shorter than minimum length {min}."),
    mark("Must be greater than or equal to {min} and less than or equal to {max}."),
    mark("Must be greater than or equal to {min}."),
    mark("Must be less than or equal to {max}."),
    # the schemas'
    mark("Not an id."),
    mark("1 to {most} characters."),
    mark("1 to 255 printable ASCII characters."),
    mark("is needed"),
    mark("a whole number from {least} to {most}"),
    mark("one of {choices}"),
    mark("an id or a name of at most {most} characters"),
    mark("up to {most} ids of games, joined by commas"),
    mark("names out of {choices}, with commas between"),
    mark("expected one object"),
)
"""The messages, as format strings with the names of their values."""
FORMS: Final[Mapping[str, re.Pattern[str]]] = {
    template: re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", re.escape(template)), re.DOTALL)
    for template in TEMPLATES
}


def recognise_messages(messages: Any) -> Any:
    """Messages, alone or in lists and mappings by field, as phrases if their form is known.

    >>> recognise_messages({"name": ["Longer than maximum length 80."]})["name"][0].values
    {'max': '80'}
    """
    if isinstance(messages, Mapping):
        return {field: recognise_messages(inner) for field, inner in messages.items()}
    if isinstance(messages, list):
        return [recognise_messages(inner) for inner in messages]
    for template, form in FORMS.items():
        if found := form.fullmatch(messages):
            return phrase(template, **found.groupdict())
    return messages
