"""`python -m workers`: one worker process."""

from __future__ import annotations

from service.settings import read_settings
from workers.main import main

if __name__ == "__main__":
    main(read_settings())
