# The C types of evaluation.py; sizes are those of the lists there.
from engine.kerd.kernel cimport Position

cdef int KIND, WHITE
cdef int[144] SQUARES
cdef int[10] WORTH

cpdef int material(Position position) noexcept
cpdef int evaluate(Position position) noexcept
