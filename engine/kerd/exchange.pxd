# The C types of exchange.py. Sizes are those of the lists there.
from engine.exchange cimport Exchanges
from engine.kerd.attacks cimport is_attacked
from engine.kerd.state cimport State
from engine.kerd.tree cimport KerdTree

cdef int KIND, KING
cdef int[10] WORTH

cdef class KerdExchanges(Exchanges):
    cdef KerdTree tree
    cdef State state

    cdef bint loses(self, int move) noexcept
