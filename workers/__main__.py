"""`python -m workers DUTY`: the worker process of one duty (`service.jobs.duties`)."""

from __future__ import annotations

import sys

from service.jobs.duties import ALL
from service.settings import read_settings
from workers.main import main

if __name__ == "__main__":
    (duty,) = [duty for duty in ALL if duty.name == sys.argv[1]]
    main(read_settings(), duty)
