"""How people sign in: what proves who they are, and the sessions of their browsers.

- `account`, `store`: what a player has to sign in with, in Redis beside the log and not in it
- `sessions`: who is signed in, in which browser, and since when
- `passwords`, `guesses`: passwords, how they are hashed, and how often one may be tried
- `passkeys`: key pairs of which a device keeps one half
- `links`, `addresses`: links that sign in once, sent by e-mail or made by an admin
- `provider`, `identities`: OpenID Connect, where the operator has configured it
- `visitor`, `proofs`: who comes with a form, and whether they have proved lately who they are
- `accounts`, `guest_names`: registering, playing as a guest, and setting and removing what one
  signs in with

Programs use tokens (`service.player.tokens`), which are no business of this package.
"""
