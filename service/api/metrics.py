"""The metrics that Prometheus reads."""

from __future__ import annotations

from collections import Counter as Counting
from functools import cache

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from service.api.archive_metrics import collect_archive
from service.api.backlogs import measure_backlogs
from service.api.event_hub import Hub
from service.composition.log_store import can_write_all
from service.composition.service import Service, now
from service.projection.errors import DatabaseError
from service.projection.heads import find_ahead
from service.projection.leases.process_name import shorten_process_name
from service.projection.leases.table import LeaseTable
from service.projection.losses import Losses


class Metrics:
    """One process's counts, and the gauges that are the same in every process."""

    def __init__(self, hub: Hub, service: Service) -> None:
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
        self.registry.register(Gauges(hub, service))
        self._count_of = cache(self.requests.labels)
        self._seconds_of = cache(self.seconds.labels)

    def count(self, method: str, route: str, status: int, seconds: float | None) -> None:
        """Count a request that was answered, after `seconds` seconds if that is known."""
        self._count_of(method, route, status).inc()
        if seconds is not None:
            self._seconds_of(route).observe(seconds)

    def render_exposition(self) -> bytes:
        """All metrics in Prometheus' text format."""
        return generate_latest(self.registry)


class Gauges(Collector):
    """Gauges whose values are read from the stores at each scrape."""

    def __init__(self, hub: Hub, service: Service) -> None:
        self.hub = hub
        self.service = service
        self.leases = LeaseTable(service.store, service.log.partitions)
        self.losses = Losses(service.store, now)

    def collect(self) -> list[GaugeMetricFamily]:
        """The current gauges."""
        service = self.service
        jobs = GaugeMetricFamily("movelog_jobs", "Background jobs by state", labels=["state"])
        for state, count in service.jobs.counts().items():
            jobs.add_metric([state], count)
        queued = GaugeMetricFamily(
            "movelog_queued_jobs", "Waiting background jobs, by duty", labels=["duty"]
        )
        oldest = GaugeMetricFamily(
            "movelog_oldest_job_seconds",
            "How long the oldest waiting job of a duty has been due",
            labels=["duty"],
        )
        for duty, backlog in measure_backlogs(service).items():
            queued.add_metric([duty.name], backlog.queued)
            oldest.add_metric([duty.name], backlog.oldest_seconds)
        holders = self.leases.holders()
        leases = GaugeMetricFamily(
            "movelog_projector_partitions",
            "Partitions of the log that each projector projects",
            labels=["projector"],
        )
        for holder, count in Counting(holders.values()).items():
            leases.add_metric([shorten_process_name(holder)], count)
        log = service.log.redis
        return [
            GaugeMetricFamily(
                "movelog_event_streams",
                "Event streams this process holds",
                value=self.hub.open_streams,
            ),
            *self._collect_of_database(),
            GaugeMetricFamily(
                "movelog_log_lost_timestamp_seconds",
                "When the log was last found to have lost events known to the lists, in seconds "
                "since 1970; 0 for never",
                value=self.losses.last() / 1000,
            ),
            *collect_archive(service),
            GaugeMetricFamily(
                "movelog_writes_accepted",
                "1 while the store accepts writes, 0 while it has no room",
                value=can_write_all(service.store, log.client, log.partitions),
            ),
            GaugeMetricFamily(
                "movelog_mail_server_away_seconds",
                "For how long the mail server has accepted no mail, 0 if it did when last asked or "
                "there is none",
                value=measure_mail_absence(service),
            ),
            leases,
            GaugeMetricFamily(
                "movelog_unheld_partitions",
                "Partitions of the log that no projector projects",
                value=service.log.partitions - len(holders),
            ),
            jobs,
            queued,
            oldest,
        ]

    def _collect_of_database(self) -> list[GaugeMetricFamily]:
        """What is known of the read models; while their database is away, only that it is."""
        service = self.service
        up = ("movelog_database_up", "1 while the database of the lists can be read, else 0")
        try:
            known = service.checkpoints.load(service.log.partitions)
            behind = service.checkpoints.count_behind_each(service.log)
            partitions = GaugeMetricFamily(
                "movelog_partition_lag_entries",
                "Feed entries that the projections are behind, by partition of the log",
                labels=["partition"],
            )
            for partition, count in behind.items():
                partitions.add_metric([str(partition)], count)
            return [
                GaugeMetricFamily(
                    "movelog_projection_lag_entries",
                    "Feed entries that the projections are behind",
                    value=sum(behind.values()),
                ),
                partitions,
                GaugeMetricFamily(
                    "movelog_lost_partitions",
                    "Partitions of the log that have lost events known to the lists",
                    value=len(find_ahead(service.log, known)),
                ),
                GaugeMetricFamily(
                    "movelog_parked_games",
                    "Games whose events cannot be folded, shown as they were before",
                    value=service.dead_letters.count(),
                ),
                GaugeMetricFamily(
                    "movelog_database_bytes",
                    "Bytes that the lists take on their database's disk",
                    value=service.database.size(),
                ),
                GaugeMetricFamily(*up, value=1),
            ]
        except DatabaseError:
            return [GaugeMetricFamily(*up, value=0)]


def measure_mail_absence(service: Service) -> float:
    """For how many seconds the mail server has not answered; 0 where no mail is sent."""
    if not service.settings.sends_mail:
        return 0.0
    return service.outbox.measure_absence(service.jobs.clock()) / 1000
