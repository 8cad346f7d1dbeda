"""Process managers: they follow the feed and submit jobs for what an event leads to.

The work itself is done by `workers`. They know the domain and jobs, no projection, and not how a
process is composed.
"""
