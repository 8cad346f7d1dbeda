# The C types of legality.py. Sizes are those of the lists there.
cimport cython
from engine.kerd.attacks cimport in_check
from engine.kerd.generation cimport list_actions_like, mover_in_check
from engine.kerd.making cimport pop, push
from engine.kerd.moves cimport ActionList
from engine.kerd.state cimport State

cdef int BISHOP, BLACK, EMPTY, HUSSAR, KIND, OFF, WHITE
cdef int[8] AROUND
cdef unsigned long long[64] BIT
cdef int[512] LINES

cpdef bint is_safe(State state, int action, bint attacked) noexcept
cdef bint is_safe_on_trial(State state, int action) noexcept
@cython.locals(shields="unsigned long long[4]", exposing=cython.bint)
cpdef void keep_legal(State state, ActionList actions) noexcept
cdef void find_shields(State state, unsigned long long* shields) noexcept
cpdef bint may_uncover_king(State state, int action) noexcept
cdef bint may_expose_king(State state, int action, bint attacked) noexcept
cpdef bint push_if_legal(State state, int action, ActionList actions) noexcept
