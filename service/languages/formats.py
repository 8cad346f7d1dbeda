"""Dates and numbers in the format of the reader's language."""

from __future__ import annotations

from datetime import datetime

from babel.dates import format_date as write_date
from babel.dates import format_time as write_time
from babel.numbers import format_decimal

from service.languages.catalogue import SOURCE
from service.languages.texts import get_language


def format_number(number: float, decimals: int | None = None) -> str:
    """A number with the language's separators for thousands and decimals.

    >>> format_number(1234.5), format_number(62.25, 1)
    ('1,234.5', '62.2')
    """
    form = None if decimals is None else f"#,##0.{decimals * '0'}"
    return str(format_decimal(number, form, locale=get_language()))


def format_moment(moment: datetime) -> str:
    """A day and a minute.

    >>> from service.languages.texts import use_language
    >>> at = datetime(2026, 3, 1, 18, 5)
    >>> format_moment(at)
    '2026-03-01 18:05'
    >>> with use_language("de"):
    ...     format_moment(at)
    '01.03.2026 18:05'
    """
    return f"{format_day(moment)} {write_time(moment, 'HH:mm', locale=get_language())}"


def format_weekday(moment: datetime) -> str:
    """A day in full, with its weekday.

    >>> from service.languages.texts import use_language
    >>> format_weekday(datetime(2027, 1, 15))
    'Friday, 15 January 2027'
    >>> with use_language("de"):
    ...     format_weekday(datetime(2027, 1, 15))
    'Freitag, 15. Januar 2027'
    """
    language = get_language()
    form = "EEEE, d MMMM y" if language == SOURCE else "full"
    return str(write_date(moment, form, locale=language))


def format_day(moment: datetime) -> str:
    """A day; in English, which is read everywhere, in the format of the API."""
    language = get_language()
    form = "yyyy-MM-dd" if language == SOURCE else "medium"
    return str(write_date(moment, form, locale=language))
