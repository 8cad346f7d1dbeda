# The C types of exchange.py.

cdef class Exchanges:
    cdef int margin

    cdef bint loses(self, int move) noexcept
