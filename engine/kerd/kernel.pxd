# The C types of kernel.py. Sizes are those of the lists there; MAX_DEPTH is 64.
cimport cython
from engine.kerd.generation cimport Actions, Generator

cdef int EMPTY, KIND, KING, PAWN, PIECE, REVEALED, VOID, WHITE
cdef int MAX_DEPTH, CASTLE, REVEAL, EXECUTE, LARGEST
cdef int[144] SQUARES
cdef int[8] AROUND
cdef int[4] TOWER_HOME, TOWER_CASTLED, KING_CASTLED
cdef int[256] KEEPS

@cython.final
cdef class Position(Generator):
    cdef bint king_is_captured
    cdef int commander_avenged
    cdef readonly int number
    cdef int depth
    cdef int[64] made
    cdef unsigned char[64] moved, stood, partners, recaptures, rights_before, alarms
    cdef unsigned char[128] choices_before

    cdef bint is_safe(self, int action, bint in_check) noexcept
    cpdef list legal(self)
    cpdef bint is_legal(self, object action) except -1
    cdef bint uncovers(self, int action) noexcept
    cdef bint allows(self, int action) except -1
    cpdef list legal_to(self, int kind, int target)
    cpdef bint can_act(self) except -1
    cpdef bint can_only_reveal(self) except -1
    cpdef play(self, object action)
    cdef void push(self, int action) noexcept
    cdef void move(self, int action, int origin, int target) noexcept
    cdef void land(self, int origin, int target, int kind, int back) noexcept
    cdef void remove(self, int at, int piece) noexcept
    cdef void move_tower(self, int target) noexcept
    cdef void pop(self) noexcept
    cdef void move_back(self, int action, int origin, int target) noexcept
    cdef unsigned long long count(self, int depth) except? 0
    cpdef bint is_attacked(self, int side) noexcept
    cpdef int piece_at(self, int square) except -1
    cpdef Position copy(self)
