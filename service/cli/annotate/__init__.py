"""Comments, glyphs and variations beside the actions of a game."""
