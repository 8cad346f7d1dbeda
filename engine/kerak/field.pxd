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

cpdef int first(unsigned long long spaces) noexcept
cpdef int size(unsigned long long spaces) noexcept

cdef class Field:
    cdef int[64] board
    cdef long long[24] men

    @cython.final
    cdef void clear_board(self)
    @cython.final
    cdef int put_piece(self, int space, int piece) noexcept
    cpdef int piece_at(self, int space) except -1
    @cython.final
    @cython.locals(close=cython.longlong)
    cdef long long supporters(self, int own, long long near, long long within_two) noexcept
    cpdef long long attack_supporters(self, int origin, int target) noexcept
    cpdef long long defence_supporters(self, int approach, int target) noexcept
    cpdef int castle_support(self, int piece, int space) noexcept
    @cython.final
    @cython.locals(strong=cython.longlong)
    cdef int strength(self, long long spaces) noexcept
    cpdef int attack(self, int origin, int approach, int target) noexcept
    cpdef int defence(self, int approach, int target) noexcept
    cpdef bint takes(self, int origin, int approach, int target) noexcept
    @cython.final
    @cython.locals(reached=cython.longlong)
    cdef long long find_targets_after(self, int origin, int approach, int step, int steps) noexcept
    @cython.final
    @cython.locals(reached=cython.longlong)
    cdef long long find_targets(self, int origin) noexcept
    @cython.final
    cdef long long movers(self, int own) noexcept
    @cython.final
    @cython.locals(same=cython.longlong)
    cdef list find_origins(self, int piece, int target)
    @cython.final
    @cython.locals(movers=cython.longlong, targets=cython.longlong, origin=int)
    cdef list list_moves(self, int own)
    @cython.final
    @cython.locals(movers=cython.longlong, targets=cython.longlong, origin=int)
    cdef int list_moves_to(self, int own, long long among, int* found, int last) noexcept
    @cython.final
    @cython.locals(castle=cython.longlong, captors=cython.longlong)
    cdef bint is_castle_attacked(self, int own) noexcept
    @cython.final
    @cython.locals(movers=cython.longlong)
    cdef int count_moves(self, int own) noexcept
    @cython.final
    @cython.locals(movers=cython.longlong)
    cdef bint is_stuck(self, int own) noexcept
    @cython.final
    @cython.locals(movers=cython.longlong, captors=cython.longlong)
    cdef bint has_captor(self, int own) noexcept
