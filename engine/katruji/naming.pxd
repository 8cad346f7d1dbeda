# The C types of naming.py.
cimport cython
from engine.katruji.kernel cimport ActionList, Position

cdef int EMPTY, KYAN, ALKA

@cython.locals(actions=ActionList, file=int, rank=int)
cpdef int find_action(Position position, int reading) except? -1
@cython.locals(actions=ActionList, same_file=cython.bint, same_rank=cython.bint, about="long long")
cpdef long long describe(Position position, int action, bint alone=*) except? -1
cdef bint names_no_origin(int reading) noexcept
@cython.locals(i=cython.Py_ssize_t, action=int)
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
