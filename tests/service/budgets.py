"""Time for the questions that a service answers as far as it gets."""

from __future__ import annotations

from typing import Final

from service.composition.service import Service

PATIENCE: Final = 600
"""Seconds that an answer may take; one that runs out of time tells of fewer games."""


def lift_budgets(service: Service) -> None:
    """Give answers as much time as they need on a busy machine."""
    for answering in (service.search, service.explorer.explorer, service.player_reports):
        answering.budget = PATIENCE
