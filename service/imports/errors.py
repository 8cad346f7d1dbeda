"""What can go wrong with an import.

ServiceError
└── ImportsError
    ├── DamagedUpload    it cannot be unpacked                        damaged-upload
    ├── UnpacksTooLarge  it unpacks to more than may be uploaded       unpacks-too-large
    ├── TooManyRecords   it holds more records than an import may     too-many-records
    ├── CannotCancel     it has ended, or is committed and goes on     cannot-cancel
    ├── TooManyImports   a player waits for as many as one may         too-many-imports
    └── UploadQuotaUsed  a player has uploaded a day's worth of bytes  upload-quota-used
"""

from __future__ import annotations

from service.errors import ServiceError


class ImportsError(ServiceError):
    """Base of the imports' errors."""

    code = "import-error"


class DamagedUpload(ImportsError):
    """A packed file that is cut off or altered."""

    code = "damaged-upload"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"the file cannot be unpacked: {self.reason}"


class UnpacksTooLarge(ImportsError):
    """A packed file that holds more than `limit` bytes."""

    code = "unpacks-too-large"

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit

    def __str__(self) -> str:
        return f"the file unpacks to more than {self.limit} bytes"


class TooManyRecords(ImportsError):
    """A file of more than `limit` records: each has a verdict that is kept."""

    code = "too-many-records"

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit

    def __str__(self) -> str:
        return f"the file holds more than {self.limit} records; send the rest as another"


class CannotCancel(ImportsError):
    """The import is in a `status` from which nothing can be cancelled."""

    code = "cannot-cancel"

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status

    def __str__(self) -> str:
        return f"the import is {self.status}, there is nothing to cancel"


class TooManyImports(ImportsError):
    """A player has `limit` imports waiting and running, which is as many as one may have."""

    code = "too-many-imports"
    retry_after = 60

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit

    def __str__(self) -> str:
        return f"{self.limit} of your imports are under way; wait until one has ended, or cancel it"


class UploadQuotaUsed(ImportsError):
    """A player has uploaded `limit` bytes since midnight UTC; the next is in `retry_after` s."""

    code = "upload-quota-used"

    def __init__(self, limit: int, retry_after: int) -> None:
        super().__init__(limit, retry_after)
        self.limit = limit
        self.retry_after = retry_after

    def __str__(self) -> str:
        return (
            f"a player may upload {self.limit} bytes a day, and you have; send the file after"
            " midnight UTC, or ask an admin to import it"
        )
