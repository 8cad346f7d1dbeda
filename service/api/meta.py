"""What is not about games: health, metrics, the contract and its page."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from flask import Blueprint, Response
from flask_swagger_ui import get_swaggerui_blueprint

from service.api.answers import json_response
from service.api.context import service, web

meta = Blueprint("meta", __name__)
docs = get_swaggerui_blueprint("/docs", "/openapi.yaml", config={"app_name": "Movelog API"})


def contract() -> str:
    """The text of openapi.yaml: beside the packages in a checkout, inside them when installed."""
    checkout = Path(__file__).parents[2] / "openapi.yaml"
    if checkout.exists():
        return checkout.read_text()
    return files("service").joinpath("openapi.yaml").read_text()


@meta.get("/healthz")
def health() -> Response:
    """Whether this process answers."""
    return json_response({"status": "ok"})


@meta.get("/readyz")
def ready() -> Response:
    """Whether the service can do its work: the log answers, the projections keep up."""
    service().store.ping()
    lag = service().positions.behind(service().log)
    return json_response({"status": "ready", "projection_lag": lag})


@meta.get("/metrics")
def metrics() -> Response:
    """Counts for Prometheus."""
    return Response(web().metrics.exposition(), mimetype="text/plain")


@meta.get("/openapi.yaml")
def openapi() -> Response:
    """The contract."""
    return Response(contract(), mimetype="application/yaml")
