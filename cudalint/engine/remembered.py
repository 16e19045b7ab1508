"""Results that are kept between runs, by everything that they hang on.

    digests = Digests()
    key = digests.key("kernels", unit, contracts)      None where something in it has no canonical digest
    remembered(cache, key, Answer, make)               the answer of an earlier run, or that of `make()`

A key is a digest of content: frozen data by class and fields, collections by their elements, terms by their own digests; and
of the program itself, so that another version has other keys. What is read back is data of ours and of nobody else: no
other class is ever looked up, whatever the file says.
"""

from __future__ import annotations

import io
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from hashlib import blake2b
from importlib import import_module, metadata
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from cudalint.project.cache import Cache
from cudalint.term import Term

Answer = TypeVar("Answer")
_DIGEST = 16
_OURS = ("cudalint.engine.file", "cudalint.finding", "cudalint.source")
_LIBRARIES = ("z3-solver", "libclang", "numpy")


def remembered(
    cache: Cache | None, key: str | None, kind: type[Answer], make: Callable[[], tuple[Answer, bool]]
) -> Answer:
    """The answer of an earlier run to the same question, else that of `make`, which is kept where it says so."""
    if cache is None or key is None:
        return make()[0]
    content = cache.get(key)
    if content is not None:
        with suppress(Exception):  # something else wrote it
            answer = _Reader(io.BytesIO(content)).load()
            if isinstance(answer, kind):
                return answer
    answer, lasting = make()
    if lasting:
        written = io.BytesIO()
        _Writer(written, pickle.HIGHEST_PROTOCOL).dump(answer)
        cache.put(key, written.getvalue())
    return answer


class _NoData(Exception):
    """A value that has no canonical digest."""


class Digests:
    """Digests by content; what is shared is read once."""

    def __init__(self) -> None:
        self._known: dict[int, bytes] = {}
        self._kept: list[object] = []  # so that no other value gets the identity of one that is known

    def key(self, *parts: object) -> str | None:
        """The digest of all parts and of the program; None for what holds anything but data."""
        try:
            return self.of((_program(), parts)).hex()
        except (_NoData, RecursionError):
            return None

    def of(self, value: Any) -> bytes:
        known = self._known.get(id(value))
        if known is None:
            known = self._digest(value)
            self._known[id(value)] = known
            self._kept.append(value)
        return known

    def _digest(self, value: Any) -> bytes:
        type_ = type(value)
        if value is None or type_ in (bool, int, float, str, bytes):
            return _hash(type_.__name__, repr(value).encode("utf-8", "surrogatepass"))
        if isinstance(value, Term):
            return _hash("term", value.digest)
        if type_ in (tuple, list):
            return _hash(type_.__name__, *map(self.of, value))
        if type_ in (frozenset, set):
            return _hash("set", *sorted(map(self.of, value)))
        if type_ is dict:
            return _hash("dict", *(self.of(each) for item in value.items() for each in item))
        if isinstance(value, Enum):
            return _hash(type_.__qualname__, value.name.encode())
        if is_dataclass(type_):
            given = _fields_of(type_)
            return _hash(type_.__qualname__, *map(self.of, given(value)))
        raise _NoData(type_.__name__)


@cache
def _fields_of(type_: type) -> Callable[[Any], tuple[Any, ...]]:
    names = [field.name for field in fields(type_)]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


def _hash(name: str, *parts: bytes) -> bytes:
    hash_ = blake2b(f"{name} {len(parts)} ".encode(), digest_size=_DIGEST)
    for part in parts:
        hash_.update(len(part).to_bytes(8, "little"))
        hash_.update(part)
    return hash_.digest()


@cache
def _program() -> tuple[object, ...]:
    """What answers: every file of the package by its content, the libraries, the interpreter."""
    import cudalint
    import cudalint.rules

    hash_ = blake2b(digest_size=_DIGEST)
    for package in (cudalint, cudalint.rules):
        for folder in map(Path, package.__path__):
            # what Python compiles comes and goes while others start
            written = (path for path in folder.rglob("*") if path.suffix and path.parent.name != "__pycache__")
            for path in sorted(written):
                hash_.update(_hash(path.relative_to(folder).as_posix(), path.read_bytes()))
    return hash_.digest(), tuple(metadata.version(name) for name in _LIBRARIES), sys.version, sys.platform


class _Writer(pickle.Pickler):
    """Enumerations by class and value: some versions of Python would write that a reader calls `getattr`."""

    def reducer_override(self, value: Any) -> Any:
        return (type(value), (value.value,)) if isinstance(value, Enum) else NotImplemented


class _Reader(pickle.Unpickler):
    """Gives frozen data and enumerations of ours; any other name is refused."""

    def find_class(self, module: str, name: str) -> Any:
        if module in _OURS:
            found = getattr(import_module(module), name, None)
            if isinstance(found, type) and (is_dataclass(found) or issubclass(found, Enum)):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no data")
