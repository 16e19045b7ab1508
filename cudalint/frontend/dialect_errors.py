"""What nvcc takes and clang refuses, respelled where clang says so; every line stays where it is.

An explicit specialisation has the execution space of its template; without this, calls of it silently mean the template:

    template <> int id<float>() { return 1; }               __hd_templ_ int id<float>() { return 1; }

A member specialised without the constexpr of its template is that member all the same:

    template <> int Hash<bool>::operator()(bool b) const    __cx_templ_ int Hash<bool>::operator()(bool b) const

A shared object may have a constructor; without this the object and all that uses it are lost:

    __shared__ Decoder decoder;                             __sharedx_ Decoder decoder;

A member template of a class that depends on arguments may be called without `template`:

    Sums<T, N>::add<N>(shared, x);                          Sums<T, N>::template add<N>(shared, x);

The dynamic shared array of each instance has a type of its own; each is declared apart, as one element that stands for all:

    extern __shared__ T values[];                                 __shared_n T values[1];

Attributes may stand behind the name of an operator:

    T operator() __device__(int i) const                    T __device__ operator()(int i) const

A special register in inline assembly may have one percent sign:

    asm("mov.u32 %0, %laneid;" : "=r"(lane));               asm("mov.u32 %0,%%laneid;" : "=r"(lane));
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from cudalint.frontend.clang import Diagnostic

SHARED = "cudalint_shared"  # the annotation of shared objects that are respelled
DYNAMIC = "cudalint_dynamic"  # that of dynamic shared arrays
_REJECTED = re.compile(r"no function template matches function template specialization '([\w:]+)'")
_NOT_CONSTEXPR = re.compile(r"non-constexpr declaration of '.*' follows constexpr declaration")
_INITIALIZED = "initialization is not supported for __shared__ variables"
_UNCALLED = re.compile(
    "reference to non-static member function must be called|reference to overloaded function could not be resolved"
)
_CALLED = re.compile(rb"(?:\.|->|>\s*::)\s*()\w+\s*<[^<>;(){}]*>\s*\(")
_REDECLARED = re.compile(r"redeclaration of '(\w+)' with a different type: '.*\[\]'")
_BRACKETS = re.compile(rb"\w+\s*(\[\s*\])")
_MARKS = {b"template <>": b"__hd_templ_", b"template<>": b"__hd_templ"}  # macros of our headers, as long as the text
_CONSTEXPR = {b"template <>": b"__cx_templ_", b"template<>": b"__cx_templ"}
_SHARED = (b"__shared__", b"__sharedx_")
_OPERATOR = "'operator()' cannot be the name of a variable or data member"
_ATTRIBUTED = re.compile(
    rb"(operator\s*\(\s*\))(\s+)((?:__\w+__|[A-Z][A-Z0-9_]+)(?:\s+(?:__\w+__|[A-Z][A-Z0-9_]+))*)(?=\s*\()"
)
_ESCAPE = "invalid % escape in inline assembly string"
_ASSEMBLY = re.compile(rb"\b(?:asm|__asm__|__asm)\b[^;\"]*\"(?:[^\"\\\\]|\\\\.)*\"(?:\s*\"(?:[^\"\\\\]|\\\\.)*\")*")
_REGISTER = re.compile(rb"(?<=[,;{ \t])[ \t]%(?=[a-z])")
_EXTERN = (b"extern", b"__shared_n")
_DYNAMIC = re.compile(rf"\b{_EXTERN[1].decode()}\b([^;]*)\[1\]")
_WORDS = {mine.decode(): theirs.decode() for theirs, mine in (*_MARKS.items(), *_CONSTEXPR.items(), _SHARED)}
_DECLARATION = 400  # bytes before the name of a variable that its declaration may have


def as_written(text: str) -> str:
    """The words of the language, for its own compiler, in place of those that stand for them in a text that was respelled."""
    text = _DYNAMIC.sub(r"extern __shared__\1[]", text)
    return re.sub(rf"\b(?:{'|'.join(_WORDS)})\b", lambda found: _WORDS[found[0]], text)


def respelled(errors: Iterable[Diagnostic], texts: Mapping[str, str]) -> dict[str, str]:
    """Texts to parse in place of files; `texts` holds what is in memory, the others are read."""
    made: dict[str, bytes] = {}
    uncalled: dict[str, set[int]] = {}
    for error in errors:
        if error.path and _UNCALLED.search(error.message):
            uncalled.setdefault(error.path, set()).add(error.offset)
        respell = _respelling(error) if error.path else None
        if respell is not None:
            known = made.get(error.path)
            content = _content(error.path, texts) if known is None else known
            changed = respell(content)
            if changed != content:
                made[error.path] = changed
    for path, offsets in uncalled.items():
        content = made[path] if path in made else _content(path, texts)
        changed = _with_template(content, offsets)
        if changed != content:
            made[path] = changed
    return {path: content.decode("utf-8", "surrogateescape") for path, content in made.items()}


def _respelling(error: Diagnostic) -> Callable[[bytes], bytes] | None:
    """What makes a text of the same length that does not have the error."""
    rejected = _REJECTED.search(error.message)
    if rejected is not None:
        return partial(_with_space, name=rejected[1].rsplit("::", 1)[-1].encode())
    if _NOT_CONSTEXPR.search(error.message):
        return partial(_with_constexpr, offset=error.offset)
    if _INITIALIZED in error.message:
        return partial(_without_attribute, offset=error.offset)
    if _OPERATOR in error.message:
        return partial(_ATTRIBUTED.sub, rb"\3\2\1")
    if _ESCAPE in error.message:
        return partial(_ASSEMBLY.sub, lambda found: _REGISTER.sub(b"%%", found[0]))
    if _REDECLARED.search(error.message):
        return partial(_declared_apart, offset=error.offset)
    return None


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


def _declared_apart(content: bytes, offset: int) -> bytes:
    """The declaration of the external shared array that is named at `offset`, as one of its own."""
    start = max(content.rfind(end, 0, offset) for end in (b";", b"{", b"}", b"\n\n")) + 1
    head, brackets = content[start:offset], _BRACKETS.match(content, offset)
    if brackets is None or not re.search(rb"\bextern\b", head) or not re.search(rb"\b__shared__\b", head):
        return content
    more = 1 if len(brackets[1]) == 2 else 0  # what the brackets gain, `extern` loses
    head = re.sub(rb"\bextern\b", b" " * (len(_EXTERN[0]) - more), head, count=1)
    head = re.sub(rb"\b__shared__\b", _EXTERN[1], head, count=1)
    one = b"[1" + b" " * (len(brackets[1]) - 3) + b"]"
    return content[:start] + head + content[offset : brackets.start(1)] + one + content[brackets.end(1) :]


def _with_template(content: bytes, offsets: Iterable[int]) -> bytes:
    """The calls of member templates at or behind these places, in their statements, with the word that says so."""
    places = set()
    for offset in offsets:
        start = max(content.rfind(end, 0, offset) for end in (b";", b"{", b"}"))
        call = next((c for c in _CALLED.finditer(content, start + 1) if c.end() >= offset), None)
        if call is not None and not re.search(rb"[;{}]", content[offset : call.start()]):
            places.add(call.start(1))
    for place in sorted(places, reverse=True):
        content = content[:place] + b"template " + content[place:]
    return content
