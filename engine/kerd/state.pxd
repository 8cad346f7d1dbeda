# The C types of state.py. Sizes are those of the lists there; MAX_DEPTH is 64.
cimport cython

cdef unsigned char[256] EMPTY_BOARD

@cython.final
cdef class State:
    cdef readonly object rules
    cdef bint king_is_captured, captures_only, executions, promotion
    cdef int commander_avenged
    cdef unsigned char[256] board
    cdef unsigned long long[12] occupied
    cdef int[2] kings, choices
    cdef unsigned char[64] pool
    cdef int side, number, recapture, rights, checked
    cdef int depth
    cdef int[65] made
    cdef unsigned char[65] moved, stood, partners, recapture_before, rights_before, checked_before
    cdef unsigned char[130] choices_before

    cdef void clear(self) noexcept
    @cython.locals(twin=State)
    cdef State copy(self)
