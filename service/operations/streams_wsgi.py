"""The WSGI application that answers only event streams.

It sends no heartbeat: without a process that accepts actions, players cannot move, and this time
has to be credited to them.
"""

from __future__ import annotations

from service.api.process_part import Part
from service.composition.key_telling import tell_keys
from service.composition.service import compose
from service.operations.web_app import create_app
from service.settings import read_settings
from service.tracing.tracing import begin_tracing

begin_tracing("streams")
settings = read_settings()
app = create_app(compose(settings), Part.STREAMS)
tell_keys(settings, "streams")
