"""`movelog engine`, `bot`, `selfplay`: programs that play."""
