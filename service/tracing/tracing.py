"""Spans of this process; while traces are off, every call here does nothing.

A trace goes from a request to the append it makes. With the feed's pointer it goes on to the
projector and to the processes that send event streams. Attributes have names from OpenTelemetry's
conventions, and contain nothing secret: no path or query as it was sent (links that sign people in
have their token there), no address, no event.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final, Protocol
from uuid import uuid4

from service.tracing.wishes import wants_traces

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span, Tracer

APPEND: Final = "append"
PROJECT: Final = "project"
DELIVER: Final = "deliver"
TRACEPARENT: Final = "traceparent"
PUBLIC: Final = ("game", "tournament")
"""The kinds of streams whose ids appear in traces."""
CARRIED: Final = (TRACEPARENT, "tracestate")
"""The headers of W3C's Trace Context."""

_OFF: Final = nullcontext("")
_tracer: Tracer | None = None


class Stream(Protocol):
    """What traces use of a stream of the log."""

    @property
    def kind(self) -> str:
        """The kind of thing that it is about."""

    @property
    def id(self) -> str:
        """Its id."""


class Request(Protocol):
    """What traces use of a request to append."""

    @property
    def stream(self) -> Stream:
        """The stream to append to."""

    @property
    def events(self) -> Sequence[Any]:
        """The events to append."""


class Traced(Protocol):
    """What traces use of a pointer of the feed."""

    @property
    def stream(self) -> Stream:
        """The stream that it points to."""

    @property
    def first(self) -> int:
        """The first version that was appended."""

    @property
    def last(self) -> int:
        """The last version that was appended."""

    @property
    def trace(self) -> str:
        """The `traceparent` of the append; empty for none."""


def begin_tracing(process: str) -> None:
    """Trace in this process, if the operator wants it; `process` is the service's name in traces.

    Everything else is configured by the OTEL_ variables that OpenTelemetry's SDK reads. To be
    called once, in a process that no longer forks. Raises BadSetting.
    """
    global _tracer
    if not wants_traces():
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    own = {
        "service.name": f"movelog-{process}",
        "service.namespace": "movelog",
        "service.instance.id": str(uuid4()),
        "service.version": version("movelog"),
    }
    # What the operator says of the service overrides what is set here.
    resource = Resource.create(own).merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    _tracer = provider.get_tracer("movelog", version("movelog"))


def is_tracing() -> bool:
    """Whether traces are on in this process."""
    return _tracer is not None


def write_parent() -> str:
    """The `traceparent` of the current work, for whatever continues it; empty for no trace."""
    if _tracer is None:
        return ""
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return carrier.get(TRACEPARENT, "")


def read_parent(headers: Mapping[str, str]) -> Context:
    """The context that a caller's headers (with names in lower case) give; else a new one."""
    from opentelemetry.context import Context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator().extract(dict(headers), Context())


def start_request(method: str, route: str | None, headers: Mapping[str, str]) -> Span:
    """Start the span of a request if traces are on; the caller ends it."""
    from opentelemetry.trace import SpanKind

    assert _tracer is not None
    name = f"{method} {route}" if route else method
    attributes = {"http.request.method": method} | ({"http.route": route} if route else {})
    return _tracer.start_span(
        name, context=read_parent(headers), kind=SpanKind.SERVER, attributes=attributes
    )


def trace_append(requests: Sequence[Request]) -> AbstractContextManager[str]:
    """A span around an append; gives the `traceparent` for the feed's pointers."""
    return _OFF if _tracer is None else _trace_append(_tracer, requests)


@contextmanager
def _trace_append(tracer: Tracer, requests: Sequence[Request]) -> Iterator[str]:
    from opentelemetry.trace import SpanKind

    kinds = {each.stream.kind for each in requests}
    kind = kinds.pop() if len(kinds) == 1 else "several"
    attributes = _describe(APPEND, kind, "send")
    attributes["messaging.batch.message_count"] = sum(len(each.events) for each in requests)
    if len(requests) == 1:
        attributes |= _name_stream(requests[0].stream)
    with tracer.start_as_current_span(
        f"{APPEND} {kind}", kind=SpanKind.PRODUCER, attributes=attributes
    ) as span:
        # A trace that is not sampled leaves nothing in the feed.
        yield write_parent() if span.is_recording() else ""


def note_received(
    operation: str, pointers: Sequence[Traced], begun: int, clients: int | None = None
) -> None:
    """Add to the traces of these pointers what was done with them from `begun` until now.

    `begun` is in nanoseconds since 1970; `clients` is the number of clients notified.
    """
    if _tracer is None:
        return
    from opentelemetry.trace import SpanKind

    ended = time.time_ns()
    for pointer in pointers:
        if not pointer.trace:
            continue
        kind = pointer.stream.kind
        attributes = _describe(operation, kind, "process")
        attributes |= _name_stream(pointer.stream)
        attributes["messaging.batch.message_count"] = pointer.last - pointer.first + 1
        if clients is not None:
            attributes["movelog.clients"] = clients
        parent = read_parent({TRACEPARENT: pointer.trace})
        _tracer.start_span(
            f"{operation} {kind}",
            context=parent,
            kind=SpanKind.CONSUMER,
            attributes=attributes,
            start_time=begun,
        ).end(ended)


def _name_stream(stream: Stream) -> dict[str, str]:
    """The id of a stream, if everybody may know of it."""
    return {"movelog.stream.id": stream.id} if stream.kind in PUBLIC else {}


def _describe(operation: str, kind: str, type: str) -> dict[str, str | int]:
    return {
        "messaging.system": "movelog",
        "messaging.operation.name": operation,
        "messaging.operation.type": type,
        "messaging.destination.name": kind,
    }
