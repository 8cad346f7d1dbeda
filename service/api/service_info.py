"""The service itself: variants, health, metrics, public keys and the contract."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from flask import Blueprint, Response
from flask_swagger_ui import get_swaggerui_blueprint
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from engine.registry import VARIANTS
from engine.variant import Variant
from notation.registry import dialect
from service.api.context import service, web
from service.api.responses import json_response, source_of
from service.api.views import SIDE_NAMES
from service.jobs.duties import DUTIES, Duty
from service.storage.capacity import takes_writes

meta = Blueprint("meta", __name__)
# The page needs nothing from other hosts: no validator's badge either.
PAGE = {"app_name": "Movelog API", "validatorUrl": None}
LATE = 10.0
"""Seconds that a job may wait which somebody waits for, until the service is degraded."""
INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
docs = get_swaggerui_blueprint("/docs", "/openapi.yaml", config=PAGE)


def confine(response: Response) -> Response:
    """Let the page that explains the API run its own scripts, and be shown in no other page."""
    if response.mimetype == "text/html":
        own = " ".join(map(source_of, INLINE.findall(response.get_data(as_text=True))))
        response.headers["Content-Security-Policy"] = (
            f"default-src 'none'; script-src 'self' {own}; style-src 'self' 'unsafe-inline';"
            " img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
        )
    return response


docs.after_request(confine)


def contract() -> str:
    """The text of openapi.yaml: beside the packages in a checkout, inside them when installed."""
    checkout = Path(__file__).parents[2] / "openapi.yaml"
    if checkout.exists():
        return checkout.read_text()
    return files("service").joinpath("openapi.yaml").read_text()


@meta.get("/api/v1/variants")
def variants() -> Response:
    """The games that can be played here."""
    return json_response({"items": [variant_view(known) for known in VARIANTS.values()]})


def variant_view(variant: Variant) -> dict[str, object]:
    """What a client needs to know of a game before it begins one."""
    texts = dialect(variant.name)
    return {
        "name": variant.name,
        "rules": variant.rules,
        "sides": dict(zip(SIDE_NAMES, variant.sides, strict=True)),
        "counts_points": variant.counts_points,
        "draw_by_points": variant.draw_by_points,
        "secret_choices": texts.variant.secret_choice,
        "initial_fen": texts.write_fen(variant.start()),
    }


@meta.get("/healthz")
def health() -> Response:
    """Whether this process answers."""
    return json_response({"status": "ok"})


@meta.get("/readyz")
def ready() -> Response:
    """Whether the service can do its work: the log answers and takes writes, the projections
    keep up.
    """
    writes = takes_writes(service().store)
    lag = service().checkpoints.behind(service().log)
    parked = service().dead_letters.count()
    duties = {duty: backlog(duty) for duty in DUTIES}
    late = any(duty.prompt and seen["oldest_seconds"] > LATE for duty, seen in duties.items())
    status = "read-only" if not writes else "degraded" if parked or late else "ready"
    return json_response(
        {
            "status": status,
            "writes": "accepted" if writes else "storage-full",
            "projection_lag": lag,
            "parked_games": parked,
            "duties": {duty.name: seen for duty, seen in duties.items()},
        }
    )


def backlog(duty: Duty) -> dict[str, float]:
    """How many jobs of a duty are queued, and how long the first has been due, in seconds."""
    jobs = service().jobs
    waiting = jobs.waiting(duty.kinds)
    return {"queued": waiting.queued, "oldest_seconds": waiting.seconds(jobs.clock())}


@meta.get("/.well-known/movelog-keys")
def keys() -> Response:
    """The public keys that exports are signed with, the one in use first."""
    return json_response(service().signer.public_keys.as_json())


@meta.get("/metrics")
def metrics() -> Response:
    """Counts for Prometheus."""
    return Response(web().metrics.exposition(), content_type=CONTENT_TYPE_PLAIN_0_0_4)


@meta.get("/openapi.yaml")
def openapi() -> Response:
    """The contract."""
    return Response(contract(), mimetype="application/yaml")
