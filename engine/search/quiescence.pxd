# The C types of quiescence.py. Sizes are those of the lists there; MAX_DEPTH is 64.
from engine.search.ordering cimport Ordering

cdef int MAX_DEPTH, WIN, DECIDED, INFINITE, ON, GAIN
cdef int EVASIONS, UNFORESEEN

cdef class Quiescence(Ordering):
    cdef object poll
    cdef readonly long long nodes
    cdef public long long pause
    cdef public int deepest
    cdef bint quiescence, delta
    cdef int[66] first, length
    cdef int[4290] line

    cdef int visit(self) except -1
    cdef int static(self) except? -32768
    cdef void lead(self, int ply, int action) noexcept
    cdef int leaf(self, int alpha, int beta) except? -32768
    cdef int quiesce(self, int alpha, int beta, int beyond) except? -32768
    cdef int resolve(
        self, int alpha, int beta, int beyond, int best, int last
    ) except? -32768
