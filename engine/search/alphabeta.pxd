# The C types of alphabeta.py.
cimport cython

from engine.search.quiescence cimport Quiescence
from engine.search.table cimport Table
from engine.tree cimport Tree

cdef int MAX_DEPTH, WIN, DECIDED, INFINITE, ON
cdef int LOWER, UPPER, EXACT, SCORE, DEPTH, BOUND, OFFSET
cdef long long ACTION
cdef int MARGIN, FUTILE_DEPTH, REDUCED_FROM
cdef int[2048] REDUCTIONS

@cython.final
cdef class AlphaBeta(Quiescence):
    cdef Table table
    cdef bint remembers, narrows, null_move, reduces
    cdef bint futility, reverse_futility, exact

    cpdef int search(self, int action, int depth, int alpha, int beta) except? -32768
    cpdef list principal_variation(self)
    cdef int seen_from(self, int side, int depth, int alpha, int beta) except? -32768
    @cython.locals(entry=cython.longlong)
    cdef int bound(self, int depth, int alpha, int beta, bint null_move) except? -32768
    cdef bint certain(self, int alpha, int beta) noexcept
    cdef int foreseen(self, int depth, int beta, int static) noexcept
    cdef int passed(self, int depth, int beta, int static) except? -32768
    cdef int try_actions(
        self, int depth, int alpha, int beta, int known, int hope, bint threatened
    ) except? -32768
    cdef int behind(
        self, int side, int depth, int alpha, int beta, int tried, bint reducible
    ) except? -32768
    cdef void remember(self, int action, int score, int depth, int bound) noexcept
    cdef int recalled(self, long long entry) noexcept
    cdef bint suffices(self, long long entry, int depth, int alpha, int beta) noexcept
