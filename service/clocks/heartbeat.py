"""The heartbeat of the service in the store, and the outages that it reveals.

    movelog:{clocks}:beat       milliseconds since 1970 UTC of the last beat of a web process
    movelog:{clocks}:outages    sorted set: "begun-ended", by when it ended

Web processes beat, since players' commands arrive through them. The first beat after more than GAP
records an outage. So does the very first beat, from the beginning of time: a store that was
restored does not know when the service stopped.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any, Final

import redis

from service.game.timekeeping import Outage

log = logging.getLogger(__name__)

BEAT: Final = 0.4
"""Seconds between two beats: less than an action played in time may arrive after a flag's fall."""
FRESH: Final = 1.0
"""Seconds for which the answer to a beat remains valid."""
GAP: Final = 5000
"""The longest time without a beat that is not yet an outage, in milliseconds."""
KEPT: Final = 10_000
"""The most outages that are remembered."""
BEAT_KEY: Final = "movelog:{clocks}:beat"
OUTAGES_KEY: Final = "movelog:{clocks}:outages"
PULSE: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local beat = tonumber(redis.call('GET', KEYS[1]) or '0')
if ARGV[2] == '1' then
  if now - beat > tonumber(ARGV[3]) then
    redis.call('ZADD', KEYS[2], now, string.format('%.0f-%.0f', beat, now))
    redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -1 - ARGV[4])
  end
  redis.call('SET', KEYS[1], string.format('%.0f', now))
  beat = now
end
return {now, beat, redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[1], '+inf')}
"""


@dataclass(frozen=True, slots=True)
class Pulse:
    """The store's time, when the service was last up, and the outages that ended after a time."""

    now: int
    alive: int
    outages: Sequence[Outage]


class Heartbeat:
    """Reports that the service is up, and knows when it was not; thread-safe.

    A process that is to beat calls `start`; all others only read.
    """

    def __init__(self, store: redis.Redis) -> None:
        self._pulse = store.register_script(PULSE)
        self._beats = False
        self._heard_at = float("-inf")
        self._outages: tuple[Outage, ...] = ()
        self._alive = 0

    def start(self) -> Event:
        """Beat from now on in a separate thread, until the returned event is set."""
        self._beats = True
        stop = Event()
        Thread(target=self._run, args=(stop,), name="heartbeat", daemon=True).start()
        return stop

    def _run(self, stop: Event) -> None:
        while not stop.is_set():
            try:
                self.beat()
            except redis.RedisError as error:
                log.debug("no heartbeat: %s", error)
            stop.wait(BEAT)

    def beat(self) -> None:
        """Report that the service is up; raises what the store raises."""
        begun = time.monotonic()
        known = self._outages
        pulse = self._call(known[-1].ended if known else 0, beats=True)
        if pulse.outages:
            self._outages = (*known, *(each for each in pulse.outages if each not in known))
        self._alive, self._heard_at = pulse.alive, begun

    def look(self, after: int) -> tuple[Sequence[Outage], int]:
        """The outages that ended after a time, in order, and when the service was last up.

        A process that beats answers from its last beat, or beats now if that is too old. Raises
        what the store raises.
        """
        if not self._beats:
            pulse = self.read(after)
            return pulse.outages, pulse.alive
        if time.monotonic() - self._heard_at > FRESH:
            self.beat()
        return [outage for outage in self._outages if outage.ended > after], self._alive

    def read(self, after: int = 0) -> Pulse:
        """The store's time, the last beat and the outages that ended after a time."""
        return self._call(after, beats=False)

    def _call(self, after: int, *, beats: bool) -> Pulse:
        answer: Any = self._pulse(keys=[BEAT_KEY, OUTAGES_KEY], args=[after, int(beats), GAP, KEPT])
        now, alive, found = answer
        outages = [Outage(*map(int, member.decode().split("-"))) for member in found]
        return Pulse(int(now), int(alive), outages)
