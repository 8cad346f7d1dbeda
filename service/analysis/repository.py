"""Analyses as the API and the worker share them: requested, searched, stopped, shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from service.analysis import commands
from service.analysis.decide import create, decide
from service.analysis.errors import AnalysisOver
from service.analysis.events import AnalysisBegun
from service.analysis.finding import Finding, parse_finding
from service.analysis.pace import Pace
from service.analysis.parameters import Parameters
from service.analysis.quota import AnalysisQuota
from service.analysis.shown import ShownAnalyses
from service.analysis.state import (
    KIND,
    AnalysisEnding,
    AnalysisState,
    fold,
    may_resume,
    stream_of,
)
from service.analysis.status import FAILED, UNDER_WAY, name_status
from service.analysis.target import (
    SearchedPosition,
    Subject,
    is_secret,
    iterate_positions,
    renew_subject,
)
from service.analysis.view import is_whole
from service.errors import NotFound, WrongExpectedVersion
from service.game.repository import Games
from service.game.state import GameState
from service.ids import derived_id
from service.jobs.duties import Lane
from service.jobs.errors import WrongJobState
from service.jobs.fair_queue import FairQueue
from service.jobs.job import Job, JobState
from service.jobs.job_kinds import ANALYSIS
from service.jobs.queue import JobQueue
from service.log.chain import canonical
from service.log.entity import Entity
from service.log.interface import EventLog
from service.log.repository import Repository
from service.player.actor import Actor
from service.secrets.errors import CannotUnseal
from service.secrets.private_fields import PrivateFields
from service.secrets.vault import Vault

CACHED: Final = 50
"""Analyses kept in memory; one of a long game takes some hundred kilobytes."""


class Analyses(Repository[AnalysisState, commands.BeginAnalysis, commands.AnalysisCommand, Actor]):
    """The analyses in a log and their jobs; `build` is that of this process's engine.

    A player's new and resumed analyses have at most `most_lines` lines a day.
    """

    def __init__(
        self,
        log: EventLog,
        clock: Callable[[], int],
        secret: bytes,
        vault: Vault,
        games: Games,
        queue: JobQueue,
        build: str,
        most_lines: int,
    ) -> None:
        entity = Entity(kind=KIND, fold=fold, create=create, decide=decide, cached=CACHED)
        super().__init__(log, clock, entity, PrivateFields(vault))
        self.secret = secret
        self.vault = vault
        self.games = games
        self.queue = queue
        self.build = build
        self.quota = AnalysisQuota(queue.jobs, most_lines)
        self.fair_queue = FairQueue(queue, ANALYSIS)
        self.pace = Pace(queue.jobs.store)
        self.shown = ShownAnalyses(log, clock, self.load)

    def load_game(self, state: AnalysisState) -> GameState | None:
        """The game as it is analysed, or None for an analysis of a position alone."""
        begun = state.begun
        if begun.game is None or begun.version is None:
            return None
        return self.games.at_version(begun.game, begun.version)

    def iterate_positions(self, state: AnalysisState) -> Iterator[SearchedPosition]:
        """The positions still to be searched, with only what the analysis may know."""
        return iterate_positions(state.begun, self.load_game(state), state.done)

    # Requests.

    def address(self, subject: Subject) -> str:
        """The id of an analysis of this subject, the same for everybody."""
        begun = subject.begun
        facts = (begun.variant, begun.rules, begun.build, begun.view)
        parts = (*facts, canonical(begun.parameters).decode())
        return derived_id(
            self.secret, KIND, *parts, *map(str, (len(subject.whose), *subject.whose)),
            *subject.content,
        )  # fmt: skip

    def request(self, subject: Subject, by: str, *, batch: bool) -> AnalysisState:
        """Return the analysis of a subject: the existing one, or a new one.

        A stopped or replaced analysis is resumed. One that waits as a batch gets priority unless
        `batch`.
        """
        id = self.address(subject)
        state = self.find(id)
        if state is None:
            with suppress(WrongExpectedVersion):
                self.create(id, commands.BeginAnalysis(begun=subject.begun), Actor(by))
            state = self.load(id)
        elif may_resume(state):
            state = self.execute(id, commands.ResumeAnalysis(), Actor(by)).state
        if state.whole_game and subject.begun.game is not None:
            self.shown.note_requested(subject.begun.game, state)
        if state.ended is None:
            self._ensure_searched(state, by, batch=batch)
        return state

    def renew_subject(self, state: AnalysisState) -> Subject:
        """Return the subject of the analysis that replaces a stale one."""
        return renew_subject(state.begun, self.load_game(state), self.build, state.by)

    def is_through(self, id: str) -> bool:
        """Whether a request for the analysis with this id would cause no work."""
        state = self.find(id)
        return state is not None and state.ended is not None and not may_resume(state)

    def count_new_lines(self, id: str, begun: AnalysisBegun) -> int:
        """The lines that a request for the analysis with this id and first event counts for.

        They are as many as it may add to the log. One that is resumed counts for one position,
        since the finding of the position where it was stopped is written again.
        """
        lines = Parameters.from_json(begun.parameters).lines
        state = self.find(id)
        if state is None:
            return begun.positions * lines
        return lines if may_resume(state) else 0

    def is_stale(self, state: AnalysisState) -> bool:
        """Whether another build of the engine would search it today."""
        return state.begun.build != self.build

    def find_replacement(self, state: AnalysisState) -> str | None:
        """The same analysis by the current engine, or None if nobody has requested it."""
        id = self.address(self.renew_subject(state))
        return id if self.log.version(stream_of(id)) else None

    def find_job(self, state: AnalysisState) -> Job | None:
        """Return the job of an analysis; None long after its end, and just after its beginning."""
        with suppress(NotFound):
            return self.queue.jobs.get(state.id)
        return None

    def ensure_job(self, id: str, by: str) -> None:
        """Submit the job of an analysis that goes on, if its requester has not done so.

        It gets the turns of the player `by`, in a batch: perhaps nobody waits for it. Raises
        NotFound for an unknown analysis.
        """
        state = self.load(id)
        job = self.find_job(state)
        if state.ended is None and (job is None or job.state is JobState.CANCELLED):
            self._ensure_searched(state, by, batch=True)

    # Searched.

    def record(self, state: AnalysisState, findings: Sequence[Finding]) -> AnalysisState:
        """Record what was found in the next positions; raises WrongExpectedVersion."""
        return self._change(state, commands.RecordFindings(findings=findings))

    def quarantine(self, state: AnalysisState, reason: str) -> AnalysisState:
        """Record that the next position is skipped; raises WrongExpectedVersion."""
        return self._change(state, commands.QuarantinePosition(reason=reason))

    def end(self, state: AnalysisState, ending: AnalysisEnding, reason: str = "") -> AnalysisState:
        """Record how an analysis ended; raises WrongExpectedVersion."""
        ended = self._change(state, commands.EndAnalysis(ending=ending, reason=reason))
        if ended.whole_game and ended.begun.game is not None and is_whole(ended):
            self.shown.note_whole(ended.begun.game, ended)
        return ended

    def note(self, state: AnalysisState, index: int, finding: Finding) -> dict[str, Any]:
        """What a job reports about its current position, sealed if it would reveal a secret."""
        told = finding.to_json()
        if is_secret(state.begun):
            text = json.dumps(told)
            told = {"sealed": self.vault.seal(stream_of(state.id), 0, {"finding": text})}
        return {"index": index, "finding": told}

    def read_partial_finding(self, state: AnalysisState, job: Job | None) -> Finding | None:
        """Return the finding so far for the position that is being searched, or None."""
        noted: Mapping[str, Any] = (job and job.note) or {}
        if state.ended is not None or noted.get("index") != state.done:
            return None
        told = noted["finding"]
        if "sealed" in told:
            try:
                told = json.loads(
                    self.vault.open(stream_of(state.id), 0, told["sealed"])["finding"]
                )
            except CannotUnseal:
                # The key was changed meanwhile; the next note is sealed with the new one.
                return None
        return parse_finding(told)

    # Stopped.

    def stop(self, state: AnalysisState) -> AnalysisState:
        """Stop an analysis early, keeping everything found so far; raises AnalysisOver.

        Its worker stops within a second.
        """
        while True:
            job = self.find_job(state)
            if state.ended is not None or (job and job.state in FAILED):
                raise AnalysisOver(name_status(state, job))
            command = commands.StopAnalysis(finding=self.read_partial_finding(state, job))
            try:
                stopped = self._change(state, command)
            except WrongExpectedVersion:
                state = self.load(state.id)
                continue
            for lane in (Lane.PERSON, Lane.BATCH):
                self.queue.try_to_withdraw(lane, state.id)
            with suppress(NotFound, WrongJobState):
                self.queue.jobs.cancel(state.id)
            return stopped

    # Kept.

    def _change(self, state: AnalysisState, command: commands.AnalysisCommand) -> AnalysisState:
        """Carry out a command on exactly this state; raises WrongExpectedVersion."""
        return self.execute(state.id, command, Actor(state.by), expected=state.version).state

    def bound_seconds(self, begun: AnalysisBegun) -> float:
        """Return the most seconds that an analysis can take within its limits."""
        limits = Parameters.from_json(begun.parameters).limits
        return begun.positions * self.pace.bound_seconds(begun.variant, limits)

    def _make_job_arguments(self, state: AnalysisState, by: str) -> dict[str, Any]:
        """The arguments of a job: whose turns it takes, and how long it may take."""
        return {
            "by": by,
            "variant": state.begun.variant,
            "positions": state.begun.positions,
            "limits": state.parameters.limits,
            "seconds": self.bound_seconds(state.begun),
        }

    def _ensure_searched(self, state: AnalysisState, by: str, *, batch: bool) -> None:
        """Ensure that a job is under way with at least this priority.

        It takes the turns of the player who first requested it, restarted it or gave it priority.
        """
        jobs, id = self.queue.jobs, state.id
        arguments = self._make_job_arguments(state, by)
        if self.queue.submit(id, ANALYSIS, arguments, batch=batch):
            return
        job = jobs.get(id)
        if job.state not in UNDER_WAY:
            with suppress(WrongJobState):
                jobs.requeue(id, batch=batch)
        elif not job.batch or batch:
            return
        jobs.amend(id, arguments)
        if not batch:
            jobs.hasten(id)
        self.queue.try_to_hint(id, Lane.BATCH if batch else Lane.PERSON)
