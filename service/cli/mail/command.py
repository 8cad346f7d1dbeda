"""`movelog mail`: what a player is notified of by e-mail."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from service.cli.options import Command, add_player_options
from service.languages.catalogue import LANGUAGES
from service.mail.subscription import EVENTS, Pace

if TYPE_CHECKING:
    from service.cli.client import Client


@click.group(short_help="Get mail about your games.")
def mail() -> None:
    """Get mail about what waits for you, in games with days for each action.

    \b
        movelog mail set ada@club.example --daily
        movelog mail set ada@club.example --event your-turn --event clock-low
        movelog mail show
        movelog mail remove

    A new address gets a link that must be followed within a day. --json prints the service's
    answer as it is.
    """


def add_json_option(command: Command) -> Command:
    """Add --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


@mail.command(short_help="Show your address and what is sent there.")
@add_json_option
@add_player_options
def show(as_json: bool, service: Client) -> int:
    """Show your address and what is sent there."""
    print_subscription(service.get("/me/mail"), as_json)
    return 0


@mail.command(name="set", short_help="Set your address and what is sent there.")
@click.argument("address")
@click.option(
    "--event", "events", multiple=True, type=click.Choice(EVENTS), help="Mail about this [all]."
)
@click.option("--daily", is_flag=True, help="At most one mail a day [one for each, at once].")
@click.option("--language", type=click.Choice(list(LANGUAGES)), help="Language of the mails [en].")
@add_json_option
@add_player_options
def set_address(
    address: str,
    events: tuple[str, ...],
    daily: bool,
    language: str | None,
    as_json: bool,
    service: Client,
) -> int:
    """Get mail about your games at ADDRESS."""
    pace = Pace.DAILY if daily else Pace.IMMEDIATELY
    wish: dict[str, Any] = {"address": address, "pace": pace.value}
    if events:
        wish["events"] = list(events)
    if language is not None:
        wish["language"] = language
    print_subscription(service.put("/me/mail", wish), as_json)
    return 0


@mail.command(short_help="Remove your address from the service.")
@add_player_options
def remove(service: Client) -> int:
    """Remove your address from the service, which then sends no more mail."""
    service.delete("/me/mail")
    return 0


def print_subscription(known: dict[str, Any], as_json: bool) -> None:
    """Print the service's answer about an address."""
    click.echo(json.dumps(known) if as_json else describe_subscription(known))


def describe_subscription(known: dict[str, Any]) -> str:
    """A player's address and choices in words.

    >>> known = {"available": True, "address": "ada@club.example", "confirmed_at": None}
    >>> describe_subscription(known | {"stopped": None, "events": ["your-turn"], "pace": "daily"})
    'ada@club.example, not confirmed: follow the link that was sent there'
    """
    if not known["available"]:
        return "this service sends no e-mail"
    if known["address"] is None:
        return "no address"
    if known["confirmed_at"] is None:
        return f"{known['address']}, not confirmed: follow the link that was sent there"
    if known["stopped"] is not None:
        return f"{known['address']}, no mail is sent: {known['stopped']}"
    return f"{known['address']}, {known['pace']}: {', '.join(known['events'])}"
