# The C types of tree.py. Sizes are those of the lists there. Methods of `engine.tree.Tree` have
# the types they have there.
cimport cython

from engine.kerak.evaluation cimport evaluate, material
from engine.kerak.features cimport add_position, change_features
from engine.kerak.kernel cimport Position
from engine.tree cimport Tree

cdef int EMPTY, RED, BOTH, KIND, INFANTRY, CASTLE, PASS, PLACEMENTS, SPACES, LOST, DRAWN, ONGOING, GAIN_SHIFT
cdef int SIDE, UNPLACED, POINTS
cdef long long EVERYWHERE
cdef int[8] TAKEN
cdef long long[2241] HASH

cdef class KerakTree(Tree):
    cdef Position position
    cdef int[65] made, captured
    cdef long long[65] piece_keys, keys

    @cython.final
    @cython.locals(key=cython.longlong)
    cdef void hash_node(self) noexcept
    @cython.final
    cdef bint is_building(self) noexcept
    @cython.final
    cdef int draw_result(self) noexcept
    @cython.final
    @cython.locals(spaces=cython.longlong)
    cdef int list_placements(self, int first) noexcept
    @cython.locals(targets=cython.longlong)
    cdef int list_noisy_moves(self, int first) noexcept
    @cython.locals(piece_key=cython.longlong)
    cdef bint make_move(self, int move) noexcept
