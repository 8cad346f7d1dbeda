"""Running the service: its processes, the embedded Redis, first start, backup and restore.

The rest of the service does not depend on this package; the command line drives it.
"""
