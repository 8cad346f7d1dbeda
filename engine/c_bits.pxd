# The functions of bits.py where they are compiled, to be had without a call.
cdef extern from *:
    """
    static inline int movelog_first(unsigned long long members) {
        return __builtin_ctzll(members);
    }

    /* Warren, Hacker's Delight, 5-1: without a processor's own instruction, which not all have. */
    static inline int movelog_size(unsigned long long members) {
        members -= members >> 1 & 0x5555555555555555ULL;
        members = (members & 0x3333333333333333ULL) + (members >> 2 & 0x3333333333333333ULL);
        members = (members + (members >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
        return (int)(members * 0x0101010101010101ULL >> 56);
    }
    """
    int first "movelog_first"(unsigned long long members) noexcept nogil
    int size "movelog_size"(unsigned long long members) noexcept nogil
