# The C types of stack.py. Sizes are those of the lists there; MAX_DEPTH is 64.
cimport cython

@cython.final
cdef class SearchStack:
    cdef object poll
    cdef readonly long long nodes
    cdef public long long next_poll
    cdef public int selective_depth
    cdef int[66] first, moves, evaluations, length
    cdef int[4290] line

    cdef int count_node(self, int ply) except -1
    cdef void update_line(self, int ply, int move) noexcept
    cpdef list principal_variation(self, int ply)
