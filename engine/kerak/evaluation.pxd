# The C types of evaluation.py. Sizes are those of the lists there.
cimport cython
from engine cimport c_bits as bits
from engine.kerak.field cimport strength, supporters, takes
from engine.kerak.kernel cimport Position

cdef int TERMS, MATERIAL, CAPTORS, INFANTRY_NEAR, ARCHERS_NEAR, RIDERS_NEAR, SUPPORT
cdef int ASSAULT, GUARD, SHELTER, THREATS, CASTLE_ROW, TURN
cdef int INFANTRY, ARCHER, CASTLE, KIND, RED, BOTH, SPACES, FARTHEST
cdef int[12] WEIGHT
cdef int[8] VALUE, PRIZE
cdef int[61] NEIGHBOURS, ROWS
cdef int[3721] DISTANCE
cdef int[2] BACK
cdef long long[61] NEXT_TO, WITHIN_TWO

cpdef int material(Position position) noexcept
@cython.locals(counted=int[12])
cpdef int evaluate(Position position) noexcept
@cython.locals(counted=int[12])
cpdef list terms(Position position)
cdef int army_value(Position position, int own, int* value) noexcept
cdef void count_terms(Position position, int* counted) noexcept
@cython.locals(standing=cython.longlong)
cpdef int castle_space(Position position, int side) noexcept
@cython.locals(movers=cython.longlong, enemies=cython.longlong, targets=cython.longlong)
cdef void count_pieces(Position position, int side, int* counted) noexcept
@cython.locals(near=cython.longlong, far=cython.longlong)
cdef void count_castle(Position position, int side, int* counted) noexcept
