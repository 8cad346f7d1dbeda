# The C types of tree.py. Sizes are those of the lists there.
cimport cython

from engine.kerak.evaluation cimport evaluate, material
from engine.kerak.kernel cimport Position
from engine.tree cimport Tree

cdef int EMPTY, RED, BOTH, KIND, INFANTRY, CASTLE, PASS, PLACEMENTS, SPACES, LOST, DRAWN, ON, GAIN
cdef int SIDE, UNPLACED, POINTS
cdef long long EVERYWHERE
cdef int[8] TAKEN
cdef long long[2241] HASH

cdef class KerakTree(Tree):
    cdef Position position
    cdef int[65] made, captured
    cdef long long[65] places, keys

    @cython.locals(key=cython.longlong)
    cdef void enter(self) noexcept
    cpdef int evaluate(self) except? -32768
    cdef bint is_building(self) noexcept
    cdef int ending(self) noexcept
    cdef int stalled(self) noexcept
    cdef int drawn(self) noexcept
    cdef int generate(self, int first) noexcept
    @cython.locals(targets=cython.longlong)
    cdef int generate_noisy(self, int first) noexcept
    @cython.locals(places=cython.longlong)
    cdef int generate_placements(self, int first) noexcept
    cdef void promise_all(self, int first, int last) noexcept
    @cython.locals(places=cython.longlong)
    cdef bint descend(self, int action) noexcept
    cdef void ascend(self) noexcept
    cdef bint threatened(self) noexcept
    cdef bint may_pass(self) noexcept
    cdef void descend_null(self) noexcept
    cdef void ascend_null(self) noexcept
