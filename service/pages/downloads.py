"""Downloads: plain links to formats other than JSON, which need no script."""

from __future__ import annotations

from flask import Response

from service.pages.api_client import get_text
from service.pages.site import pages

CSV = "text/csv"
NDJSON = "application/x-ndjson"
PGN = "application/x-chess-pgn"


@pages.get("/games/<id:id>/record.pgn")
def save_record(id: str) -> Response:
    """A game's signed record."""
    return offer_file(f"/games/{id}", PGN, f"{id}.pgn")


@pages.get("/games/<id:id>/log.ndjson")
def save_game_log(id: str) -> Response:
    """A game's signed log."""
    return offer_file(f"/games/{id}/events", NDJSON, f"{id}.ndjson")


@pages.get("/tournaments/<id:id>/log.ndjson")
def save_tournament_log(id: str) -> Response:
    """A tournament's signed log."""
    return offer_file(f"/tournaments/{id}/events", NDJSON, f"{id}.ndjson")


@pages.get("/tournaments/<id:id>/standings.csv")
def save_standings(id: str) -> Response:
    """A tournament's standings as a table."""
    return offer_file(f"/tournaments/{id}/standings", CSV, f"{id}-standings.csv")


@pages.get("/tournaments/<id:id>/cross-table.csv")
def save_cross_table(id: str) -> Response:
    """A tournament's cross table as a table."""
    return offer_file(f"/tournaments/{id}/cross-table", CSV, f"{id}-cross-table.csv")


def offer_file(path: str, kind: str, name: str) -> Response:
    """The API's content at a path in one format, to be saved under a name; raises ApiRefused."""
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Cache-Control": "private, no-cache",
    }
    return Response(get_text(path, kind), mimetype=kind, headers=headers)
