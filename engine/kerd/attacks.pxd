# The C types of attacks.py. Sizes are those of the lists there.
from engine.kerd.state cimport State

cdef int BISHOP, COMMANDER, EMPTY, HUSSAR, JUMPER, KIND, KING, LAST_SHORT, PIECE
cdef int QUEEN, SCOUT, TOWER, WHITE
cdef int[4] ORTHOGONAL, DIAGONAL
cdef int[8] AROUND, L_LEAPS
cdef int[2] SIDEWAYS
cdef bint[256] AIR

cpdef bint in_check(State state, int side) noexcept
cpdef bint is_attacked(State state, int at, int by) noexcept
cdef bint is_attacked_by_step_or_leap(State state, int at, int by) noexcept
cdef bint is_attacked_straight(State state, int at, int by) noexcept
cdef bint is_attacked_diagonally(State state, int at, int by) noexcept
cpdef bint is_barred(State state, int origin, int target, int step) noexcept
