"""Lets `python -m service.cli` run `movelog`."""

import sys

from service.cli.commands import main

if __name__ == "__main__":
    sys.exit(main())
