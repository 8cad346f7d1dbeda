"""The pages of an application on a real Redis."""

from __future__ import annotations

from tests.service.api.conftest import ada, admin, api, arbiter, brahim, configured, eve

__all__ = ["ada", "admin", "api", "arbiter", "brahim", "configured", "eve"]
