"""Records and logs as they leave the service: written, digested, signed, and kept for next time."""
