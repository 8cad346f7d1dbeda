# The C types of evaluation.py. Sizes are those of the lists there.
cimport cython
from engine.katruji.kernel cimport Position

cdef int TERMS, POINTS, MOBILITY, THREATS, TURN, LEAD, CLOCK, EMPTYING
cdef int EMPTY, NOBODY, QUIET, TIMER, FEW, OUTSIDE
cdef int[10] WEIGHT
cdef int[16] HAJAT
cdef int[8] STEPS
cdef int[4] FIRST, LAST, REACH

cpdef int material(Position position) noexcept
@cython.locals(counted=int[10])
cpdef int evaluate(Position position) noexcept
@cython.locals(counted=int[10])
cpdef list terms(Position position)
cdef void count_terms(Position position, int* counted) noexcept
cdef void count_piece(Position position, int square, int* counted) noexcept
cdef void count_ending(Position position, int missing, int* counted) noexcept
