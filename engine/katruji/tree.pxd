# The C types of tree.py. Sizes are those of the lists there.
cimport cython

from engine.katruji.evaluation cimport evaluate, material
from engine.katruji.kernel cimport Actions, Position
from engine.tree cimport Tree

cdef int EMPTY, KYAN, ALKA, NOBODY, QUIET, TIMER, YARA_POINTS, LOST, WON, ON, GAIN, DECISIVE
cdef int SIDE, ORIGINS, TARGETS, POINTS, CLOCK, DECLARER
cdef long long[460] HASH

cdef class KatrujiTree(Tree):
    cdef Position position
    cdef Actions actions
    cdef long long[65] places, keys
    cdef int[65] crossings

    @cython.locals(key=cython.longlong)
    cdef void enter(self) noexcept
    cpdef int evaluate(self) except? -32768
    cdef int ending(self) noexcept
    cdef int stalled(self) noexcept
    cdef int generate(self, int first) noexcept
    cdef int generate_noisy(self, int first) noexcept
    cdef int promised(self, int action) noexcept
    @cython.locals(places=cython.longlong)
    cdef bint descend(self, int action) noexcept
    cdef void ascend(self) noexcept
    cdef bint threatened(self) noexcept
    cdef bint may_pass(self) noexcept
    cdef void descend_null(self) noexcept
    cdef void ascend_null(self) noexcept
