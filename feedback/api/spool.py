"""Streams a request's body to disk: a body of half a gigabyte costs a few megabytes of memory."""

import hashlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from feedback.api.body import require_length, require_plain, require_room

IN_MEMORY = 1024 * 1024
_STEP = 1024 * 1024


async def spool_body(
    request: Request, directory: Path, limit: int, *, alive: Callable[[], None] | None = None
) -> tuple[IO[bytes], str]:
    """A temporary file with the body, rewound, and the body's SHA-256; a small one stays in memory.

    The file has no name, so nothing is left behind, whatever dies. `alive` is called about every megabyte.
    """
    require_plain(request)
    require_length(request, limit)
    file = tempfile.SpooledTemporaryFile(IN_MEMORY, dir=str(directory))  # noqa: SIM115  The caller closes it.
    digest = hashlib.sha256()
    try:
        parts: list[bytes] = []
        size = waiting = 0
        async for part in request.stream():
            size += len(part)
            require_room(size, limit)
            parts.append(part)
            waiting += len(part)
            if waiting >= _STEP:
                await run_in_threadpool(_write, file, parts, digest)
                parts, waiting = [], 0
                if alive is not None:
                    await run_in_threadpool(alive)
        await run_in_threadpool(_write, file, parts, digest)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file, digest.hexdigest()


def _write(file: IO[bytes], parts: list[bytes], digest: "hashlib._Hash") -> None:
    data = b"".join(parts)
    digest.update(data)
    file.write(data)
