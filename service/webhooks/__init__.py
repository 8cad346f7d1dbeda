"""Webhooks: telling other programs, over HTTP, of what has come to its end.

`webhook` is the value, `store` keeps them and their deliveries in Redis, `notices` says who is
told of what, `receivers` counts who does not answer, `sending` makes the request (`lookups` finds
its address). The jobs that do it are in `workers.webhooks`, side by side in `workers.delivering`.
"""
