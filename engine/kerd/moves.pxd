# The C types of moves.py. Sizes are those of the lists there.
cimport cython
from engine.kerd.attacks cimport is_barred
from engine.kerd.state cimport State

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
cdef class ActionList:
    cdef int[1024] items
    cdef int count
    cdef bint noisy_only

    cdef void add(self, int action) noexcept
    cdef void add_quiet(self, int action) noexcept
    cdef bint holds(self, int action) noexcept

cdef int advance_range(State state, int at) noexcept
cpdef void add_pawn_moves(State state, int at, int kind, ActionList actions) noexcept
cdef void add_promotions(State state, int action, int to, ActionList actions) noexcept
cpdef void add_joint_advances(State state, int at, ActionList actions) noexcept
cpdef void add_recapture(State state, int at, ActionList actions) noexcept
cpdef void add_steps(State state, int at, ActionList actions) noexcept
cpdef void add_jumps(State state, int at, ActionList actions) noexcept
cpdef void add_flights(State state, int at, ActionList actions) noexcept
cpdef void add_leaps(State state, int at, ActionList actions) noexcept
cdef void add_slides(State state, int at, int* steps, ActionList actions) noexcept
cpdef void add_king_steps(State state, int at, ActionList actions) noexcept
cpdef void add_straight_slides(State state, int at, ActionList actions) noexcept
cpdef void add_diagonal_slides(State state, int at, ActionList actions) noexcept
