# The C types of kernel.py. Sizes are those of the lists there; MAX_DEPTH is 64.
cimport cython

cdef int EMPTY, PAWN, KING, KIND, WHITE, BLACK, OFF, MAX_DEPTH, LARGEST
cdef int[16] SQUARES
cdef int[8] AROUND
cdef int[2] SIDEWAYS

@cython.final
cdef class Position:
    cdef int[36] board
    cdef int[2] kings
    cdef int[64] found, made, captured
    cdef int depth
    cdef readonly int side, number

    cpdef int piece_at(self, int square) except -1
    cdef int list_actions(self, int* found, int first) noexcept
    cdef void push(self, int action) noexcept
    cdef void pop(self) noexcept
    @cython.locals(after=Position)
    cpdef perft(self, int depth)
