"""Files of records: uploading one, watching its import, its verdicts."""

from __future__ import annotations

from flask import render_template, request

from service.pages.api_client import get, get_reader
from service.pages.site import pages

STATUSES = ("accepted", "duplicate", "variant-of", "quarantined", "as-played", "valid")
SENT = 20
"""The number of imports on a page of them."""


@pages.get("/imports")
def show_imports() -> str:
    """The form that sends a file, with or without a script, and the reader's imports."""
    who = get_reader()
    sent = None
    if who is not None:
        sent = get("/imports", by=who["id"], cursor=request.args.get("cursor"), limit=SENT)
    return render_template("imports.html", sent=sent)


@pages.get("/imports/<id:id>")
def show_import(id: str) -> str:
    """Show an import: its progress, and a page of its verdicts."""
    status = request.args.get("status")
    verdicts = get(
        f"/imports/{id}/verdicts", status=status, cursor=request.args.get("cursor"), limit=100
    )
    return render_template(
        "import.html",
        shown=get(f"/imports/{id}"),
        verdicts=verdicts,
        status=status,
        statuses=STATUSES,
    )
