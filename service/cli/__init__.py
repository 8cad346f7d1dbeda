"""The command `movelog`: one module for each command, imported only when it is called.

Exit status: 0 success, 1 failure, 2 wrong usage. Errors are one line on standard error.
"""

from service.cli.commands import main

__all__ = ["main"]
