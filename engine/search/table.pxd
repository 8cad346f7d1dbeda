# The C types of table.py.
cimport cython

cdef long long SCORE_OFFSET
cdef int SCORE_SHIFT, DEPTH_SHIFT, BOUND_SHIFT, GENERATION_SHIFT, BUCKET

@cython.final
cdef class TranspositionTable:
    cdef long long[::1] slots
    cdef long long mask
    cdef public long long generation

    @cython.locals(first=cython.longlong, slot=cython.longlong, entry=cython.longlong)
    cpdef long long probe(self, long long key) noexcept
    @cython.locals(
        first=cython.longlong, slot=cython.longlong, replaced=cython.longlong, entry=cython.longlong
    )
    cdef void store(
        self, long long key, long long move, long long score, long long depth, long long bound
    ) noexcept
    cdef int entry_value(self, long long entry) noexcept
