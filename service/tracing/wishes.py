"""Whether the operator wants traces, according to OpenTelemetry's own variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Final

from service.environment import BadSetting

ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
EXPORTER: Final = "OTEL_TRACES_EXPORTER"
PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
PROTOCOL: Final = "http/protobuf"
DISABLED: Final = "OTEL_SDK_DISABLED"
OTLP: Final = "otlp"


def wants_traces(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether these variables say where traces are sent.

    Raises BadSetting for impossible settings: an unsupported exporter or protocol, or traces
    without the packages of the extra `tracing`.
    """
    exporter = environ.get(EXPORTER, "")
    named = next((name for name in ENDPOINTS if environ.get(name)), None)
    if environ.get(DISABLED, "").lower() == "true" or exporter == "none":
        return False
    if named is None and not exporter:
        return False
    if exporter not in ("", OTLP):
        raise BadSetting(EXPORTER, f"{OTLP} or none")
    protocol = next((name for name in PROTOCOLS if environ.get(name)), None)
    if protocol is not None and environ[protocol] != PROTOCOL:
        raise BadSetting(protocol, f"{PROTOCOL}, the only one supported")
    if find_spec("opentelemetry") is None:
        raise BadSetting(named or EXPORTER, "traces need pip install 'movelog[tracing]'")
    return True
