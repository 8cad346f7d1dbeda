"""`movelog tournament`: tournaments on a running service."""
