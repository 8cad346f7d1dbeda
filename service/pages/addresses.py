"""Addresses of this site as other sites have to write them."""

from __future__ import annotations

from urllib.parse import urlencode

from flask import request
from werkzeug.urls import iri_to_uri

from service.pages.site import pages


@pages.app_template_global("absolute")
def write_address(path: str) -> str:
    """A path of this site with the scheme and the host that the reader has used."""
    return request.host_url.rstrip("/") + iri_to_uri(path)


@pages.app_template_global("start_picture")
def find_start_picture(variant: str) -> str:
    """The path of a game's first position as a picture for previews."""
    return f"/api/v1/board.png?{urlencode({'variant': variant, 'width': 1200, 'height': 630})}"
