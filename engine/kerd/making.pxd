# The C types of making.py. Sizes are those of the lists there.
from engine.kerd.generation cimport has_been_in_check
from engine.kerd.state cimport State

cdef int COLOURS, EMPTY, KIND, KING, PAWN, PIECE, REVEALED, VOID, WHITE, CASTLE, REVEAL, EXECUTE
cdef int[8] AROUND
cdef int[4] TOWER_HOME, TOWER_CASTLED, KING_CASTLED
cdef int[256] KEEPS
cdef unsigned long long[64] BIT

cpdef void put_piece(State state, int at, int piece) noexcept
cpdef void push(State state, int action) noexcept
cdef void move_piece(State state, int action, int origin, int target) noexcept
cdef void land_piece(State state, int origin, int target, int kind, int back) noexcept
cdef void remove_piece(State state, int at, int piece) noexcept
cdef void move_tower(State state, int target) noexcept
cpdef void pop(State state) noexcept
cdef void move_pieces_back(State state, int action, int origin, int target) noexcept
