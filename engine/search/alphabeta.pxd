# The C types of alphabeta.py.
cimport cython

from engine.search.ordering cimport MoveOrdering
from engine.search.quiescence cimport Quiescence
from engine.search.stack cimport SearchStack
from engine.search.table cimport TranspositionTable
from engine.tree cimport Tree

cdef int MAX_DEPTH, WIN, DECIDED, INFINITE, ONGOING
cdef int LOWER, UPPER, EXACT, SCORE_SHIFT, DEPTH_SHIFT, BOUND_SHIFT, SCORE_OFFSET
cdef long long MOVE_MASK
cdef int FUTILITY_MARGIN, FUTILITY_DEPTH, REDUCTION_DEPTH
cdef int[2048] REDUCTIONS

@cython.final
cdef class AlphaBeta:
    cdef Tree tree
    cdef TranspositionTable table
    cdef readonly SearchStack stack
    cdef MoveOrdering ordering
    cdef Quiescence quiescence
    cdef bint uses_table, uses_null_windows, uses_null_move, uses_reductions
    cdef bint uses_futility, uses_reverse_futility, needs_equal_depth

    cpdef int search_root_move(self, int move, int depth, int alpha, int beta) except? -32768
    cpdef list principal_variation(self)
    cdef int search_child(self, int side, int depth, int alpha, int beta) except? -32768
    @cython.locals(entry=cython.longlong)
    cpdef int search_node(
        self, int depth, int alpha, int beta, bint may_try_null_move
    ) except? -32768
    cdef bint is_mate_window(self, int alpha, int beta) noexcept
    cdef int reverse_futility_bound(self, int depth, int beta, int evaluation) noexcept
    cdef int null_move_score(self, int depth, int beta, int evaluation) except? -32768
    cdef int search_moves(
        self, int depth, int alpha, int beta, int hash_move, int futility_bound, bint in_check
    ) except? -32768
    cdef int search_move(
        self, int side, int depth, int alpha, int beta, int number, bint reducible
    ) except? -32768
    cdef void store_node(self, int move, int score, int depth, int bound) noexcept
    cdef int entry_score(self, long long entry) noexcept
    cdef bint entry_suffices(self, long long entry, int depth, int alpha, int beta) noexcept
