"""The store and the disk beneath the log: connections, spare room, files that survive a crash."""
