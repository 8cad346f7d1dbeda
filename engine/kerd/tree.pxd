# The C types of tree.py. Sizes are those of the lists there. Methods of `engine.tree.Tree` have
# the types they have there.
cimport cython

from engine.kerd.attacks cimport in_check
from engine.kerd.evaluation cimport evaluate, material
from engine.kerd.features cimport add_piece, add_position, remove_piece
from engine.kerd.generation cimport list_actions
from engine.kerd.kernel cimport Position
from engine.kerd.legality cimport may_uncover_king
from engine.kerd.making cimport pop, push
from engine.kerd.moves cimport ActionList
from engine.kerd.state cimport State
from engine.tree cimport Tree

cdef int COMMANDER, FRESH, KIND, KING, PAWN, PIECE, WHITE, WITHOUT, CASTLE, REVEAL, EXECUTE
cdef int LOST, DRAWN, ONGOING, GAIN_SHIFT
cdef int FRESHNESS, CHOICES, POOL, RECAPTURE, RIGHTS, CHECKED, SIDE
cdef int[8] AROUND
cdef int[144] SQUARES
cdef int[4] TOWER_HOME, TOWER_CASTLED, KING_CASTLED
cdef int[10] TAKEN
cdef long long[10258] HASH

cdef class KerdTree(Tree):
    cdef Position position
    cdef State state
    cdef ActionList actions
    cdef long long[65] piece_keys, keys
    cdef int[65] checks, recaptures, checked
    cdef int[8] touched, stood

    @cython.final
    @cython.locals(key=cython.longlong)
    cdef long long square_key(self, int at) noexcept
    @cython.final
    cdef long long pool_key(self, int piece) noexcept
    @cython.final
    @cython.locals(key=cython.longlong)
    cdef void hash_node(self) noexcept
    @cython.final
    cdef int list_kept_moves(self, int first) noexcept
    @cython.locals(known=cython.bint)
    cdef int score_move(self, int move) noexcept
    @cython.final
    cdef int list_touched(self, int move) noexcept
    @cython.final
    @cython.locals(key=cython.longlong)
    cdef long long touched_key(self, int count) noexcept
    @cython.final
    cdef void change_features(self, int count) noexcept
    @cython.locals(piece_key=cython.longlong, exposing=cython.bint)
    cdef bint make_move(self, int move) noexcept
