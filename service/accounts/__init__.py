"""How people sign in: what proves who they are, and the sessions of their browsers.

- `account`, `store`: a player's credentials, kept in Redis beside the log and not in it
- `sessions`: who is signed in, in which browser, and since when
- `passwords`, `guesses`: passwords, how they are hashed, and how often one may be tried
- `passkeys`: key pairs of which a device keeps one half
- `links`, `addresses`: links that sign in once, sent by e-mail or made by an admin
- `provider`, `identities`: OpenID Connect, where the operator has configured it
- `visitor`, `proofs`: who submits a form, and whether they have recently proved their identity
- `accounts`, `guest_names`: registering, playing as a guest, and setting and removing credentials

Programs use tokens (`service.player.tokens`), which this package does not handle.
"""
