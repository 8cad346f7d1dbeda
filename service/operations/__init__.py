"""Running the service: its processes, the embedded Redis, first start, backup and restore.

Nothing of the service's own work depends on this package; the command line drives it.
"""
