"""What nvcc takes and clang refuses, respelled where clang says so; every place in the text stays the same.

An explicit specialisation has the execution space of its template; without this, calls of it silently mean the template:

    template <> int id<float>() { return 1; }               __hd_templ_ int id<float>() { return 1; }

A member specialised without the constexpr of its template is that member all the same:

    template <> int Hash<bool>::operator()(bool b) const    __cx_templ_ int Hash<bool>::operator()(bool b) const

A shared object may have a constructor; without this the object and all that uses it are lost:

    __shared__ Decoder decoder;                             __sharedx_ Decoder decoder;

A member template of a class that depends on arguments may be called without `template`; what it is called with says the rest:

    Difference<T, N>(storage).Left<N>(items, found);        Difference<T, N>(storage).Left   (items, found);
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from cudalint.frontend.clang import Diagnostic

SHARED = "cudalint_shared"  # the annotation of shared objects that are respelled
_REJECTED = re.compile(r"no function template matches function template specialization '([\w:]+)'")
_NOT_CONSTEXPR = re.compile(r"non-constexpr declaration of '.*' follows constexpr declaration")
_INITIALIZED = "initialization is not supported for __shared__ variables"
_UNCALLED = "reference to non-static member function must be called"
_ARGUMENTS = re.compile(rb"(?:\.|->)\s*\w+\s*(<[^<>;(){}]*>)\s*\(")
_MARKS = {b"template <>": b"__hd_templ_", b"template<>": b"__hd_templ"}  # macros of our headers, as long as the text
_CONSTEXPR = {b"template <>": b"__cx_templ_", b"template<>": b"__cx_templ"}
_SHARED = (b"__shared__", b"__sharedx_")
_DECLARATION = 400  # bytes before the name of a variable that its declaration may have


def respelled(errors: Iterable[Diagnostic], texts: Mapping[str, str]) -> dict[str, str]:
    """Texts to parse in place of files; `texts` holds what is in memory, the others are read."""
    made: dict[str, bytes] = {}
    for error in errors:
        rejected = _REJECTED.search(error.message)
        constant = _NOT_CONSTEXPR.search(error.message) is not None
        uncalled = _UNCALLED in error.message
        if not error.path or not (rejected or constant or uncalled or _INITIALIZED in error.message):
            continue
        known = made.get(error.path)
        content = _content(error.path, texts) if known is None else known
        if rejected is not None:
            changed = _with_space(content, rejected[1].rsplit("::", 1)[-1].encode())
        elif uncalled:
            changed = _without_arguments(content, error.offset)
        elif constant:
            changed = _with_constexpr(content, error.offset)
        else:
            changed = _without_attribute(content, error.offset)
        if changed != content:
            made[error.path] = changed
    return {path: content.decode("utf-8", "surrogateescape") for path, content in made.items()}


def _content(path: str, texts: Mapping[str, str]) -> bytes:
    if path in texts:
        return texts[path].encode("utf-8", "surrogateescape")
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _with_space(content: bytes, name: bytes) -> bytes:
    """The specialisations of a function, marked for host and device."""
    head = re.compile(rb"(template ?<>)((?:[^;{}()/]|//[^\n]*\n|/)*?\b" + re.escape(name) + rb"\s*(?:<|\())")
    return head.sub(lambda m: _MARKS[m[1]] + m[2], content)


def _with_constexpr(content: bytes, offset: int) -> bytes:
    """The specialisation that declares the name at `offset`, marked as constexpr."""
    start = max(0, offset - _DECLARATION)
    heads = list(re.finditer(rb"template ?<>", content[start:offset]))
    if not heads or re.search(rb"[;{}]", content[start + heads[-1].end() : offset]):
        return content
    at = start + heads[-1].start()
    return content[:at] + _CONSTEXPR[heads[-1][0]] + content[start + heads[-1].end() :]


def _without_attribute(content: bytes, offset: int) -> bytes:
    """The declaration that ends with the variable's name at `offset`, with an annotation for the attribute."""
    start = max(0, offset - _DECLARATION)
    at = content.rfind(_SHARED[0], start, offset)
    if at < 0 or b";" in content[at:offset]:
        return content
    return content[:at] + _SHARED[1] + content[at + len(_SHARED[0]) :]


def _without_arguments(content: bytes, offset: int) -> bytes:
    """The call of a member template around `offset`, its explicit arguments as spaces."""
    for call in _ARGUMENTS.finditer(content, max(0, offset - _DECLARATION), offset + _DECLARATION):
        if call.end() >= offset:
            blank = b" " * len(call[1])
            return content[: call.start(1)] + blank + content[call.end(1) :]
    return content
