"""Sentences that remember what they were made from, so that they can be translated."""

from __future__ import annotations

from collections.abc import Callable, Mapping

Say = Callable[[str], str]
"""Translates a text, or returns it as it is where there is no translation."""


class Phrase(str):
    """An English sentence: its `template`, a format string, with `values` in their places."""

    template: str
    values: Mapping[str, object]


def phrase(template: str, /, **values: object) -> Phrase:
    """The sentence made from a template and its values.

    >>> phrase("at most {most} tags", most=9)
    'at most 9 tags'
    """
    made = Phrase(template.format_map(values))
    made.template, made.values = template, values
    return made


def translate(value: object, say: Say) -> object:
    """A phrase translated, with the phrases in it; anything else as it is.

    Phrases in mappings and lists are translated too.

    >>> translate(phrase("at most {most}", most=9), {"at most {most}": "höchstens {most}"}.get)
    'höchstens 9'
    """
    if isinstance(value, Mapping):
        return {name: translate(one, say) for name, one in value.items()}
    if isinstance(value, list):
        return [translate(one, say) for one in value]
    if not isinstance(value, Phrase):
        return value
    values = {name: translate(one, say) for name, one in value.values.items()}
    return say(value.template).format_map(values)
