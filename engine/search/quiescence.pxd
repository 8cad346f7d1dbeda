# The C types of quiescence.py.
cimport cython

from engine.search.ordering cimport MoveOrdering
from engine.search.stack cimport SearchStack
from engine.tree cimport Tree, evaluate

cdef int MAX_DEPTH, WIN, DECIDED, INFINITE, ONGOING, GAIN_SHIFT
cdef int KNOWN, EVASION_PLIES

@cython.final
cdef class Quiescence:
    cdef Tree tree
    cdef SearchStack stack
    cdef MoveOrdering ordering
    cdef bint uses_quiescence, uses_delta_pruning, uses_exchanges
    cdef int delta_margin
    cdef long long[8192] keys
    cdef int[8192] evaluations

    @cython.locals(key=cython.longlong, slot=int)
    cdef int evaluate_statically(self) except? -32768
    cdef int score_leaf(self, int alpha, int beta) except? -32768
    cdef int quiesce(self, int alpha, int beta, int depth) except? -32768
    @cython.locals(passes_over=cython.bint)
    cdef int search_moves(
        self, int alpha, int beta, int depth, int best, int last
    ) except? -32768
