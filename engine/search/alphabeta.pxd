# The C types of alphabeta.py. Sizes are those of the lists there; MAX_DEPTH is 64.
cimport cython

from engine.search.ordering cimport Ordering
from engine.search.table cimport Table
from engine.tree cimport Tree

cdef int MAX_DEPTH, WIN, DECIDED, INFINITE, ON, GAIN
cdef int LOWER, UPPER, EXACT, SCORE, DEPTH, BOUND, OFFSET
cdef long long ACTION
cdef int EVASIONS, MARGIN, FUTILE_DEPTH, UNFORESEEN, REDUCED_FROM
cdef int[2048] REDUCTIONS

@cython.final
cdef class AlphaBeta(Ordering):
    cdef Table table
    cdef object poll
    cdef readonly long long nodes
    cdef public long long pause
    cdef public int deepest
    cdef int furthest
    cdef bint quiescence, remembers, narrows, null_move, reduces
    cdef bint futility, reverse_futility, delta, extends, exact
    cdef int[66] first, length
    cdef int[4290] line

    cpdef int search(self, int action, int depth, int alpha, int beta) except? -32768
    cpdef list principal_variation(self)
    cdef int visit(self) except -1
    cdef int static(self) except? -32768
    cdef int seen_from(self, int side, int depth, int alpha, int beta) except? -32768
    @cython.locals(entry=cython.longlong)
    cdef int bound(self, int depth, int alpha, int beta, bint null_move) except? -32768
    cdef bint certain(self, int alpha, int beta) noexcept
    cdef bint refuted(self, int depth, int beta, int static) noexcept
    cdef int passed(self, int depth, int beta) except? -32768
    cdef int try_actions(
        self, int depth, int alpha, int beta, int known, int hope, bint threatened
    ) except? -32768
    cdef int behind(
        self, int side, int depth, int alpha, int beta, int tried, bint reducible
    ) except? -32768
    cdef int leaf(self, int alpha, int beta) except? -32768
    cdef int quiesce(self, int alpha, int beta, int beyond) except? -32768
    cdef void lead(self, int ply, int action) noexcept
    cdef void remember(self, int action, int score, int depth, int bound) noexcept
    cdef int recalled(self, long long entry) noexcept
    cdef bint suffices(self, long long entry, int depth, int alpha, int beta) noexcept
