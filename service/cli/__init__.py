"""The command `movelog`: one module a command, imported only when it is called.

Exit status: 0 all right, 1 failed, 2 wrong usage. Errors are one line on standard error.
"""

from service.cli.commands import main

__all__ = ["main"]
