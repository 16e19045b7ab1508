"""A folder of the user's in which results are kept between runs, one file for each key.

    cache = Cache.opened()                    None where the user has switched it off, or no folder can be made
    cache.put(key, content)                   whole or not at all
    cache.get(key)                            the content, or None

It is never a folder of the scanned repository: what lies here is believed. `CUDALINT_CACHE_DIR` names another one; empty, it
switches the cache off. Nothing here raises: a cache that cannot be read or written only costs its time.
"""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import platformdirs

VARIABLE = "CUDALINT_CACHE_DIR"
LARGEST = 512 << 20  # bytes of all files together
SWEPT_EACH = 24 * 3600  # seconds
_DIGEST = 16
_SWEPT = "swept"


@dataclass(frozen=True, slots=True)
class Cache:
    """Files `KEY[:2]/KEY[2:]`, each with the digest of its content in front."""

    folder: Path

    @classmethod
    def opened(cls) -> Cache | None:
        """The user's cache, without what has not been used for longest where it has grown too large."""
        named = os.environ.get(VARIABLE)
        if named == "":
            return None
        folder = Path(named) if named else Path(platformdirs.user_cache_dir("cudalint", appauthor=False))
        cache = cls(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            cache._sweep_now_and_then()
        except OSError:
            return None
        return cache

    def get(self, key: str) -> bytes | None:
        """What was put; None where there is nothing, or not all of it."""
        path = self._path(key)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        digest, content = content[:_DIGEST], content[_DIGEST:]
        if blake2b(content, digest_size=_DIGEST).digest() != digest:
            return None
        with suppress(OSError):
            os.utime(path)
        return content

    def put(self, key: str, content: bytes) -> None:
        path = self._path(key)
        made = None
        try:
            path.parent.mkdir(exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
                made = file.name
                file.write(blake2b(content, digest_size=_DIGEST).digest() + content)
            os.replace(made, path)
        except OSError:
            if made is not None:
                with suppress(OSError):
                    os.unlink(made)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key[2:]

    def _sweep_now_and_then(self) -> None:
        mark = self.folder / _SWEPT
        if mark.exists() and time.time() - mark.stat().st_mtime < SWEPT_EACH:
            return
        mark.touch()
        self.sweep()

    def sweep(self, largest: int = LARGEST) -> None:
        """Remove the files that were not used for longest, until the others fit."""
        found = []
        for path in self.folder.glob("??/*"):
            with suppress(OSError):
                state = path.stat()
                found.append((state.st_mtime, state.st_size, path))
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= largest:
                return
            total -= size
            with suppress(OSError):
                path.unlink()
