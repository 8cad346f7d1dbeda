# The C types of field.py; sizes are those of the lists there.
cimport cython
from engine cimport c_bits as bits

cdef int EMPTY, INFANTRY, ARCHER, CAVALRY, KNIGHT, HERO, CASTLE
cdef int KIND, RED, BLUE, BOTH, OFF_BOARD, SPACES, CASTLE_SUPPORT
cdef int[8] STRENGTH, MOVES
cdef int[367] TO
cdef int[1101] AHEAD
cdef long long[367] ENDS
cdef long long[64] BIT
cdef long long[61] NEXT_TO, WITHIN_TWO
cdef long long EVERYWHERE

cdef class Field:
    cdef int[64] board
    cdef long long[24] men
    cdef long long[3] armies

    @cython.final
    cdef void clear_board(self)
    @cython.final
    @cython.locals(bit=cython.longlong)
    cdef int put_piece(self, int space, int piece) noexcept
    cpdef int piece_at(self, int space) except -1
    @cython.final
    @cython.locals(taken=cython.longlong)
    cdef long long find_taken(self, int origin, int approach, long long targets) noexcept
    @cython.final
    @cython.locals(empty=cython.longlong, enemies=cython.longlong, reached=cython.longlong, targets=cython.longlong)
    cdef long long find_targets(self, int origin) noexcept
    @cython.final
    @cython.locals(empty=cython.longlong, enemies=cython.longlong, reached=cython.longlong, targets=cython.longlong)
    cdef long long find_targets_ahead(self, int origin, int step, int steps, long long known) noexcept
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

cpdef long long supporters(Field field, int own, long long near, long long within_two) noexcept
cpdef long long attack_supporters(Field field, int origin, int target) noexcept
cpdef long long defence_supporters(Field field, int approach, int target) noexcept
cpdef int castle_support(Field field, int piece, int space) noexcept
@cython.locals(strong=cython.longlong)
cpdef int strength(Field field, long long spaces) noexcept
cpdef int attack(Field field, int origin, int approach, int target) noexcept
cpdef int defence(Field field, int approach, int target) noexcept
cpdef bint takes(Field field, int origin, int approach, int target) noexcept
