# The C types of tree.py. Sizes are those of the lists there; its constants stay Python's for all
# trees to read.
cimport cython

from engine.learned.network cimport Accumulator, Network

cdef class Tree:
    cdef public int side, ply, material_only, by_points, uses_network
    cdef int replaces_terms
    cdef Accumulator accumulator
    cdef public long long key
    cdef int[65536] moves
    cdef int[65536] move_scores

    @cython.final
    cdef void begin_network(self, Network network) except *
    cdef void add_features(self) noexcept
    cdef int evaluate_material(self) noexcept
    cdef int evaluate_terms(self) noexcept
    cdef int evaluate_network(self) noexcept
    cdef int result(self) noexcept
    cdef int result_without_moves(self) noexcept
    cdef int list_moves(self, int first) noexcept
    cdef int list_noisy_moves(self, int first) noexcept
    cdef int score_move(self, int move) noexcept
    cdef int generate_moves(self, int first) noexcept
    cdef int generate_noisy_moves(self, int first) noexcept
    cdef bint make_move(self, int move) noexcept
    cdef void unmake_move(self) noexcept
    cdef bint in_check(self) noexcept
    cdef bint allows_null_move(self) noexcept
    cdef void make_null_move(self) noexcept
    cdef void unmake_null_move(self) noexcept

# No method: whether a subclass in Python overrides a `cpdef` method is looked up by name at each call.
cpdef int evaluate(Tree tree) noexcept
cpdef bint is_in_check(Tree tree) noexcept
