# The C types of exchange.py. `loses` has the type it has in engine.exchange.
cimport cython
from engine.exchange cimport Exchanges
from engine.kerak.field cimport strength, supporters
from engine.kerak.kernel cimport Position
from engine.kerak.tree cimport KerakTree

cdef int CASTLE, KIND, BOTH
cdef int[8] WORTH, STRENGTH
cdef long long[61] BIT, NEXT_TO, WITHIN_TWO

cdef class KerakExchanges(Exchanges):
    cdef KerakTree tree
    cdef Position position

    @cython.locals(near=cython.longlong, within_two=cython.longlong, attackers=cython.longlong, friends=cython.longlong)
    cdef bint loses(self, int move) noexcept
