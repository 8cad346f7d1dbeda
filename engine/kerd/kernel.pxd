# The C types of kernel.py. Sizes are those of the lists there.
cimport cython
from engine.kerd.attacks cimport in_check
from engine.kerd.generation cimport has_been_in_check, list_actions, list_moves_to, mover_in_check
from engine.kerd.legality cimport is_safe, keep_legal, push_if_legal
from engine.kerd.making cimport pop, push, put_piece
from engine.kerd.moves cimport ActionList
from engine.kerd.state cimport State

cdef int EMPTY, KIND, KING, WHITE, BLACK, COLOURS, LAST_ELIGIBLE, UNKNOWN
cdef int MAX_DEPTH, LARGEST
cdef int[144] SQUARES, AS_WRITTEN
cdef int[14] POOL

@cython.final
cdef class Position:
    cdef readonly State state
    cdef ActionList actions

    @cython.locals(actions=ActionList)
    cdef unsigned long long count_nodes(self, int depth, list lists) except? 0
    @cython.locals(packed="unsigned char[161]", i=int)
    cpdef bytes pack(self)
    cpdef Position copy(self)
    cpdef int piece_at(self, int square) except -1
    cpdef bint is_attacked(self, int side) noexcept
    cpdef list legal(self)
    cpdef bint is_legal(self, object action) except -1
    cpdef list legal_to(self, int kind, int target, bint joint=*)
    cpdef bint can_act(self) except -1
    cpdef play(self, object action)
