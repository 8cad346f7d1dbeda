"""`movelog import`: import files of records into a running service."""
