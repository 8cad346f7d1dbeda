"""The entry point: the commands by name, and errors as one line with an exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from keyword import iskeyword
from typing import Final, NamedTuple

import click


class Listed(NamedTuple):
    """A command's module below `service.cli`, which holds it under its name, and its summary.

    The summary is the first sentence of the command's own help, so that listing all commands
    imports nothing.
    """

    module: str
    summary: str


COMMANDS: Final = {
    "serve": Listed("serve.serve", "Run the whole service on this machine"),
    "web": Listed("serve.parts", "Run only a web server"),
    "streams": Listed("serve.parts", "Run only a server of event streams"),
    "worker": Listed("serve.parts", "Run only the workers"),
    "projector": Listed("serve.parts", "Run only a projector"),
    "rebuild": Listed("maintenance.rebuild", "Rebuild the lists and search indexes from the log"),
    "backup": Listed("maintenance.backup", "Back up a service, running or not"),
    "restore": Listed("maintenance.backup", "Restore a backup into an empty service"),
    "openings": Listed("maintenance.openings", "Load, list or clear the table of openings"),
    "repair": Listed("maintenance.repair", "Check a damaged log, and cut off what cannot be read"),
    "archive": Listed("maintenance.archive", "Move old games out of Redis"),
    "readers": Listed("maintenance.readers", "List the readers of the feed, or forget one"),
    "prune": Listed("maintenance.prune", "Remove the uploaded files of old imports"),
    "token": Listed("maintenance.token", "Replace a lost admin token"),
    "key": Listed("maintenance.key", "Make, rotate and list the service's keys"),
    "api": Listed("queries.api", "Send one request to the HTTP API and print the answer"),
    "search": Listed("queries.search", "Find games of a running service"),
    "players": Listed("queries.players", "Find players of a running service"),
    "player": Listed("queries.player", "Report how a player's games went"),
    "merge": Listed("queries.merge", "Find players who may be the same person, and merge them"),
    "puzzles": Listed("queries.puzzles", "Withdraw puzzles, and restore them"),
    "explore": Listed("queries.explore", "Show what was played from a position, and how it scored"),
    "analyse": Listed(
        "analyse.command", "Search a position, a file of games, or a game of the service"
    ),
    "export": Listed("queries.export", "Export games of a running service"),
    "events": Listed("queries.events", "Write the events of all games of a running service"),
    "import": Listed("imports.command", "Import files of records into a running service"),
    "tournament": Listed("tournament.command", "Run tournaments, and see how they stand"),
    "challenge": Listed("challenge.command", "Find an opponent"),
    "annotate": Listed("annotate.command", "Annotate a game"),
    "mail": Listed("mail.command", "Get mail about your games"),
    "play": Listed("play.command", "Submit recorded games to a running service, move by move"),
    "replay": Listed("records.replay", "Check records offline"),
    "position": Listed("rules.position", "Describe positions as JSON"),
    "combat": Listed("rules.combat", "Explain why a capture succeeds or fails"),
    "verify": Listed("records.verify", "Check offline that an export is unchanged"),
    "audit": Listed(
        "maintenance.audit", "Replay every game and every tournament under the current rules"
    ),
    "convert": Listed("records.convert", "Rewrite records in their canonical form"),
    "perft": Listed("rules.perft", "Count sequences of legal actions"),
    "engine": Listed("engine.engine", "Run the search as an engine for other programs"),
    "bot": Listed("bot.command", "Play a player's games on a service with an engine"),
    "selfplay": Listed("engine.selfplay", "Play a match between two settings of the search"),
}
"""The commands by name, in the order of the list."""

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
        command = getattr(import_module(f"service.cli.{COMMANDS[cmd_name].module}"), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands into the help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, listed.summary) for name, listed in COMMANDS.items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="movelog")
def movelog() -> None:
    """Event-sourced game records and analysis for Kerd, Kerak and Katruji.

    `movelog serve` runs the whole service. Settings are environment variables MOVELOG_... (see
    docs/operations.md); `movelog COMMAND --help` explains a command.
    """
    from service.settings import unknown_settings

    for name, nearest in unknown_settings():
        hint = f"; did you mean {nearest}?" if nearest else ""
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
    except UnicodeEncodeError as error:
        if error.reason != "surrogates not allowed":
            raise
        return fail_with(f"movelog: {error.object!r} is not UTF-8", 2)
    except Exception as error:
        return report_failure(error)
    return status if isinstance(status, int) else 0


def report_failure(error: Exception) -> int:
    """Print an error that is meant for the user as one line; return the exit status.

    Raises the error if it is a bug in the program.
    """
    if not is_expected(error):
        raise error
    return fail_with(f"movelog: {describe_error(error)}", 1)


def fail_with(sentence: str, status: int) -> int:
    """Print an error as one line on standard error; return the given exit status."""
    print(" ".join(sentence.split()), file=sys.stderr)
    return status


def describe_error(error: Exception) -> str:
    """The error as a sentence; an error of the operating system names the file.

    An error about a store or disk that is full or away is for the operator, so it says what to do.
    """
    from service.storage.capacity import describe_full_storage

    text = explain_redis(error) or str(error)
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


def explain_redis(error: Exception) -> str | None:
    """Which Redis of the settings cannot be used, if that may be the reason for an error."""
    if "redis" not in sys.modules:
        return None
    from service.operations.store_outage import OUTAGES, explain_outage

    return explain_outage() if isinstance(error, OUTAGES) else None


def is_expected(error: Exception) -> bool:
    """Whether an error is meant for the user, rather than a bug in the program.

    The classes are imported here because no command needs all of them.
    """
    from engine.errors import EngineError
    from notation.errors import NotationError
    from service.environment import BadSetting
    from service.errors import ServiceError
    from service.operations.errors import OperationsError
    from service.verification.errors import VerificationError

    errors = (EngineError, NotationError, ServiceError, OperationsError, VerificationError)
    expected = (*errors, BadSetting, OSError)
    if isinstance(error, expected):
        return True
    redis = sys.modules.get("redis")
    if redis is None:
        return False
    # What redis-py raises for a cluster that is away is no RedisError.
    return isinstance(error, (redis.RedisError, redis.exceptions.RedisClusterException))
