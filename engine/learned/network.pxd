# The C types of network.py. Sizes are those of the lists there.
cimport cython

@cython.final
cdef class Network:
    cdef short[196608] inputs
    cdef short[32] biases
    cdef short[64] outputs
    cdef int output_bias
    cdef readonly int replaces_terms

@cython.final
cdef class Accumulator:
    cdef Network network
    cdef short[4224] sums
    cdef int at

    cpdef void clear(self) noexcept
    cpdef void push(self) noexcept
    cpdef void pop(self) noexcept
    cpdef void add(self, int view, int feature) noexcept
    cpdef void remove(self, int view, int feature) noexcept
    @cython.locals(total=int, value=int)
    cpdef int output(self, int side) noexcept
