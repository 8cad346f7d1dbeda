"""The entry point: the commands by name, and errors as one line with an exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from keyword import iskeyword
from typing import Final

import click

COMMANDS: Final = {
    "serve": "serve",
    "web": "parts",
    "worker": "parts",
    "projector": "parts",
    "rebuild": "rebuild",
    "backup": "backup",
    "restore": "backup",
    "repair": "repair",
    "prune": "prune",
    "token": "token",
    "key": "key",
    "api": "api",
    "search": "search",
    "players": "players",
    "explore": "explore",
    "analyse": "analyse",
    "export": "export",
    "import": "imports",
    "tournament": "tournaments",
    "play": "play",
    "replay": "replay",
    "position": "position",
    "combat": "combat",
    "verify": "verify",
    "audit": "audit",
    "convert": "convert",
    "perft": "perft",
    "engine": "engine",
    "bot": "bot",
    "selfplay": "selfplay",
}
"""Every command and the module that holds it under its name."""

INTERRUPTED: Final = 130


class Commands(click.Group):
    """The commands, each imported when it is asked for, so that none slows another's start."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of COMMANDS."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, if there is one."""
        if cmd_name not in COMMANDS:
            return None
        # No function can have a keyword's name.
        name = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        command = getattr(import_module(f"service.cli.{COMMANDS[cmd_name]}"), name)
        assert isinstance(command, click.Command)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="movelog")
def movelog() -> None:
    """Event-sourced game records and analysis for Kerd, Kerak and Katruji.

    `movelog serve` runs the whole service. The settings are environment variables MOVELOG_...
    (docs/operations.md); `movelog COMMAND --help` explains a command.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command (by default the process's own arguments) and return the exit status."""
    try:
        status = movelog.main(args=arguments, prog_name="movelog", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        return error.exit_code
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "movelog"
        return complain(f"{command}: {error.format_message()} (try {command} --help)", 2)
    except click.ClickException as error:
        return complain(f"movelog: {error.format_message()}", error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return complain("movelog: interrupted", INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has enough of it; the interpreter must not flush into the void.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if not is_foreseen(error):
            raise
        return complain(f"movelog: {reason(error)}", 1)
    return status if isinstance(status, int) else 0


def complain(sentence: str, status: int) -> int:
    """Print an error as one line; returns the exit status given."""
    print(" ".join(sentence.split()), file=sys.stderr)
    return status


def reason(error: Exception) -> str:
    """What an error tells its reader; what the system refused is told by the file's name."""
    from service.storage.capacity import storage_full

    if not isinstance(error, OSError) and (full := storage_full(error)) is not None:
        return str(full)
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def is_foreseen(error: Exception) -> bool:
    """Whether an error tells the user something, instead of being a fault of the program.

    The classes are imported here because no command needs all of them.
    """
    from engine.errors import EngineError
    from notation.errors import NotationError
    from service.errors import ServiceError
    from service.operations.errors import OperationsError
    from service.settings import BadSetting
    from service.verification.errors import VerificationError

    errors = (EngineError, NotationError, ServiceError, OperationsError, VerificationError)
    foreseen = (*errors, BadSetting, OSError)
    if isinstance(error, foreseen):
        return True
    redis = sys.modules.get("redis")
    return redis is not None and isinstance(error, redis.RedisError)
