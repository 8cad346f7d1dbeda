"""Text to engine values and back: coordinates, SAN, FEN, PGN-like records.

Pure: no input or output except the text streams it is given. Depends only on `engine`.
"""
