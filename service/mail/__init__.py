"""E-mail for players who request it: addresses, what they want to be notified of, and sending.

- `address`: what is accepted as an address
- `subscription`, `store`: who is notified of what, in Redis beside the log and not in it
- `outbox`: what was sent and what waits for a digest, so that nothing is sent twice
- `links`: the signed links in mails, which confirm an address and stop all mail
- `smtp`: one message, handed to the operator's mail server

`workers.mail` writes the messages and sends them.
"""
