"""HTTP: requests to commands, state and events to answers. The only place Flask is known."""
