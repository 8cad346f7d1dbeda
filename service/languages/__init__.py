"""The languages of the pages: which there are, which one a request is answered in, and its texts.

`texts` is all that others need; it knows no framework. `requests` chooses a request's language,
`formats` writes dates and numbers, `scripts` makes the catalogue that modules in browsers read, and
`collecting` finds the texts in the sources (`make messages`).
"""
