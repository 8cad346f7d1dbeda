# The C types of alphabeta.py.
cimport cython

from engine.exchange cimport Exchanges
from engine.search.ordering cimport MoveOrdering
from engine.search.pruning cimport Pruning
from engine.search.quiescence cimport Quiescence
from engine.search.stack cimport SearchStack
from engine.search.table cimport TranspositionTable
from engine.tree cimport Tree

cdef int MAX_DEPTH, WIN, DECIDED, INFINITE, ONGOING
cdef int LOWER, UPPER, EXACT, SCORE_SHIFT, DEPTH_SHIFT, BOUND_SHIFT, SCORE_OFFSET
cdef long long MOVE_MASK

@cython.final
cdef class AlphaBeta:
    cdef Tree tree
    cdef TranspositionTable table
    cdef readonly SearchStack stack
    cdef MoveOrdering ordering
    cdef Quiescence quiescence
    cdef Pruning pruning
    cdef bint uses_table, uses_null_windows, uses_null_move, uses_internal_reductions
    cdef bint uses_table_evaluation, uses_root_reductions, needs_equal_depth
    cdef int internal_depth

    cpdef int search_root_move(
        self, int move, int number, int depth, int alpha, int beta
    ) except? -32768
    cpdef list principal_variation(self)
    cdef int search_child(self, int side, int depth, int alpha, int beta) except? -32768
    @cython.locals(entry=cython.longlong)
    cpdef int search_node(
        self, int depth, int alpha, int beta, bint may_try_null_move
    ) except? -32768
    cdef bint is_mate_window(self, int alpha, int beta) noexcept
    @cython.locals(bound=int)
    cdef int evaluate_node(self, bint in_check, long long entry) except? -32768
    cdef bint is_improving(self) noexcept
    cdef int prune_node(
        self, int depth, int alpha, int beta, int evaluation, bint may_try_null_move
    ) except? -32768
    cdef int null_move_score(self, int depth, int beta, int evaluation) except? -32768
    @cython.locals(improving=cython.bint, wide=cython.bint, quiet=cython.bint)
    cdef int search_moves(
        self, int depth, int alpha, int beta, int hash_move, int evaluation, bint in_check
    ) except? -32768
    cdef int search_move(
        self, int side, int depth, int alpha, int beta, int number, int reduction
    ) except? -32768
    cdef void store_node(self, int move, int score, int depth, int bound) noexcept
    cdef int entry_score(self, long long entry) noexcept
    cdef bint entry_suffices(self, long long entry, int depth, int alpha, int beta) noexcept
