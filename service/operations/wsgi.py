"""The WSGI application, with the settings of the environment."""

from __future__ import annotations

from service.composition.service import compose
from service.operations.web_app import create_app
from service.settings import read_settings

service = compose(read_settings())
service.heartbeat.start()
app = create_app(service)
