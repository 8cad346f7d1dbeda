"""The least that can answer a read: Flask, and bytes held ready. A baseline."""

from __future__ import annotations

import json
import os
from pathlib import Path

from flask import Flask, Response, request

BYTES = "MOVELOG_BENCHMARK_BYTES"
"""The variable that names a JSON file of answers, by path with query."""


def create() -> Flask:
    """The application."""
    app = Flask(__name__)
    held = json.loads(Path(os.environ[BYTES]).read_text())
    texts = {path: text.encode() for path, text in held.items()}

    @app.get("/<path:path>")
    def read(path: str) -> Response:
        """The answer for this path."""
        return Response(texts[request.full_path.removesuffix("?")], mimetype="application/json")

    return app
