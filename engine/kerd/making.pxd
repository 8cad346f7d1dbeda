# The C types of making.py. Sizes are those of the lists there; MAX_DEPTH is 64.
from engine.kerd.generation cimport Generator

cdef int EMPTY, KIND, KING, PAWN, PIECE, REVEALED, VOID, WHITE, CASTLE, REVEAL, EXECUTE
cdef int[8] AROUND
cdef int[4] TOWER_HOME, TOWER_CASTLED, KING_CASTLED
cdef int[256] KEEPS

cdef class Maker(Generator):
    cdef int commander_avenged
    cdef readonly int number
    cdef int depth
    cdef int[65] made
    cdef unsigned char[65] moved, stood, partners, recaptures, rights_before, alarms
    cdef unsigned char[130] choices_before

    cdef void push(self, int action) noexcept
    cdef void move(self, int action, int origin, int target) noexcept
    cdef void land(self, int origin, int target, int kind, int back) noexcept
    cdef void remove(self, int at, int piece) noexcept
    cdef void move_tower(self, int target) noexcept
    cdef void pop(self) noexcept
    cdef void move_back(self, int action, int origin, int target) noexcept
