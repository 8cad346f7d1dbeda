"""Streams that exist but cannot be read."""

from __future__ import annotations


class Unreadable(Exception):
    """A stream's data is damaged or missing: unlike an outage, this does not pass.

    The classes that stores raise for it are also errors of the store itself.
    """
