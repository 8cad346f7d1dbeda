# The C types of kernel.py. Sizes are those of the lists there.
cimport cython
from engine.kerd.making cimport Maker
from engine.kerd.moves cimport Actions

cdef int EMPTY, KIND, KING, WHITE, BLACK, COLOURS, LAST_ELIGIBLE, UNKNOWN
cdef int MAX_DEPTH, REVEAL, EXECUTE, LARGEST
cdef int[144] SQUARES

@cython.final
cdef class Position(Maker):
    cdef bint king_is_captured
    cdef Actions actions

    cdef bint is_safe(self, int action, bint in_check) noexcept
    cdef bint uncovers(self, int action) noexcept
    cdef bint risks(self, int action, bint in_check) noexcept
    cdef bint attempt(self, int action) noexcept
    cdef unsigned long long count(self, int depth) except? 0
    cpdef Position copy(self)
    cpdef int piece_at(self, int square) except -1
    cpdef bint is_attacked(self, int side) noexcept
    cpdef list legal(self)
    cpdef bint is_legal(self, object action) except -1
    cpdef list legal_to(self, int kind, int target, bint joint=*)
    cpdef bint can_act(self) except -1
    cpdef bint can_only_reveal(self) except -1
    cpdef play(self, object action)
