"""`python -m workers [DUTY]`: one worker process, for everything or for one duty."""

from __future__ import annotations

import os
import sys

from service.settings import read_settings
from workers import lanes
from workers.main import main

if __name__ == "__main__":
    duty = lanes.DUTIES[sys.argv[1] if len(sys.argv) > 1 else "all"]
    lanes.take(duty.lanes)
    os.nice(duty.niceness)
    main(read_settings())
