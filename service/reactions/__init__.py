"""Process managers: what follows from what happened, as jobs and deliveries.

They read the feed and ask for work; the work itself is done by `workers`.
"""
