# The C types of field.py; sizes are those of the lists there.
cimport cython

cdef int EMPTY, INFANTRY, ARCHER, CAVALRY, KNIGHT, HERO, CASTLE
cdef int KIND, RED, BLUE, BOTH, OFF_BOARD, SPACES, CASTLE_SUPPORT
cdef int[8] STRENGTH, MOVES
cdef int[367] TO
cdef int[1101] AHEAD
cdef long long[64] BIT
cdef long long[61] NEXT_TO, WITHIN_TWO
cdef long long EVERYWHERE
cdef int[67] LOWEST

cpdef int first(long long spaces) noexcept
cpdef int size(long long spaces) noexcept

cdef class Field:
    cdef int[64] board
    cdef long long[24] men

    cdef void _clear(self)
    cdef int _put(self, int space, int piece) noexcept
    cpdef int piece_at(self, int space) except -1
    @cython.locals(close=cython.longlong)
    cdef long long supporters(self, int own, long long near, long long within_two) noexcept
    cpdef long long attackers(self, int origin, int target) noexcept
    cpdef long long defenders(self, int approach, int target) noexcept
    cpdef int castle_beside(self, int piece, int space) noexcept
    @cython.locals(strong=cython.longlong)
    cdef int strength(self, long long spaces) noexcept
    cpdef int attack(self, int origin, int approach, int target) noexcept
    cpdef int defence(self, int approach, int target) noexcept
    cpdef bint takes(self, int origin, int approach, int target) noexcept
    @cython.locals(reached=cython.longlong)
    cdef long long _walk(self, int origin, int approach, int step, int steps) noexcept
    @cython.locals(reached=cython.longlong)
    cdef long long reach(self, int origin) noexcept
    cdef long long movers(self, int own) noexcept
    @cython.locals(same=cython.longlong)
    cdef list origins(self, int piece, int target)
    @cython.locals(movers=cython.longlong, targets=cython.longlong, origin=int)
    cdef list moves(self, int own)
    @cython.locals(movers=cython.longlong, targets=cython.longlong, origin=int)
    cdef int put_moves(self, int own, long long among, int* found, int last) noexcept
    @cython.locals(castle=cython.longlong, captors=cython.longlong)
    cdef bint castle_attacked(self, int own) noexcept
    @cython.locals(movers=cython.longlong)
    cdef int mobility(self, int own) noexcept
    @cython.locals(movers=cython.longlong)
    cdef bint stuck(self, int own) noexcept
    @cython.locals(movers=cython.longlong, captors=cython.longlong)
    cdef bint captor(self, int own) noexcept
