"""The WSGI application, with settings from the environment."""

from __future__ import annotations

from service.api.process_part import Part
from service.composition.key_telling import tell_keys
from service.composition.service import compose
from service.operations.web_app import create_app
from service.settings import read_settings
from service.tracing.tracing import begin_tracing

begin_tracing("web")
settings = read_settings()
service = compose(settings)
service.heartbeat.start()
tell_keys(settings, "web")
app = create_app(service, Part.WITHOUT_STREAMS if settings.streams_apart else Part.WHOLE)
