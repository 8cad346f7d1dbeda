"""HTTP: turns requests into commands, and state and events into answers."""
