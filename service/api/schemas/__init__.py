"""Schemas of the requests that the API takes."""
