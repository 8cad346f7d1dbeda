"""The languages of the pages: which exist, how one is chosen for a request, and their texts.

Other packages need only `texts`, which knows no framework. `requests` chooses a request's language,
`formats` writes dates and numbers, `scripts` makes the catalogue that modules in browsers read, and
`collecting` finds the texts in the sources (`make messages`).
"""
