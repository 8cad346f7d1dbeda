# The C types of features.py. Sizes are those of the lists there.
cimport cython
from engine.kerd.kernel cimport Position
from engine.kerd.state cimport State
from engine.learned.network cimport Accumulator

cdef int EMPTY, PIECE
cdef int[144] SQUARES
cdef int[32768] FEATURE

cpdef void add_piece(Accumulator accumulator, int piece, int at) noexcept
cpdef void remove_piece(Accumulator accumulator, int piece, int at) noexcept
cpdef void add_position(State state, Accumulator accumulator) noexcept
cpdef list features(Position position, int view)
