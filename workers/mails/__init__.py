"""Writes the mails: what they say, as text and as HTML, in the recipient's language."""
