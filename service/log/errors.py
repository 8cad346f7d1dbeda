"""What the log refuses.

ServiceError
├── WrongExpectedVersion   (service.errors)
└── LogError
    ├── AlreadyDone        the idempotency key was used; its receipt is inside
    ├── UnknownEvent       an event this version of the service cannot read
    └── PartitionMismatch  the stored partition count is another one
"""

from __future__ import annotations

from service.errors import ServiceError
from service.log.values import Receipt


class LogError(ServiceError):
    """Base of the log's own errors."""


class AlreadyDone(LogError):
    """The request was carried out before; `receipt` says what came of it."""

    code = "already-done"
    message = "this request was carried out before"
    receipt: Receipt


class UnknownEvent(LogError):
    """The log holds an event whose name nothing here knows."""

    code = "unknown-event"
    message = "unknown event {stored_name!r}; was it written by a newer version?"
    stored_name: str


class PartitionMismatch(LogError):
    """The log was begun with another number of partitions."""

    code = "partition-mismatch"
    message = "this log has {stored} partitions, {configured} are configured"
    stored: int
    configured: int
