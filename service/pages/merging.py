"""The admin's page of players who may be one person."""

from __future__ import annotations

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from service.languages.texts import mark
from service.pages import api_client, session
from service.pages.api_client import ApiRefused, get
from service.pages.site import pages

REASONS = {
    "same-words": mark("the same words"),
    "typing-error": mark("a typing error"),
    "initials": mark("initials"),
    "more-words": mark("one name has more words"),
}
"""What names have in common, in words."""
MERGED = "merge"
"""The value of the button that merges; the other one says that they are two persons."""


@pages.get("/merge-suggestions")
def show_merge_suggestions() -> str:
    """Players whose names are alike, likeliest first, with what can be made of each pair."""
    return render_suggestions(None)


@pages.post("/merge-suggestions")
def settle_suggestion() -> Response | tuple[str, int]:
    """Merge the form's players, or note that they are two persons; a refusal is shown above."""
    session.check_csrf(request.form.get(session.FIELD))
    player, other = request.form.get("player", ""), request.form.get("other", "")
    try:
        if request.form.get("settle") == MERGED:
            api_client.post(f"/players/{player}/merge", {"into": other})
        else:
            api_client.ask("PUT", f"/players/{player}/distinct/{other}", {})
    except ApiRefused as refused:
        return render_suggestions(refused.problem), int(refused.problem["status"])
    cursor = request.form.get("cursor") or None
    return redirect(url_for("pages.show_merge_suggestions", cursor=cursor), 303)


def render_suggestions(problem: object) -> str:
    """The page of suggestions, below a refusal if there was one."""
    cursor = request.values.get("cursor") or None
    return render_template(
        "merge_suggestions.html",
        found=get("/merge-suggestions", cursor=cursor),
        cursor=cursor,
        problem=problem,
        reasons=REASONS,
        merged=MERGED,
    )
