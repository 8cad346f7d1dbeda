from __future__ import annotations

from rq.utils import import_attribute

from service.jobs.job_kinds import KINDS, RUN_JOB
from workers.job_functions import FUNCTIONS
from workers.run import run_job


def test_every_kind_of_job_has_its_function_and_no_other() -> None:
    assert set(FUNCTIONS) == set(KINDS)


def test_the_name_in_the_hints_is_the_function_that_runs_jobs() -> None:
    assert import_attribute(RUN_JOB) is run_job
