# The C types of legality.py. Sizes are those of the lists there.
from engine.kerd.attacks cimport in_check
from engine.kerd.generation cimport list_actions_like, mover_in_check
from engine.kerd.making cimport pop, push
from engine.kerd.moves cimport ActionList
from engine.kerd.state cimport State

cdef int BISHOP, BLACK, EMPTY, HUSSAR, KIND
cdef int[512] LINES

cpdef bint is_safe(State state, int action, bint attacked) noexcept
cpdef bint may_uncover_king(State state, int action) noexcept
cdef bint may_expose_king(State state, int action, bint attacked) noexcept
cpdef bint push_if_legal(State state, int action, ActionList actions) noexcept
