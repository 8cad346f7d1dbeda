# The C types of pruning.py.
cimport cython

cdef int DECIDED, INFINITE, MOST_FURTHER

@cython.final
cdef class Pruning:
    cdef bint uses_futility, uses_reverse_futility, uses_razoring, uses_reductions
    cdef bint uses_late_move_pruning, uses_history, uses_history_pruning, uses_improving
    cdef int futility_margin, futility_depth, reverse_margin, reverse_depth
    cdef int razoring_margin, razoring_depth
    cdef int null_move_reduction, null_move_share, null_move_margin
    cdef int reduction_history, late_move_base, late_move_factor, late_move_depth
    cdef int history_margin, history_depth
    cdef int[2048] reductions

    cdef int reverse_futility_bound(
        self, int depth, int beta, int evaluation, bint improving
    ) noexcept
    cdef int razoring_bound(self, int depth, int alpha, int evaluation) noexcept
    cdef int futility_bound(self, int depth, int alpha, int evaluation) noexcept
    cdef int count_late_moves(self, int depth, bint improving) noexcept
    cdef int least_history(self, int depth) noexcept
    cdef int null_move_depth(self, int depth, int beta, int evaluation) noexcept
    cdef int reduction(
        self, int depth, int number, int history, bint improving, bint in_wide_window
    ) noexcept
