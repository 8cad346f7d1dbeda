# The C types of naming.py. Sizes are those of the lists there.
cimport cython
from engine.kerd.attacks cimport in_check
from engine.kerd.generation cimport list_moves_to, mover_in_check
from engine.kerd.kernel cimport Position
from engine.kerd.legality cimport is_safe, push_if_legal
from engine.kerd.making cimport pop, push
from engine.kerd.moves cimport ActionList
from engine.kerd.state cimport State

cdef int EMPTY, PAWN, PIECE_KIND, CASTLE, LARGEST
cdef int[4] KING_HOME, KING_CASTLED

@cython.locals(state=State)
cpdef int find_action(Position position, int reading) except? -1
@cython.locals(state=State, actions=ActionList, attacked=cython.bint)
cdef int find_move(
    Position position, int kind, int target, int origin, int reading
) noexcept
@cython.locals(state=State, actions=ActionList, attacked=cython.bint, about="long long")
cpdef long long describe(Position position, int action, bint alone=*) except? -1
@cython.locals(state=State, attack="long long")
cdef long long describe_attack(Position position) except? -1
@cython.locals(told="long long")
cpdef long long play_described(Position position, int action) except? -1
cdef bint names_no_origin(int reading) noexcept
@cython.locals(state=State, i=cython.Py_ssize_t, action=int, about="long long")
cpdef play_readings(
    Position position,
    list readings,
    Py_ssize_t start,
    Py_ssize_t end,
    list actions,
    list told,
    list turns,
    list packed,
)
