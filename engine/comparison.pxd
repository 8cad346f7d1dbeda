# The C types of comparison.py.
cimport cython

cdef int ABSENT

@cython.locals(size=cython.Py_ssize_t, many=cython.Py_ssize_t, cell=cython.Py_ssize_t, gone=cython.int, come=cython.int)
cpdef add_changes(bytes before, bytes after, bytes numbers, bytearray counts, list found)
