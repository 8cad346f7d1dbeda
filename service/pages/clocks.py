"""A game's clocks as text."""

from __future__ import annotations

from service.languages.texts import ngettext
from service.pages.site import pages


@pages.app_template_filter("clock")
def write_clock(milliseconds: int) -> str:
    """What a clock shows, in whole seconds: hours only if there are any, days in words.

    >>> write_clock(172_900), write_clock(5_400_000), write_clock(259_200_000), write_clock(0)
    ('2:52', '1:30:00', '3 days 0:00', '0:00')
    """
    seconds = milliseconds // 1000
    days, seconds = divmod(seconds, 86_400)
    hours, seconds = divmod(seconds, 3600)
    minutes, seconds = divmod(seconds, 60)
    shown = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return f"{ngettext('%(num)s day', '%(num)s days', days)} {shown}" if days else shown
