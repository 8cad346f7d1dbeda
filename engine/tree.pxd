# The C types of tree.py. Sizes are those of the lists there; its constants stay Python's for all
# trees to read.

cdef class Tree:
    cdef public int side, ply, material_only, by_points
    cdef public long long key
    cdef int[65536] found
    cdef int[65536] promise

    cpdef int evaluate(self) except? -32768
    cdef int ending(self) noexcept
    cdef int stalled(self) noexcept
    cdef int generate(self, int first) noexcept
    cdef int generate_noisy(self, int first) noexcept
    cdef bint descend(self, int action) noexcept
    cdef void ascend(self) noexcept
    cdef bint threatened(self) noexcept
    cdef bint may_pass(self) noexcept
    cdef void descend_null(self) noexcept
    cdef void ascend_null(self) noexcept
