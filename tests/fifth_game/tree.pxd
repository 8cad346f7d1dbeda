# The C types of tree.py. Sizes are those of the lists there. Methods of `engine.tree.Tree` have
# the types they have there.
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
