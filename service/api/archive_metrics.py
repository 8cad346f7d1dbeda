"""The metrics of the archive and of the feed's readers, for operators."""

from __future__ import annotations

from prometheus_client.core import GaugeMetricFamily

from service.archive.status import read_status
from service.composition.service import Service, now


def collect_archive(service: Service) -> list[GaugeMetricFamily]:
    """The gauges of the archive, as of its last run, and of the feed in Redis."""
    status = read_status(service.store)
    gauges = [
        ("movelog_archived_games", "Games in the archive", status.games),
        ("movelog_archive_segments", "Objects that hold archived games", status.segments),
        ("movelog_archive_bytes", "Bytes of archived games", status.bytes),
        ("movelog_archived_feed_entries", "Feed entries in the archive", status.feed_entries),
        ("movelog_archived_feed_bytes", "Bytes of archived feed entries", status.feed_bytes),
        (
            "movelog_archive_run_timestamp_seconds",
            "When the archive's last run was completed, 0 if never",
            status.at / 1000,
        ),
        (
            "movelog_archive_failed",
            "1 if the archive's last run failed, 0 otherwise",
            float(bool(status.error)),
        ),
        ("movelog_feed_entries", "Feed entries in Redis", sum(service.log.feeds.count_entries())),
    ]
    return [
        *(GaugeMetricFamily(name, told, value=value) for name, told, value in gauges),
        *_collect_readers(service),
    ]


def _collect_readers(service: Service) -> list[GaugeMetricFamily]:
    """How far the readers are behind, and how long they have been silent."""
    behind = GaugeMetricFamily(
        "movelog_feed_reader_behind_seconds",
        "How far a registered reader of the feed is behind its end",
        labels=["reader"],
    )
    ends, at = service.log.feed_positions(), now()
    lags, silences = [0.0], [0.0]
    for reader in service.feed_readers.list():
        lags.append(reader.find_lag(service.log, ends) / 1000)
        silences.append(max(0, at - reader.at) / 1000)
        behind.add_metric([reader.name], lags[-1])
    return [
        behind,
        GaugeMetricFamily(
            "movelog_feed_slowest_reader_seconds",
            "How far the slowest registered reader of the feed is behind its end",
            value=max(lags),
        ),
        GaugeMetricFamily(
            "movelog_feed_silent_reader_seconds",
            "How long the most silent registered reader has not been heard of",
            value=max(silences),
        ),
    ]
