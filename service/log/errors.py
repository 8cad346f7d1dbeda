"""What the log refuses.

ServiceError
├── WrongExpectedVersion   (service.errors)
└── LogError
    ├── AlreadyDone        the idempotency key was used before; holds its receipt
    ├── Barred             an attribute of the stream forbids the append
    ├── MaybeArchived      the stream is not in Redis; it may be in the archive
    ├── Overtaken          others changed the entity at every try   overtaken-by-others
    ├── UnknownEvent       an event that this version of the service cannot read
    ├── PartitionMismatch  the stored number of partitions is different
    ├── LogElsewhere       the log is not where the settings say
    └── UnfitCluster       a Redis Cluster that cannot be used in this way
"""

from __future__ import annotations

from service.errors import ServiceError
from service.log.values import Receipt


class LogError(ServiceError):
    """Base of the log's own errors."""


class AlreadyDone(LogError):
    """The request was carried out before; `receipt` says with what result."""

    code = "already-done"
    message = "this request was carried out before"
    receipt: Receipt


class Barred(LogError):
    """The `attribute` is set and is the append's `unless`, or has not the value it requires."""

    code = "barred"
    message = "the attribute {attribute!r} of {stream} forbids this append"
    stream: str
    attribute: str


class MaybeArchived(LogError):
    """The stream is not in Redis, and has not been looked for in the archive."""

    code = "maybe-archived"
    message = "{stream} is not in Redis; the archive has to be asked for it first"
    stream: str


class Overtaken(LogError):
    """At every try to append a command's events, others had changed what it depends on."""

    code = "overtaken-by-others"
    message = "{stream} was changed by others in all of {tries} tries; send the request again"
    stream: str
    tries: int


class UnknownEvent(LogError):
    """The log holds an event whose name this version does not know."""

    code = "unknown-event"
    message = "unknown event {stored_name!r}; was it written by a newer version?"
    stored_name: str


class PartitionMismatch(LogError):
    """The log was begun with a different number of partitions."""

    code = "partition-mismatch"
    message = "this log has {stored} partitions, {configured} are configured"
    stored: int
    configured: int


class LogElsewhere(LogError):
    """The Redis of everything else belongs to a log that is not where the settings say."""

    code = "log-elsewhere"
    message = "{reason}"
    reason: str


class UnfitCluster(LogError):
    """The settings name a Redis Cluster that cannot be used in this way."""

    code = "unfit-cluster"
    message = "{reason}"
    reason: str
