"""What is counted, for Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from service.api.hub import Hub
from service.log.interface import EventLog
from service.projection.positions import Positions


class Metrics:
    """One process's counts, and the gauges that are the same whichever process is asked."""

    def __init__(self, hub: Hub, log: EventLog, positions: Positions) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "movelog_requests",
            "Requests answered",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self.seconds = Histogram(
            "movelog_request_seconds",
            "Seconds until an answer began",
            ["route"],
            registry=self.registry,
        )
        self.registry.register(Gauges(hub, log, positions))

    def exposition(self) -> bytes:
        """All of it in Prometheus' text format."""
        return generate_latest(self.registry)


class Gauges(Collector):
    """What is looked up when it is asked for."""

    def __init__(self, hub: Hub, log: EventLog, positions: Positions) -> None:
        self.hub = hub
        self.log = log
        self.positions = positions

    def collect(self) -> list[GaugeMetricFamily]:
        """The gauges of this moment."""
        return [
            GaugeMetricFamily(
                "movelog_event_streams",
                "Event streams this process holds",
                value=self.hub.open_streams,
            ),
            GaugeMetricFamily(
                "movelog_projection_lag_entries",
                "Feed entries the projections are behind",
                value=self.positions.behind(self.log),
            ),
        ]
