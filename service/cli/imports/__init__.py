"""`movelog import`: files of records taken into a running service."""
