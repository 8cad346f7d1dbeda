"""The least that can answer a read: Flask, and bytes that are there. A baseline."""

from __future__ import annotations

import json
import os
from pathlib import Path

from flask import Flask, Response, request

BYTES = "MOVELOG_BENCHMARK_BYTES"
"""Names a file of JSON: what to answer, by path with its query."""


def create() -> Flask:
    """The application."""
    app = Flask(__name__)
    held = json.loads(Path(os.environ[BYTES]).read_text())
    texts = {path: text.encode() for path, text in held.items()}

    @app.get("/<path:path>")
    def read(path: str) -> Response:
        """What is to be answered at this path."""
        return Response(texts[request.full_path.removesuffix("?")], mimetype="application/json")

    return app
