# The C types of placement.py. Sizes are those of the lists there.
cdef int BISHOP, COMMANDER, EMPTY, HUSSAR, JUMPER, KIND, KING, LAST_SHORT, OFF, PIECE
cdef int QUEEN, SCOUT, TOWER, WHITE
cdef int[4] ORTHOGONAL, DIAGONAL
cdef int[8] AROUND, L_LEAPS
cdef int[2] SIDEWAYS
cdef bint[256] AIR
cdef unsigned char[256] EDGES

cdef class Placement:
    cdef readonly object rules
    cdef bint captures_only
    cdef unsigned char[256] board
    cdef int[2] kings
    cdef readonly int side, recapture

    cdef bint in_check(self, int side) noexcept
    cdef bint attacked(self, int at, int by) noexcept
    cdef bint stepped_or_leapt_to(self, int at, int by) noexcept
    cdef bint slid_to_straight(self, int at, int by) noexcept
    cdef bint slid_to_diagonally(self, int at, int by) noexcept
    cdef bint barred(self, int origin, int target, int step) noexcept
