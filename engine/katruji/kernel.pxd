# The C types of kernel.py. Sizes are those of the lists there; MAX_DEPTH is 64.
cimport cython

cdef int EMPTY, PRIVATE, SERGEANT, KYAN, ALKA, MAX_DEPTH
cdef int NOBODY, ONGOING, YARA, YEMUBUS, CLAIMED
cdef int YARA_POINTS, QUIET, TIMER, OUTSIDE
cdef int[16] HAJAT
cdef int[32] AS_WRITTEN
cdef int[8] STEPS
cdef int[4] FIRST, LAST, REACH
cdef unsigned char[64] OPENING

@cython.final
cdef class ActionList:
    cdef unsigned short[128] items
    cdef int count

@cython.final
cdef class Position:
    cdef unsigned char[64] board
    cdef int[2] score
    cdef readonly int side, number, crossing, clock, declarer
    cdef int ending
    cdef int depth
    cdef unsigned short[64] made, crossings
    cdef unsigned char[64] moved, stood
    cdef int[64] clocks
    cdef ActionList actions

    cdef int winner(self) noexcept
    cdef bint may_declare(self) noexcept
    cdef bint may_claim(self) noexcept
    cdef bint has_sergeant(self) noexcept
    cdef bint promotes(self, int piece, int onto) noexcept
    cdef void list_moves_from(self, int origin, ActionList actions) noexcept
    cdef ActionList generate(self)
    cdef void list_actions(self, ActionList actions) noexcept
    cdef bint is_allowed(self, int action) except -1
    cpdef bint is_legal(self, object action) except -1
    cpdef list legal(self)
    cpdef list legal_to(self, int piece, int target)
    cdef void list_moves_to(self, int piece, int target, ActionList actions) noexcept
    cpdef int piece_at(self, int square) except -1
    cpdef bint is_capture(self, int action) except -1
    cpdef int promotion(self, int action) except -1
    cpdef play(self, object action)
    cdef void push(self, int action) noexcept
    cdef void pop(self) noexcept
    cdef void detect_end(self, int mover) noexcept
    @cython.locals(packed="unsigned char[43]", i=int)
    cpdef bytes pack(self)
    cpdef Position copy(self)
    cdef unsigned long long count_nodes(self, int depth) except? 0
