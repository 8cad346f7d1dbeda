# The C types of tree.py. Sizes are those of the lists there. Methods of `engine.tree.Tree` have
# the types they have there.
cimport cython

from engine.katruji.evaluation cimport evaluate, material
from engine.katruji.features cimport add_pieces, add_state, exchange_piece
from engine.katruji.kernel cimport ActionList, Position
from engine.learned.network cimport Accumulator
from engine.tree cimport Tree

cdef int EMPTY, KYAN, ALKA, NOBODY, QUIET, TIMER, YARA_POINTS, LOST, WON, ONGOING, GAIN_SHIFT, DECISIVE
cdef int COUNT_SHIFT, COUNT_MASK
cdef int SIDE, ORIGINS, TARGETS, POINTS, CLOCK, DECLARER
cdef long long[460] HASH

cdef class KatrujiTree(Tree):
    cdef Position position
    cdef ActionList actions
    cdef long long[65] piece_keys, keys
    cdef int[65] crossings, counts

    @cython.final
    @cython.locals(key=cython.longlong)
    cdef void hash_node(self) noexcept
    @cython.locals(piece_key=cython.longlong)
    cdef bint make_move(self, int move) noexcept
