"""`python -m workers [DUTY]`: one worker process, for everything or for one duty."""

from __future__ import annotations

import sys

from service.settings import read_settings
from workers import lanes
from workers.main import main

if __name__ == "__main__":
    lanes.take(lanes.DUTIES[sys.argv[1] if len(sys.argv) > 1 else "all"])
    main(read_settings())
