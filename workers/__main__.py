"""`python -m workers DUTY`: the worker process of one duty (`service.jobs.duties`)."""

from __future__ import annotations

import sys

from service.cli.commands import report_failure
from service.jobs.duties import ALL
from service.settings import read_settings
from workers.main import main

if __name__ == "__main__":
    (duty,) = [duty for duty in ALL if duty.name == sys.argv[1]]
    try:
        main(read_settings(), duty)
    except Exception as error:
        sys.exit(report_failure(error))
