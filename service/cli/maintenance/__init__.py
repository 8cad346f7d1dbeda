"""Commands of an operator on the data directory: backups, keys, rebuilding, auditing, pruning."""
