"""Turns problems outside the API into pages for browsers."""

from __future__ import annotations

from typing import Final

from flask import Response, render_template, request

from service.api.responses import PROBLEM

PAGE: Final = "text/html"


def render_problem_page(response: Response) -> Response:
    """The response or, for a problem that a browser is to show, a page that describes it."""
    if response.mimetype != PROBLEM or request.path.startswith("/api/"):
        return response
    # A client that accepts anything is a program.
    if request.accept_mimetypes.best_match([PROBLEM, PAGE]) == PAGE:
        response.set_data(render_template("problem.html", problem=response.get_json()))
        response.mimetype = PAGE
    return response
