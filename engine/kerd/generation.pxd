# The C types of generation.py. Sizes are those of the lists there.
cimport cython
from engine cimport c_bits as bits
from engine.kerd.attacks cimport in_check, is_attacked
from engine.kerd.moves cimport (
    ActionList,
    add_diagonal_slides,
    add_flights,
    add_joint_advances,
    add_jumps,
    add_king_steps,
    add_leaps,
    add_pawn_moves,
    add_recapture,
    add_steps,
    add_straight_slides,
)
from engine.kerd.state cimport State

cdef int BISHOP, BLACK, COMMANDER, EMPTY, HUSSAR, JUMPER, KIND, KING, LAST_ELIGIBLE, OFF, PIECE
cdef int SCOUT, TOWER, TURNED, UNKNOWN, WHITE, WITHOUT
cdef int TO, CASTLE, REVEAL, EXECUTE
cdef int[144] SQUARES
cdef int[8] AROUND, L_LEAPS
cdef int[4] KING_HOME, KING_CASTLED, JUMPER_HOME

cpdef bint has_been_in_check(State state) noexcept
cpdef bint mover_in_check(State state) noexcept
cdef bint may_execute(State state) noexcept
@cython.locals(own=cython.ulonglong, executes=cython.bint)
cpdef void list_actions(State state, ActionList actions) noexcept
cpdef void list_actions_like(State state, int action, ActionList actions) noexcept
cpdef void list_moves_to(State state, int kind, int target, ActionList actions) noexcept
cdef void add_execution(State state, int at, ActionList actions) noexcept
cdef void add_castlings(State state, ActionList actions) noexcept
cdef bint may_castle(State state, int n) noexcept
cdef void add_reveals(State state, ActionList actions) noexcept
cdef void add_moves(State state, int at, ActionList actions) noexcept
