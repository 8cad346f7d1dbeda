"""The pages of an application on a real Redis."""

from __future__ import annotations

from tests.service.api.conftest import ada, api, brahim, configured

__all__ = ["ada", "api", "brahim", "configured"]
