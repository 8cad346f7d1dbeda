"""Verifies an export of either form."""

from __future__ import annotations

from service.verification.errors import Unverifiable
from service.verification.events import verify_events
from service.verification.keys import PublicKeys
from service.verification.record import verify_records
from service.verification.report import VerificationResult
from service.verification.unchained import explain_unchained


def verify_file(data: bytes, keys: PublicKeys | None) -> list[VerificationResult]:
    """Verify an exported file; returns one result for a log, or one for each record.

    A file that begins with a brace is a log, or JSON that proves nothing. Without keys, signatures
    are not checked.
    """
    if not data.strip():
        return [VerificationResult("an empty file", (), Unverifiable("there is nothing in it"))]
    if data.lstrip().startswith(b"{"):
        if (reason := explain_unchained(data)) is not None:
            return [VerificationResult("JSON", (), Unverifiable(reason))]
        return [verify_events(data, keys)]
    return verify_records(data, keys)
