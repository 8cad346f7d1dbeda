"""Streams that are there and cannot be read."""

from __future__ import annotations


class Unreadable(Exception):
    """What is stored of a stream is damaged or missing: unlike an outage, that does not pass.

    What a store raises for it is an error of its own as well.
    """
