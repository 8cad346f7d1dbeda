"""The parts put together: those that every process shares, and those of the projector."""
