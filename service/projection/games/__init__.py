"""Finding games: the queries, and how the tables answer them."""
