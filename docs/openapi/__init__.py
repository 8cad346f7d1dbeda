"""The contract in parts, and the program that joins them."""
