"""The messages that players are sent: what they say, as text and as HTML.

They say what everybody may know about a game; see `service.game.redaction`. Texts are in the
current language (`service.languages.texts`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from engine.registry import find_variant
from engine.side import Side
from notation.registry import find_dialect
from service.accounts.links import Purpose
from service.boards.text import draw_text
from service.game.redaction import STRANGER, seen_position
from service.game.state import GameState
from service.languages.formats import format_weekday
from service.languages.texts import choose_form, get_language, gettext, mark, ngettext
from service.mail.links import Links
from service.mail.subscription import Subscription
from service.webhooks.webhook import CLOCK_LOW, DRAW_OFFERED, YOUR_TURN

SENTENCES: Final = {
    YOUR_TURN: mark("It is your turn against %(opponent)s."),
    DRAW_OFFERED: mark("%(opponent)s offers you a draw."),
    CLOCK_LOW: mark("Your clock is running low against %(opponent)s."),
}
"""The sentence for each event in a message."""
SUBJECTS: Final = {
    YOUR_TURN: mark("It is your turn against %(opponent)s (%(game)s)"),
    DRAW_OFFERED: mark("%(opponent)s offers you a draw (%(game)s)"),
    CLOCK_LOW: mark("Your clock is running low against %(opponent)s (%(game)s)"),
}
"""The subject of a message about one event."""
CONFIRM_ADDRESS: Final = mark("Confirm your e-mail address")
LINK_MESSAGES: Final = {
    Purpose.SIGN_IN: ("sign_in", mark("Sign in")),
    Purpose.CONFIRM: ("sign_in_address", CONFIRM_ADDRESS),
}
"""Template and subject of the message for each purpose of a link that is sent."""
TEMPLATES: Final = Environment(
    loader=PackageLoader("workers.mails"),
    extensions=["jinja2.ext.i18n"],
    autoescape=lambda name: name is not None and name.endswith(".html"),
    undefined=StrictUndefined,
    keep_trailing_newline=True,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.install_gettext_callables(  # type: ignore[attr-defined]
    gettext, choose_form, newstyle=True
)
TEMPLATES.globals["language"] = get_language
KINDS: Final = {"plain": "txt.jinja", "html": "html"}
"""The file name ending of the template for each form of a message."""


@dataclass(frozen=True, slots=True)
class GameReport:
    """What a message says about one game; `until` is when the player's flag falls, or None."""

    game: str
    variant: str
    subject: str
    sentence: str
    side: str
    last_action: str | None
    until: str | None
    board: str
    link: str


def report_game(
    state: GameState, side: Side, event: str, names: Mapping[str, str], links: Links
) -> GameReport:
    """The report on a game to the player of a side whose action `event` asks for."""
    variant = find_variant(state.variant)
    fen = find_dialect(state.variant).write_fen(seen_position(state, STRANGER))
    due = None if state.clock is None or state.clock.running is not side else state.clock.due
    opponent = names.get(state.seats[side.other] or "", "?")
    game = variant.name.replace("-", " ").title()
    return GameReport(
        game=state.id,
        variant=game,
        subject=gettext(SUBJECTS[event], opponent=opponent, game=game),
        sentence=gettext(SENTENCES[event], opponent=opponent),
        side=gettext(variant.sides[side]),
        last_action=state.played[-1].san if state.played else None,
        until=None if due is None else format_time(due),
        board=draw_text(state.variant, fen),
        link=links.game_url(state.id),
    )


def write_news(
    reports: Sequence[GameReport], subscription: Subscription, sender: str, links: Links
) -> EmailMessage:
    """The message that reports these games to a player."""
    subject = reports[0].subject
    if len(reports) > 1:
        subject = ngettext(
            "%(num)s game is waiting for you", "%(num)s games are waiting for you", len(reports)
        )
    message = begin_message(subject, subscription.address, sender)
    stop = links.stop_url(subscription)
    message["List-Unsubscribe"] = f"<{stop}>"
    message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    content = {"reports": reports, "stop": stop, "settings": links.settings_url()}
    return fill_message(message, "news", content)


def write_confirmation(
    subscription: Subscription, name: str, sender: str, links: Links
) -> EmailMessage:
    """The message with the link that confirms an address."""
    message = begin_message(gettext(CONFIRM_ADDRESS), subscription.address, sender)
    content = {"name": name, "link": links.confirm_url(subscription), "host": links.public_url}
    return fill_message(message, "confirmation", content)


def write_link(
    purpose: Purpose, path: str, name: str, address: str, sender: str, public_url: str
) -> EmailMessage:
    """The message with a link by which a player signs in, or confirms an address to do so."""
    template, subject = LINK_MESSAGES[purpose]
    content = {"name": name, "link": f"{public_url}{path}", "host": public_url}
    return fill_message(begin_message(gettext(subject), address, sender), template, content)


def begin_message(subject: str, address: str, sender: str) -> EmailMessage:
    """A message without its text."""
    message = EmailMessage(policy=SMTP)
    message["From"] = sender
    message["To"] = Address(addr_spec=address)
    message["Subject"] = subject
    # Automatic replies, such as absence notices, are not wanted (RFC 3834).
    message["Auto-Submitted"] = "auto-generated"
    return message


def fill_message(message: EmailMessage, template: str, content: Mapping[str, Any]) -> EmailMessage:
    """The message with its text, and the same as HTML."""
    text, html = (
        TEMPLATES.get_template(f"{template}.{ending}").render(content) for ending in KINDS.values()
    )
    message.set_content(text)
    message.add_alternative(html, subtype="html")
    return message


def stamp_message(message: EmailMessage, id: str, at: int) -> None:
    """Give a message its id and its date, in milliseconds since 1970 UTC.

    Every try to send a message has the same id, so that a recipient of two can recognise them.
    """
    sender = message["From"].addresses[0]
    message["Message-ID"] = f"<{id}@{sender.domain}>"
    message["Date"] = format_datetime(datetime.fromtimestamp(at / 1000, UTC))


def format_time(at: int) -> str:
    """A time in words, from milliseconds since 1970 UTC.

    >>> format_time(1_800_000_000_000)
    'Friday, 15 January 2027, 08:00 UTC'
    """
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return f"{format_weekday(moment)}, {moment:%H:%M} UTC"
