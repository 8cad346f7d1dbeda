"""E-mail for players who ask for it: addresses, what they want to be told of, and sending.

- `address`: what is taken for an address
- `subscription`, `store`: who is told of what, in Redis beside the log and not in it
- `outbox`: what was sent and what waits for a digest, so that nothing is sent twice
- `links`: the signed links in mails, which confirm an address and stop all mail
- `smtp`: one message, handed to the operator's mail server

`workers.mail` writes the messages and sends them.
"""
