# The C types of tree.py. Sizes are those of the lists there.
cimport cython

from engine.katruji.evaluation cimport evaluate, material
from engine.katruji.kernel cimport ActionList, Position
from engine.tree cimport Tree

cdef int EMPTY, KYAN, ALKA, NOBODY, QUIET, TIMER, YARA_POINTS, LOST, WON, ONGOING, GAIN_SHIFT, DECISIVE
cdef int SIDE, ORIGINS, TARGETS, POINTS, CLOCK, DECLARER
cdef long long[460] HASH

cdef class KatrujiTree(Tree):
    cdef Position position
    cdef ActionList actions
    cdef long long[65] piece_keys, keys
    cdef int[65] crossings

    @cython.final
    @cython.locals(key=cython.longlong)
    cdef void hash_node(self) noexcept
    cpdef int evaluate(self) except? -32768
    cdef int result(self) noexcept
    cdef int result_without_moves(self) noexcept
    cdef int list_moves(self, int first) noexcept
    cdef int score_move(self, int move) noexcept
    @cython.locals(piece_key=cython.longlong)
    cdef bint make_move(self, int move) noexcept
    cdef void unmake_move(self) noexcept
    cdef bint in_check(self) noexcept
    cdef bint allows_null_move(self) noexcept
    cdef void make_null_move(self) noexcept
    cdef void unmake_null_move(self) noexcept
