"""Keeps the memory that one segment's arrays used for the next segment's."""

import ctypes
import sys

# Both in bytes; the largest arrays of a segment take four megabytes.
KEPT = 64 << 20
OWN_MAPPING = 32 << 20
# One arena for all threads, since each would keep as much; they allocate one at a time anyway, holding the interpreter.
ARENAS = 1
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
WANTED = ((M_TRIM_THRESHOLD, KEPT), (M_MMAP_THRESHOLD, OWN_MAPPING), (M_ARENA_MAX, ARENAS))


def keep_working_memory() -> bool:
    """Tell the C library to keep freed memory; whether it could be told.

    By default glibc returns the arrays of a segment to the system, which clears every page again for the next one: up
    to half of the processor time of a question.
    """
    if not sys.platform.startswith("linux"):
        return False
    library = ctypes.CDLL(None)
    if not hasattr(library, "mallopt"):
        return False
    return all(library.mallopt(name, value) for name, value in WANTED)
