# The C types of tree.py. Sizes are those of the lists there.
cimport cython

from engine.kerd.evaluation cimport evaluate, material
from engine.kerd.kernel cimport Position
from engine.kerd.moves cimport Actions
from engine.tree cimport Tree

cdef int COMMANDER, FRESH, KIND, KING, PIECE, WHITE, WITHOUT, CASTLE, REVEAL, EXECUTE
cdef int LOST, DRAWN, ON, GAIN
cdef int FRESHNESS, CHOICES, POOL, RECAPTURE, RIGHTS, CHECKED, SIDE
cdef int[8] AROUND
cdef int[144] SQUARES
cdef int[4] TOWER_HOME, TOWER_CASTLED, KING_CASTLED
cdef int[10] TAKEN
cdef long long[10258] HASH

cdef class KerdTree(Tree):
    cdef Position position
    cdef Actions actions
    cdef long long[65] places, keys
    cdef int[65] checks, recaptures, alarms

    @cython.locals(key=cython.longlong)
    cdef long long hashed(self, int at) noexcept
    cdef long long pooled(self, int piece) noexcept
    @cython.locals(key=cython.longlong)
    cdef void enter(self) noexcept
    cpdef int evaluate(self) except? -32768
    cdef int ending(self) noexcept
    cdef int stalled(self) noexcept
    cdef int generate(self, int first) noexcept
    cdef int generate_noisy(self, int first) noexcept
    cdef int promised(self, int action) noexcept
    @cython.locals(key=cython.longlong)
    cdef long long touched(self, int action) noexcept
    @cython.locals(places=cython.longlong)
    cdef bint descend(self, int action) noexcept
    cdef void ascend(self) noexcept
    cdef bint threatened(self) noexcept
    cdef bint may_pass(self) noexcept
    cdef void descend_null(self) noexcept
    cdef void ascend_null(self) noexcept
