"""`movelog mail`: what a player is notified of by e-mail."""
