"""The page of imports."""

from __future__ import annotations

from service.pages import imports
from service.pages.session import COOKIE
from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.imports.support import GOOD, ILLEGAL, begun, imported, project
from tests.service.projection.support import ticking

HEADING = "Your imports"


def page(api: Api, by: NewPlayer | None, path: str = "/imports") -> str:
    """The page as this player, or a stranger, sees it."""
    if by is not None:
        api.http.set_cookie(COOKIE, by.token.secret)
    answer = api.http.get(path)
    api.http.delete_cookie(COOKIE)
    assert answer.status_code == 200
    return answer.text


def test_the_reader_finds_their_own_imports_again(
    api: Api, ada: NewPlayer, eve: NewPlayer, admin: NewPlayer
) -> None:
    assert "None yet." in page(api, ada)
    done = imported(api, ada, f"{GOOD}\n{ILLEGAL}")["id"]
    queued = begun(api, ada, GOOD)["id"]
    project(api.service)
    seen = page(api, ada)
    assert HEADING in seen
    assert "<strong>1</strong> accepted" in seen
    assert "<strong>1</strong> quarantined" in seen
    for id, state in ((done, "done"), (queued, "queued")):
        assert f'href="/imports/{id}"' in seen
        assert f'class="state {state}"' in seen
    # An admin may see all imports, but the page shows only their own.
    for other in (eve, admin):
        seen = page(api, other)
        assert HEADING in seen
        assert done not in seen
    seen = page(api, None)
    assert HEADING not in seen
    assert done not in seen


def test_older_imports_have_their_pages(api: Api, ada: NewPlayer) -> None:
    api.service.imports.clock = ticking()
    sent = [begun(api, ada, GOOD)["id"] for _ in range(imports.SENT + 1)]
    project(api.service)
    seen = page(api, ada)
    assert f"/imports/{sent[0]}" not in seen
    assert all(id in seen for id in sent[1:])
    older = seen.partition('href="/imports?')[2].partition('"')[0]
    assert sent[0] in page(api, ada, f"/imports?{older}")
    assert f"/imports/{sent[1]}" not in page(api, ada, f"/imports?{older}")
