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

    code = "log-error"


class AlreadyDone(LogError):
    """The request was carried out before; `receipt` says what came of it."""

    code = "already-done"

    def __init__(self, receipt: Receipt) -> None:
        super().__init__(receipt)
        self.receipt = receipt

    def __str__(self) -> str:
        return "this request was carried out before"


class UnknownEvent(LogError):
    """The log holds an event whose name nothing here knows."""

    code = "unknown-event"

    def __init__(self, stored_name: str) -> None:
        super().__init__(stored_name)
        self.stored_name = stored_name

    def __str__(self) -> str:
        return f"unknown event {self.stored_name!r}; was it written by a newer version?"


class PartitionMismatch(LogError):
    """The log was begun with another number of partitions."""

    code = "partition-mismatch"

    def __init__(self, stored: int, configured: int) -> None:
        super().__init__(stored, configured)
        self.stored = stored
        self.configured = configured

    def __str__(self) -> str:
        return f"this log has {self.stored} partitions, {self.configured} are configured"
