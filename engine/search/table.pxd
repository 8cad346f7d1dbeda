# The C types of table.py.
cimport cython

cdef long long OFFSET
cdef int SCORE, DEPTH, BOUND, AGE, SLOTS

@cython.final
cdef class Table:
    cdef long long[::1] keys, entries
    cdef long long mask, age

    @cython.locals(first=cython.longlong, slot=cython.longlong)
    cdef long long probe(self, long long key) noexcept
    @cython.locals(first=cython.longlong, slot=cython.longlong, place=cython.longlong)
    cdef void store(
        self, long long key, long long action, long long score, long long depth, long long bound
    ) noexcept
    cdef int worth(self, long long entry) noexcept
