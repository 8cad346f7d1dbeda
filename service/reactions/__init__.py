"""Process managers: they follow the feed and submit jobs for what follows from an event.

The work itself is done by `workers`. They know the domain and jobs, but no projection, and not how
a process is composed.
"""
