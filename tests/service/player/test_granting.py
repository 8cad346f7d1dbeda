"""What the bearer of a token may grant, and that an admin always remains."""

from __future__ import annotations

import pytest

from service.errors import MissingScope
from service.player.admins import ADMIN_LASTS
from service.player.commands import Principal
from service.player.errors import ExceedsToken, LastAdmin
from service.player.granting import Grant, check_scopes, granted_expiry
from service.player.repository import Players
from service.player.scopes import ADMIN, ARBITER, PLAY
from service.player.state import Token
from tests.service.player.support import Clock

LASTING, BRIEF = Token("x", (PLAY,), 0), Token("x", (PLAY,), 0, expires=5000)


@pytest.mark.parametrize(
    ("own", "asked", "granted"),
    [
        (LASTING, None, None),
        (LASTING, 9000, 9000),
        (BRIEF, None, 5000),
        (BRIEF, 4999, 4999),
        (BRIEF, 5000, 5000),
    ],
)
def test_a_token_gives_no_more_time_than_it_has(
    own: Token, asked: int | None, granted: int | None
) -> None:
    assert granted_expiry(Grant.from_token(own).find_end([PLAY]), asked) == granted


def test_a_wish_for_more_is_refused_and_says_how_much_there_is() -> None:
    with pytest.raises(ExceedsToken, match="expires at 1970-01-01T00:00:05") as error:
        granted_expiry(BRIEF.expires, 5001)
    assert error.value.expires_at == "1970-01-01T00:00:05.000+00:00"


def test_a_token_gives_its_own_scopes_and_an_admins_all() -> None:
    check_scopes(Grant.from_token(LASTING), [PLAY])
    check_scopes(Grant.from_token(Token("x", (ADMIN,), 0)), [PLAY, ARBITER, ADMIN])
    with pytest.raises(MissingScope) as error:
        check_scopes(Grant.from_token(LASTING), [PLAY, ARBITER])
    assert error.value.scope == ARBITER


def test_the_last_admin_stays(players: Players, clock: Clock) -> None:
    ana = players.register("Ana", None, scopes=[ADMIN])
    players.register("Bea", None)
    players.issue(players.register("Cem", None).id, [ADMIN], Principal(ana.id, None), clock.now + 1)
    further = players.issue(ana.id, [ADMIN], Principal(ana.id, None))
    clock.now += 1
    players.revoke(ana.id, further.token.id, Principal(ana.id, None))
    with pytest.raises(LastAdmin, match="the last admin"):
        players.revoke(ana.id, ana.token.token.id, Principal(ana.id, None))
    with pytest.raises(LastAdmin):
        players.erase(ana.id, Principal(ana.id, None))
    players.register("Dan", None, scopes=[ADMIN])
    players.erase(ana.id, Principal(ana.id, None))


def test_an_admin_whose_token_soon_ends_is_not_one_who_is_left(
    players: Players, clock: Clock
) -> None:
    ana = players.register("Ana", None, scopes=[ADMIN])
    bea = players.register("Bea", None)
    brief = players.issue(bea.id, [ADMIN], Principal(ana.id, None), clock.now + ADMIN_LASTS)
    with pytest.raises(LastAdmin):
        players.erase(ana.id, Principal(ana.id, None))
    # Among her own tokens, too, one has to last.
    players.issue(ana.id, [ADMIN], Principal(ana.id, None), clock.now + 60_000)
    with pytest.raises(LastAdmin):
        players.revoke(ana.id, ana.token.token.id, Principal(ana.id, None))
    players.revoke(bea.id, brief.token.id, Principal(ana.id, None))
    hour = players.issue(ana.id, [ADMIN], Principal(ana.id, None), clock.now + 3_600_000).token
    with pytest.raises(LastAdmin):
        players.rotate(ana.id, ana.token.token.id, Principal(ana.id, Grant.from_token(hour)))
    players.issue(bea.id, [ADMIN], Principal(ana.id, None), clock.now + ADMIN_LASTS + 1)
    players.erase(ana.id, Principal(ana.id, None))


def test_a_session_gives_what_the_tokens_of_its_player_are_good_for_as_long_as_they_are() -> None:
    grant = Grant.from_session(
        [Token("x", (PLAY, ARBITER), 0, 5000), Token("y", (ARBITER,), 0, 9000)]
    )
    assert [grant.find_end(scopes) for scopes in ([PLAY], [ARBITER], [PLAY, ARBITER])] == [
        None,
        9000,
        9000,
    ]
    with pytest.raises(MissingScope):
        check_scopes(grant, [ADMIN])
    lasting = Grant.from_session([Token("x", (ARBITER,), 0), Token("y", (ADMIN, ARBITER), 0, 7000)])
    assert [lasting.find_end([scope]) for scope in (PLAY, ARBITER, ADMIN)] == [None, None, 7000]
