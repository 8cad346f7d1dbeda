"""Webhooks: telling other programs, over HTTP, of what has come to its end.

`webhook` is the value, `store` keeps them and their deliveries in Redis, `notices` says who is
told of what, `sending` makes the request. The jobs that do it are in `workers.webhooks`.
"""
