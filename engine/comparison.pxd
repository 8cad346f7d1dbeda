# The C types of comparison.py.
cimport cython

cdef int ABSENT

@cython.locals(
    size=cython.Py_ssize_t,
    many=cython.Py_ssize_t,
    cell=cython.Py_ssize_t,
    gone=cython.int,
    come=cython.int,
    old="const unsigned char*",
    new="const unsigned char*",
    number_of="const unsigned char*",
)
cpdef add_changes(bytes before, bytes after, bytes numbers, bytearray counts, list found)
@cython.locals(after=bytes, known=bytes)
cpdef add_all_changes(
    bytes before, list boards, bytes numbers, bytearray counts, list found, set seen
)
