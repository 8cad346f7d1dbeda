"""Text to engine values and back: coordinates, SAN, FEN, PGN-like records.

Pure: no input or output but the text streams it is handed. Depends on `engine` alone.
"""
