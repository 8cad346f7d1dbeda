"""Secret choices at rest: the keys that seal them, the sealed fields, the nonces used once."""
