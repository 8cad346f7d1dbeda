# The C types of naming.py. Sizes are those of the lists there.
cimport cython
from engine cimport c_bits as bits
from engine.kerak.kernel cimport Position

cdef int EMPTY, RED, CASTLE, PIECE_KIND, SPACES, PASS, FIRST_PLACEMENT
cdef long long EVERYWHERE
cdef long long[64] BIT
cdef int[61] LETTERS, NUMBERS
cdef long long[16] OF_LETTER, OF_NUMBER

@cython.locals(found="long long", among="long long")
cpdef int find_action(Position position, int reading) except? -1
@cython.locals(found="long long", same="long long")
cdef long long list_origins(Position position, int piece, int target, long long among) noexcept
@cython.locals(rivals="long long", about="long long")
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
