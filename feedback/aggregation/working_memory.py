"""Keeps the memory that one segment's arrays used for the next segment's."""

import ctypes
import sys

# Both in bytes; the largest arrays of a segment take four megabytes.
KEPT = 64 << 20
OWN_MAPPING = 32 << 20
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3


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
    told = (library.mallopt(M_TRIM_THRESHOLD, KEPT), library.mallopt(M_MMAP_THRESHOLD, OWN_MAPPING))
    return all(told)
