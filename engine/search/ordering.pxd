# The C types of ordering.py. Sizes are those of the lists there.
cimport cython

from engine.exchange cimport Exchanges
from engine.search.stack cimport SearchStack
from engine.tree cimport Tree

cdef int HASH_MOVE, NOISY, KILLER, LOSING, HISTORY_BITS, MOST_BONUS

@cython.final
cdef class MoveOrdering:
    cdef Tree tree
    cdef SearchStack stack
    cdef Exchanges exchanges
    cdef bint uses_killers, uses_history, uses_countermoves, uses_exchanges
    cdef int[130] killers
    cdef int[131072] history, countermoves
    cdef int[65536] priorities

    @cython.locals(losing=cython.bint)
    cdef void prioritise_moves(self, int first, int last, int hash_move) noexcept
    cdef int countered_move(self) noexcept
    cdef int move_history(self, int move) noexcept
    cdef void prioritise_by_score(self, int first, int last) noexcept
    cdef void pick_move(self, int at, int last) noexcept
    cdef void record_cutoff(self, int first, int at, int depth) noexcept
    cdef void change_history(self, int move, int bonus) noexcept
