"""The store and the disk below the log: connections, room for more, files that survive a crash."""
