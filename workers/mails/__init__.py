"""Writes the mails: what they say, as text and as HTML, in the language of who reads them."""
