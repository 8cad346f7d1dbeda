"""The name of a browser in the list of sessions, derived from its `User-Agent`."""

from __future__ import annotations

from typing import Final

from service.languages.texts import mark

BROWSERS: Final = {
    "Edg": "Edge",
    "OPR": "Opera",
    "SamsungBrowser": "Samsung Internet",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "CriOS": "Chrome",
    "Chromium": "Chromium",
    "Chrome": "Chrome",
    "Safari": "Safari",
}
SYSTEMS: Final = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "CrOS": "ChromeOS",
    "Windows": "Windows",
    "Mac OS": "macOS",
    "Linux": "Linux",
}
"""What parts of a `User-Agent` mean; the first found counts, since many name others as well."""
UNKNOWN: Final = mark("Unknown browser")
ON: Final = " on "


def name_browser(agent: str) -> str:
    """A browser and its system in words.

    >>> name_browser("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox on Linux'
    >>> name_browser("curl/8")
    'Unknown browser'
    """
    browser = next((name for sign, name in BROWSERS.items() if sign in agent), UNKNOWN)
    system = next((name for sign, name in SYSTEMS.items() if sign in agent), None)
    return browser if system is None else f"{browser}{ON}{system}"
