# The C types of ordering.py. Sizes are those of the lists there.
cimport cython

from engine.tree cimport Tree

cdef int HASH_MOVE, NOISY, KILLER, MAX_HISTORY

@cython.final
cdef class MoveOrdering:
    cdef Tree tree
    cdef bint uses_killers, uses_history
    cdef int[130] killers
    cdef int[131072] history
    cdef int[65536] priorities

    cdef void prioritise_moves(self, int first, int last, int hash_move) noexcept
    cdef void prioritise_by_score(self, int first, int last) noexcept
    cdef void pick_move(self, int at, int last) noexcept
    cdef void record_cutoff(self, int move, bint quiet, int depth) noexcept
