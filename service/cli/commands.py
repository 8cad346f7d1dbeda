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
    "serve": "serve.serve",
    "web": "serve.parts",
    "worker": "serve.parts",
    "projector": "serve.parts",
    "rebuild": "maintenance.rebuild",
    "backup": "maintenance.backup",
    "restore": "maintenance.backup",
    "openings": "maintenance.openings",
    "repair": "maintenance.repair",
    "prune": "maintenance.prune",
    "token": "maintenance.token",
    "key": "maintenance.key",
    "api": "queries.api",
    "search": "queries.search",
    "players": "queries.players",
    "player": "queries.player",
    "merge": "queries.merge",
    "explore": "queries.explore",
    "analyse": "analyse.command",
    "export": "queries.export",
    "events": "queries.events",
    "import": "imports.command",
    "tournament": "tournament.command",
    "challenge": "challenge.command",
    "annotate": "annotate.command",
    "mail": "mail.command",
    "play": "play.command",
    "replay": "records.replay",
    "position": "rules.position",
    "combat": "rules.combat",
    "verify": "records.verify",
    "audit": "maintenance.audit",
    "convert": "records.convert",
    "perft": "rules.perft",
    "engine": "engine.engine",
    "bot": "engine.bot",
    "selfplay": "engine.selfplay",
}
"""Each command's module below `service.cli`, which holds the command under its name."""

INTERRUPTED: Final = 130


class Commands(click.Group):
    """The commands, each imported when it is called, so that none slows another's start."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of COMMANDS."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, if there is one."""
        if cmd_name not in COMMANDS:
            return None
        # A function cannot be named by a keyword.
        name = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        command = getattr(import_module(f"service.cli.{COMMANDS[cmd_name]}"), name)
        assert isinstance(command, click.Command)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="movelog")
def movelog() -> None:
    """Event-sourced game records and analysis for Kerd, Kerak and Katruji.

    `movelog serve` runs the whole service. Settings are environment variables MOVELOG_... (see
    docs/operations.md); `movelog COMMAND --help` explains a command.
    """
    from service.settings import unknown_settings

    for name, nearest in unknown_settings():
        hint = f"; is {nearest} meant?" if nearest else ""
        click.echo(f"movelog: warning: {name} is not a setting{hint}", err=True)


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
        return fail_with(f"{command}: {error.format_message()} (try {command} --help)", 2)
    except click.ClickException as error:
        return fail_with(f"movelog: {error.format_message()}", error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return fail_with("movelog: interrupted", INTERRUPTED)
    except BrokenPipeError:
        # The reader closed our output; the interpreter must not flush into it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if not is_expected(error):
            raise
        return fail_with(f"movelog: {describe_error(error)}", 1)
    return status if isinstance(status, int) else 0


def fail_with(sentence: str, status: int) -> int:
    """Print an error as one line on standard error; return the given exit status."""
    print(" ".join(sentence.split()), file=sys.stderr)
    return status


def describe_error(error: Exception) -> str:
    """The error as a sentence; an error of the operating system names the file.

    Who runs a command into a full store or disk is its operator, and is told what to do.
    """
    from service.storage.capacity import describe_full_storage

    text = str(error)
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if describe_full_storage(error) is None:
        return text
    if isinstance(error, OSError):
        return f"{text}; make room on that disk and try again"
    return (
        "the store has no room to write; make room (docs/operations.md,"
        ' "When there is no room") and run the command again'
    )


def is_expected(error: Exception) -> bool:
    """Whether an error is meant for the user, rather than a bug of the program.

    The classes are imported here because no command needs all of them.
    """
    from engine.errors import EngineError
    from notation.errors import NotationError
    from service.errors import ServiceError
    from service.operations.errors import OperationsError
    from service.settings import BadSetting
    from service.verification.errors import VerificationError

    errors = (EngineError, NotationError, ServiceError, OperationsError, VerificationError)
    expected = (*errors, BadSetting, OSError)
    if isinstance(error, expected):
        return True
    redis = sys.modules.get("redis")
    return redis is not None and isinstance(error, redis.RedisError)
