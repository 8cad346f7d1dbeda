# The C types of tree.py. Sizes are those of the lists there.
from engine.tree cimport Tree
from tests.fifth_game.kernel cimport Position

cdef int EMPTY, KIND, KING, PAWN, WHITE, LOST, DRAWN, ONGOING, GAIN_SHIFT, SIDE
cdef int[3] TAKEN
cdef int[5] ADVANCE
cdef int[16] SQUARES
cdef long long[577] HASH

cdef class QuadrilleTree(Tree):
    cdef Position position

    cdef void hash_node(self) noexcept
    cpdef int evaluate(self) except? -32768
    cdef int result(self) noexcept
    cdef int result_without_moves(self) noexcept
    cdef int list_moves(self, int first) noexcept
    cdef int score_move(self, int move) noexcept
    cdef bint make_move(self, int move) noexcept
    cdef void unmake_move(self) noexcept
    cdef bint in_check(self) noexcept
    cdef bint allows_null_move(self) noexcept
