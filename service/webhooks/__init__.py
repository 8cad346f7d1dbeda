"""Webhooks: notifying other programs over HTTP of what has happened.

- `webhook`: a webhook and an attempt to deliver to it, as values
- `store`: webhooks and their attempts in Redis
- `index`: which webhooks a player has, and which listen to everybody
- `receivers`: which receivers do not answer, and how long they are left alone
- `addresses`, `dns_lookups`: which addresses a request may go to
- `sending`: one HTTP request

`service.reactions.notices` creates the deliveries, `workers.webhooks` carries them out.
`workers.game_news` and `workers.tournament_news` report events of running games and tournaments.
"""
