"""A receiver of OpenTelemetry's traces, such as a collector is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.http_server import serve_in_thread


@dataclass(frozen=True, slots=True)
class Span:
    """What was received of a span; ids are in hex."""

    service: str
    name: str
    trace: str
    id: str
    parent: str
    kind: int
    attributes: dict[str, str | int]
    failed: bool


@dataclass(slots=True)
class Receiver:
    """All that was received, as request bodies and as spans."""

    url: str = ""
    bodies: list[bytes] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)

    def receive(self, body: bytes) -> None:
        """Take in a request's body."""
        self.bodies.append(body)
        request = ExportTraceServiceRequest()
        request.ParseFromString(body)
        for process in request.resource_spans:
            own = read_attributes(process.resource.attributes)
            for scope in process.scope_spans:
                self.spans += [read_span(str(own["service.name"]), one) for one in scope.spans]

    def find(self, trace: str, name: str) -> list[Span]:
        """The spans of a trace that have this name."""
        return [one for one in self.spans if (one.trace, one.name) == (trace, name)]


def read_span(service: str, span: Any) -> Span:
    return Span(
        service,
        span.name,
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        span.kind,
        read_attributes(span.attributes),
        span.status.code == span.status.STATUS_CODE_ERROR,
    )


def read_attributes(attributes: Any) -> dict[str, str | int]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}


@contextmanager
def run_receiver() -> Iterator[Receiver]:
    """A receiver on a free port, while the context lasts."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            receiver.receive(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.url = f"http://127.0.0.1:{server.server_port}"
    with serve_in_thread(server):
        yield receiver
