"""One module for each revision of the tables, numbered; each tells the step from the one before."""
