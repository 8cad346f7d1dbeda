"""`movelog mail`: what a player is told of by e-mail."""
