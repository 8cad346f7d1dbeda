"""The pages of an application on a real Redis."""

from __future__ import annotations

from tests.service.api.conftest import ada, api, arbiter, brahim, configured

__all__ = ["ada", "api", "arbiter", "brahim", "configured"]
