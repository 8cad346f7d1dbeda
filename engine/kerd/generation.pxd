# The C types of generation.py. Sizes are those of the lists there.
from engine.kerd.moves cimport Actions, Mover

cdef int BLACK, EMPTY, JUMPER, KIND, LAST_ELIGIBLE, OFF, PIECE, TURNED, UNKNOWN, WHITE, WITHOUT
cdef int TO, CASTLE, REVEAL, EXECUTE
cdef int[144] SQUARES
cdef int[8] AROUND, L_LEAPS
cdef int[4] KING_HOME, KING_CASTLED, JUMPER_HOME

cdef class Generator(Mover):
    cdef bint executions
    cdef int[2] choices
    cdef int rights, alarm

    cdef bint has_checked(self) noexcept
    cdef bint threatened(self) noexcept
    cdef bint may_execute(self) noexcept
    cdef void fill(self, Actions actions) noexcept
    cdef void fill_like(self, int action, Actions actions) noexcept
    cdef void fill_to(self, int kind, int target, Actions actions) noexcept
    cdef void add_execution(self, int at, Actions actions) noexcept
    cdef void add_castlings(self, Actions actions) noexcept
    cdef bint may_castle(self, int n) noexcept
    cdef void add_reveals(self, Actions actions) noexcept
