# The C types of ordering.py. Sizes are those of the lists there.
from engine.tree cimport Tree

cdef int KNOWN, NOISY, KILLER, TRUSTED

cdef class Ordering:
    cdef Tree tree
    cdef bint uses_killers, uses_history
    cdef int[130] killers
    cdef int[131072] history
    cdef int[65536] order

    cdef void rank(self, int first, int last, int known) noexcept
    cdef void pick(self, int at, int last) noexcept
    cdef void reward(self, int action, bint quiet, int depth) noexcept
