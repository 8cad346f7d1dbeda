# The C types of kernel.py; sizes are those of the lists there.
cimport cython

from engine cimport c_bits as bits
from engine.kerak.field cimport Field

cdef int EMPTY, RED, BLUE, BOTH, INFANTRY, CASTLE, KIND, SPACES, PASS, DEEPEST
cdef int[8] VALUE
cdef long long[2] HOME
cdef int[61] AS_WRITTEN

@cython.final
cdef class Position(Field):
    cdef int[24] hand
    cdef int[2] unplaced, score
    cdef int[64] made
    cdef int depth
    cdef readonly int side
    cdef readonly long long number

    cdef void clear(self)
    @cython.locals(packed="unsigned char[94]", i=int)
    cpdef bytes pack(self)
    @cython.locals(other=Position)
    cpdef Position copy(self)
    cdef bint is_decided(self) noexcept
    cpdef list legal(self)
    @cython.locals(places=cython.longlong)
    cdef list list_placements(self)
    cdef int count_placements(self) noexcept
    cdef long long placement_spaces(self) noexcept
    cdef int count_actions(self) except -1
    cpdef list legal_to(self, int kind, int target)
    cdef bint is_allowed(self, int action) noexcept
    cdef int push(self, int action) noexcept
    cdef void pop(self, int action, int captured) noexcept
    @cython.locals(nodes=cython.long)
    cdef long count_nodes(self, int depth) except -1
