# The C types of features.py. Sizes are those of the lists there.
cimport cython
from engine.katruji.kernel cimport Position
from engine.learned.network cimport Accumulator

cdef int EMPTY, NOBODY, QUIET, TIMER, MOST_POINTS, MOST_AHEAD, POINTS, AHEAD, CLOCK, STATE
cdef int[32] SQUARES
cdef int[512] PIECE

cdef void count_state(Position position, int view, int* found) noexcept
cpdef void add_pieces(Position position, Accumulator accumulator) noexcept
cpdef void exchange_piece(Accumulator accumulator, int square, int before, int after) noexcept
@cython.locals(found=int[4])
cpdef void add_state(Position position, Accumulator accumulator) noexcept
@cython.locals(found=int[4])
cpdef list features(Position position, int view)
