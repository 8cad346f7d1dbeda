"""The service itself: variants, health, metrics, public keys and the contract."""

from __future__ import annotations

import re
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path

from flask import Blueprint, Response
from flask_swagger_ui import get_swaggerui_blueprint
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from engine.registry import VARIANTS
from engine.variant import Variant
from notation.registry import find_dialect
from service.api import request_data
from service.api.backlogs import measure_backlogs
from service.api.context import get_service, get_web
from service.api.responses import hash_source, respond_json
from service.api.views import SIDE_NAMES
from service.composition.log_store import can_write_all
from service.computer.levels import LEVELS, Level
from service.projection.errors import DatabaseError

meta = Blueprint("meta", __name__)
# The page needs nothing from other hosts, not even a validator's badge.
PAGE = {"app_name": "Movelog API", "validatorUrl": None}
LATE = 10.0
"""Seconds that a job which somebody waits for may wait until the service counts as degraded."""
INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
docs = get_swaggerui_blueprint("/docs", "/openapi.yaml", config=PAGE)


def confine(response: Response) -> Response:
    """Let the page that explains the API run its own scripts, and forbid embedding it."""
    if response.mimetype == "text/html":
        own = " ".join(map(hash_source, INLINE.findall(response.get_data(as_text=True))))
        response.headers["Content-Security-Policy"] = (
            f"default-src 'none'; script-src 'self' {own}; style-src 'self' 'unsafe-inline';"
            " img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
        )
    return response


docs.after_request(confine)


def read_contract() -> str:
    """The text of openapi.yaml: beside the packages in a checkout, inside them when installed."""
    checkout = Path(__file__).parents[2] / "openapi.yaml"
    if checkout.exists():
        return checkout.read_text()
    return files("service").joinpath("openapi.yaml").read_text()


@meta.get("/api/v1/variants")
def list_variants() -> Response:
    """The games that can be played here."""
    request_data.read_query()
    return respond_json({"items": [render_variant(known) for known in VARIANTS.values()]})


def render_variant(variant: Variant) -> dict[str, object]:
    """Return what a client needs to know about a variant before it creates a game."""
    texts = find_dialect(variant.name)
    return {
        "name": variant.name,
        "rules": variant.rules,
        "sides": dict(zip(SIDE_NAMES, variant.sides, strict=True)),
        "counts_points": variant.counts_points,
        "draw_by_points": variant.draw_by_points,
        "secret_choices": texts.variant.secret_choice,
        "initial_fen": texts.write_fen(variant.start()),
    }


@meta.get("/api/v1/computers")
def list_computers() -> Response:
    """The computer's players, the weakest first."""
    request_data.read_query()
    return respond_json({"items": list(map(render_level, LEVELS))})


def render_level(level: Level) -> dict[str, object]:
    """Return what distinguishes a level of the computer, and who plays at it."""
    return {
        "level": level.number,
        "id": level.player,
        "name": level.name,
        "nodes": level.nodes,
        "seconds": level.seconds,
        "error": level.error,
    }


@meta.get("/healthz")
def report_health() -> Response:
    """Whether this process answers."""
    return respond_json({"status": "ok"})


@meta.get("/readyz")
def report_readiness() -> Response:
    """Whether the service can do its work: the log answers and takes writes, the lists can be
    read and keep up.

    Raises Draining once the process is about to end.
    """
    get_web().drain.check()
    log = get_service().log.redis
    writes = can_write_all(get_service().store, log.client, log.partitions)
    lists = measure_lists()
    backlogs = measure_backlogs(get_service())
    late = any(duty.prompt and seen.oldest_seconds > LATE for duty, seen in backlogs.items())
    degraded = late or lists["parked_games"] != 0
    status = "read-only" if not writes else "degraded" if degraded else "ready"
    return respond_json(
        {
            "status": status,
            "writes": "accepted" if writes else "storage-full",
            **lists,
            "duties": {duty.name: asdict(seen) for duty, seen in backlogs.items()},
        }
    )


def measure_lists() -> dict[str, object]:
    """Return whether the lists can be read, how far they are behind, and how many games are parked.

    Games go on without their database: its error is reported, and nulls for what only it knows.
    """
    try:
        return {
            "lists": "available",
            "projection_lag": get_service().checkpoints.count_behind(get_service().log),
            "parked_games": get_service().dead_letters.count(),
        }
    except DatabaseError as error:
        return {"lists": error.code, "projection_lag": None, "parked_games": None}


@meta.get("/.well-known/movelog-keys")
def list_keys() -> Response:
    """The public keys that exports are signed with, the one in use first."""
    request_data.read_query()
    return respond_json(get_service().signer.public_keys.as_json())


@meta.get("/metrics")
def report_metrics() -> Response:
    """Counts for Prometheus."""
    return Response(get_web().metrics.render_exposition(), content_type=CONTENT_TYPE_PLAIN_0_0_4)


@meta.get("/openapi.yaml")
def get_openapi() -> Response:
    """The contract."""
    return Response(read_contract(), mimetype="application/yaml")
