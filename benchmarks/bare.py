"""The least that can accept a move: Flask, one schema, one script that appends. A baseline."""

from __future__ import annotations

import os

import redis
from flask import Flask, Response, request
from marshmallow import Schema, fields

APPEND = """
local id = redis.call('XADD', KEYS[1], '*', 'action', ARGV[1])
redis.call('XADD', KEYS[2], '*', 'stream', KEYS[1])
return id
"""


class BareActionSchema(Schema):
    """An action."""

    action = fields.String(required=True)
    expected_version = fields.Integer()


app = Flask(__name__)
schema = BareActionSchema()
append = redis.Redis.from_url(os.environ["MOVELOG_REDIS_URL"]).register_script(APPEND)


@app.post("/api/v1/games/<id>/actions")
def act(id: str) -> Response:
    """Append an action, whatever it is."""
    wish = schema.load(request.get_json())
    made = append(keys=[f"{{bare}}:{id}", "{bare}:feed"], args=[wish["action"]])
    return Response(f'{{"id":"{made.decode()}"}}', mimetype="application/json")
