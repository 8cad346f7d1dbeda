# The C types of evaluation.py. Sizes are those of the lists there.
cimport cython
from engine cimport c_bits as bits
from engine.kerd.attacks cimport is_barred
from engine.kerd.generation cimport has_been_in_check
from engine.kerd.state cimport State

cdef int BISHOP, BLACK, COMMANDER, EMPTY, HUSSAR, JUMPER, KIND, KING, LAST_SHORT
cdef int PAWN, SCOUT, TOWER, TURNED, WHITE, WITHOUT
cdef int TERMS, FIRST_MOVES, JUMPERS_SIGHT, IN_AIR, ADVANCE, PROMOTION, STRANDED, KING_ATTACKED
cdef int KING_SHIELD, KING_OPEN, READY, LATENT, FORKED, CASTLING, TURN, ON_SQUARES
cdef int AIR, BEHIND
cdef int[10] WORTH
cdef int[54] WEIGHT
cdef int[144] SQUARES
cdef int[4] ORTHOGONAL, DIAGONAL
cdef int[8] AROUND, L_LEAPS
cdef int[7] BACK
cdef int[256] REGION
cdef int[512] RANK
cdef int[12] CHANCE
cdef bint[512] TOUCHES
cdef int[2560] STANDING

cpdef int material(State state) noexcept
@cython.locals(counted=int[27])
cpdef int evaluate(State state) noexcept
@cython.locals(counted=int[27])
cpdef list terms(State state)
@cython.locals(squares=cython.ulonglong)
cdef void count_terms(State state, int* counted) noexcept
cdef void count_piece(State state, int at, int side, int best, int* counted) noexcept
cdef void count_pawn(State state, int at, int side, int best, int* counted) noexcept
cdef void count_forks(State state, int at, int side, int* counted) noexcept
cdef int best_promotion(State state, int side) noexcept
cdef void count_king(State state, int at, int side, int* counted) noexcept
cdef void count_reveal(State state, int side, int* counted) noexcept
cdef void count_slides(State state, int at, int side, int kind, int* counted) noexcept
@cython.locals(bound=cython.bint, entered=cython.bint)
cdef void count_flights(State state, int at, int side, int* counted) noexcept
@cython.locals(barred=cython.bint)
cdef void count_leaps(State state, int at, int side, int* counted) noexcept
