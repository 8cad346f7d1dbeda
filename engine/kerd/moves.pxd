# The C types of moves.py. Sizes are those of the lists there.
cimport cython
from engine.kerd.placement cimport Placement

cdef int BISHOP, BLACK, COLOURS, COMMANDER, EMPTY, FRESH, HUSSAR, JUMPER, KIND
cdef int KING, PAWN, PIECE, SCOUT, TOWER, WHITE
cdef int TO, PROMOTION, PARTNER
cdef int[4] ORTHOGONAL, DIAGONAL
cdef int[8] AROUND, L_LEAPS
cdef int[7] BROUGHT_BACK
cdef int[256] REGION
cdef bint[256] AIR
cdef bint[512] PROMOTES

@cython.final
cdef class Actions:
    cdef int[1024] found
    cdef int count

    cdef void add(self, int action) noexcept
    cdef bint holds(self, int action) noexcept

cdef class Mover(Placement):
    cdef bint promotion
    cdef unsigned char[64] pool

    cdef void add_moves(self, int at, Actions actions) noexcept
    cdef int reach(self, int at) noexcept
    cdef void add_pawn_moves(self, int at, int kind, Actions actions) noexcept
    cdef void add_pawn_move(self, int action, int to, int kind, Actions actions) noexcept
    cdef void add_joint_advances(self, int at, Actions actions) noexcept
    cdef void add_recapture(self, int at, Actions actions) noexcept
    cdef void add_steps(self, int at, Actions actions) noexcept
    cdef void add_jumps(self, int at, Actions actions) noexcept
    cdef void add_flights(self, int at, Actions actions) noexcept
    cdef void add_leaps(self, int at, Actions actions) noexcept
    cdef void add_slides(self, int at, int* steps, Actions actions) noexcept
    cdef void add_king_steps(self, int at, Actions actions) noexcept
