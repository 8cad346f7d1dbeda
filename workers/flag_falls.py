"""Does what only time brings about: flags fall, challenges expire, absent players lose.

Any number of processes may do so: the log accepts only one end of a game. Due times are kept with
the games' streams (`service.log.alarms`), so nothing is forgotten when a process ends.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Sequence
from threading import Event
from typing import Final

import redis

from service.composition.service import Service
from service.errors import NotFound
from service.game.commands import FlagFall
from service.game.deadlines import choose_due_command, find_alarm
from service.game.events import GameSetUp, TimeControlAgreed
from service.game.repository import KIND
from service.game.state import GameState
from service.game.timekeeping import PATIENCE, TIMEKEEPER
from service.log.alarms import Alarm
from service.log.values import StreamId
from service.player.actor import Actor
from service.storage.outage_log import OutageLog
from workers.outages import is_outage

log = logging.getLogger(__name__)

KEEPER: Final = Actor(TIMEKEEPER)
POLL: Final = 0.1
"""Seconds between two looks: less than PATIENCE, so that no flag is found late."""
PAUSE: Final = 0.2
"""Seconds until a store that is away is tried again."""
AHEAD: Final = 3000
"""Milliseconds before a flag falls in which its game is read ahead."""
RETRY: Final = 60_000
"""Milliseconds until a game that cannot be read is tried again."""
AGAIN: Final = 1000
"""Milliseconds until a game in which nothing was due yet is looked at again."""
AT_ONCE: Final = 20
"""How many games are credited an outage, or read ahead, before flags are looked for again."""
FOREVER: Final = 2**52


class FlagFalls:
    """Finds due games and ends them; there is one object in each process."""

    def __init__(self, service: Service) -> None:
        self.games = service.games
        self.log = service.log
        self.heartbeat = service.heartbeat
        self._outages = OutageLog(log)
        self._credited_to = 0
        self._to_credit: list[Alarm] = []
        self._read_ahead: set[Alarm] = set()

    def run(self, stop: Event) -> None:
        """Let flags fall until `stop` is set; a store that is away is waited for."""
        while not stop.is_set():
            try:
                pause = self.step()
                self._outages.note_success()
            except redis.RedisError as error:
                self._outages.note(error)
                pause = PAUSE
            stop.wait(pause)

    def step(self) -> float:
        """End the games that are due now; returns for how many seconds there is nothing to do."""
        pulse = self.heartbeat.read(self._credited_to)
        view = self.log.alarms.look(pulse.now + AHEAD)
        if view.lost:
            self.restore(view.lost)
            return 0.0
        # While the service may be down, no flag falls if its clock may be credited the outage.
        until = min(pulse.now, pulse.alive + PATIENCE)
        due = [alarm for alarm in view.alarms if alarm.at <= until]
        for alarm in due:
            self.judge(alarm)
        if pulse.outages:
            self._credited_to = pulse.outages[-1].ended
            self._to_credit = list(self.log.alarms.look(FOREVER).alarms)
        if due:
            return 0.0
        busy = self._credit_outages() or self._read_coming(view.alarms)
        coming = min((alarm.at - pulse.now for alarm in view.alarms if alarm.at > until), default=0)
        return 0.0 if busy else max(0.005, min(POLL, coming / 1000 if coming > 0 else POLL))

    def judge(self, alarm: Alarm) -> None:
        """Do what is due in a game, if anything is; its alarm is right afterwards."""
        try:
            state = self.games.load(alarm.stream.id)
            command = choose_due_command(state)
            done = self.games.execute(state.id, command, KEEPER)
            if not done.recorded and not isinstance(command, FlagFall):
                self._look_again(alarm, done.state)
        except NotFound:
            self.log.alarms.move(alarm.stream, alarm.at, 0)
        except Exception as error:
            if is_outage(error):
                raise
            # A game that cannot be read must not hold up others.
            log.exception("the clock of %s cannot be kept", alarm.stream)
            self.log.alarms.move(alarm.stream, alarm.at, alarm.at + RETRY)

    def _look_again(self, alarm: Alarm, state: GameState) -> None:
        """Set the alarm of a game in which nothing was due because an outage does not count."""
        at, now = find_alarm(state) or 0, self.games.clock()
        self.log.alarms.move(alarm.stream, alarm.at, now + AGAIN if 0 < at <= now else at)

    def _credit_outages(self) -> bool:
        """Credit the newest outages to some running clocks; returns whether there were any left."""
        some, self._to_credit = self._to_credit[:AT_ONCE], self._to_credit[AT_ONCE:]
        for alarm in some:
            self.judge(alarm)
        return bool(some)

    def _read_coming(self, alarms: Sequence[Alarm]) -> bool:
        """Read some of the games that are due soon; returns whether there were any to read."""
        self._read_ahead &= set(alarms)
        fresh = [alarm for alarm in alarms if alarm not in self._read_ahead][:AT_ONCE]
        for alarm in fresh:
            self._read_ahead.add(alarm)
            try:
                self.games.find(alarm.stream.id)
            except Exception as error:
                if is_outage(error):
                    raise
                log.debug("%s cannot be read", alarm.stream)
        return bool(fresh)

    def restore(self, lost: Sequence[int]) -> None:
        """Set the alarms of partitions that have lost theirs, from the log.

        Games in the archive are over and have none.
        """
        alarms: dict[int, dict[StreamId, int]] = {partition: {} for partition in lost}
        for stream in self.log.redis.streams(KIND):
            partition = self.log.partition(stream)
            if partition in alarms and (at := self._find_alarm(stream)):
                alarms[partition][stream] = at
        for partition, found in alarms.items():
            self.log.alarms.restore(partition, found)
        if count := sum(map(len, alarms.values())):
            log.info("the clocks of %d games were found in the log", count)

    def _find_alarm(self, stream: StreamId) -> int | None:
        """When a game has to be looked at, None if never; one that cannot be read, later."""
        try:
            state = self.games.find(stream.id) if self._has_times(stream) else None
        except Exception as error:
            if is_outage(error):
                raise
            log.exception("the clock of %s cannot be kept", stream)
            return self.games.clock() + RETRY
        return None if state is None else find_alarm(state)

    def _has_times(self, stream: StreamId) -> bool:
        """Whether a game has clocks or other times: its first two events say so."""
        return any(
            isinstance(entry.event, TimeControlAgreed | GameSetUp)
            for entry in self.log.read(stream, 0, 2)
        )


def keep_clocks(service: Service) -> None:
    """Let flags fall until SIGTERM or SIGINT."""
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: stop.set())
    FlagFalls(service).run(stop)
