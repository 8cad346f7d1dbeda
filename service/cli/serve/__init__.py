"""`movelog serve`: the whole service on this machine, or its parts one by one."""
