"""Games as they are found: what is looked for, and how the tables answer it."""
