"""What can go wrong with an import.

ServiceError
├── ImportsError
│   ├── DamagedUpload    it cannot be unpacked                        damaged-upload
│   ├── UnpacksTooLarge  it unpacks to more than may be uploaded       unpacks-too-large
│   ├── TooManyRecords   it holds more records than an import may     too-many-records
│   ├── CannotCancel     it has ended, or is already committed         cannot-cancel
│   └── TooManyImports   a player has as many under way as allowed     too-many-imports
└── QuotaUsed
    └── UploadQuotaUsed  a player has uploaded a day's worth of bytes  upload-quota-used
"""

from __future__ import annotations

from service.errors import QuotaUsed, ServiceError


class ImportsError(ServiceError):
    """Base of the imports' errors."""


class DamagedUpload(ImportsError):
    """A packed file that is cut off or altered."""

    code = "damaged-upload"
    message = "the file cannot be unpacked: {reason}"
    reason: str


class UnpacksTooLarge(ImportsError):
    """A packed file that holds more than `limit` bytes."""

    code = "unpacks-too-large"
    message = "the file unpacks to more than {limit} bytes"
    limit: int


class TooManyRecords(ImportsError):
    """A file of more than `limit` records, which depends on the import's mode.

    The verdict on each record has to be kept, and the games of a strict import are shown together.
    """

    code = "too-many-records"
    message = "the file holds more than {limit} records; send the rest as another"
    limit: int


class CannotCancel(ImportsError):
    """The import has a `status` in which it cannot be cancelled."""

    code = "cannot-cancel"
    message = "the import is {status}; there is nothing to cancel"
    status: str


class TooManyImports(ImportsError):
    """A player has `limit` imports waiting and running, which is as many as allowed."""

    code = "too-many-imports"
    retry_after = 60
    message = "{limit} of your imports are under way; wait until one has ended, or cancel it"
    limit: int


class UploadQuotaUsed(QuotaUsed):
    """A player has uploaded `limit` bytes since midnight UTC."""

    code = "upload-quota-used"
    message = (
        "a player may upload {limit} bytes a day, and you have; send the file after"
        " midnight UTC, or ask an admin to import it"
    )
