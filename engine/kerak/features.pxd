# The C types of features.py. Sizes are those of the lists there.
cimport cython
from engine.kerak.evaluation cimport castle_space
from engine.kerak.kernel cimport Position
from engine.learned.network cimport Accumulator

cdef int EMPTY, RED, INFANTRY, CASTLE, SPACES, KINDS, WAYS, FROM_ENEMY, FROM_OWN, IN_HAND, MOST_IN_HAND
cdef int[3721] WAY
cdef int[64] NUMBER

cdef int piece_feature(int view, int piece, int space) noexcept
cdef int castle_feature(int view, int piece, int space, int castle) noexcept
cdef int hand_feature(int view, int piece, int number) noexcept
cdef void add_piece(Accumulator accumulator, int piece, int space, int red, int blue) noexcept
cdef void remove_piece(Accumulator accumulator, int piece, int space, int red, int blue) noexcept
cpdef void add_position(Position position, Accumulator accumulator) noexcept
cpdef void change_features(Position position, int move, Accumulator accumulator) noexcept
cpdef list features(Position position, int view)
