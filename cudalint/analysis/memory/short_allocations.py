"""Allocations whose number of bytes does not fit the type that the memory is for.

float2 *v;  cudaMalloc(&v, n * sizeof(float));                                  half of what n elements need
cudaMalloc(&m, n * sizeof(float));  cudaMalloc(&v, n);                          a number of elements taken for bytes
cudaMalloc(&a, n * k * sizeof(T));  cudaMalloc(&b, n * m);                      the same of a product, in one function
int *p = (int *)malloc(n * sizeof(int)), *q = (int *)malloc(n);                 and of memory of the host
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.analysis.text.guard_patterns import GuardIssue, bodies
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.stated_bounds import key_of
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.analysis.text.type_widths import bytes_of_type
from cudalint.ir.syntax import Outline, Syntax

POINTER = 8
LEAST = 2  # bytes of a number that kernels work with
SEVERAL = 2
_BYTES = re.compile(
    r"byte|sizeof|mem|pitch|stride|sz|\bsize\b|(space|buf|buffer|alloc|total|storage|te?mp|chunk|record|element|type)_?size",
    re.IGNORECASE,
)
_CAST = re.compile(r"(?:static|reinterpret)_cast\s*<([^<>]*)>")
_ALLOCATES_ON_HOST = re.compile(r"(std::)?malloc$")
_ALLOCATES = re.compile(r"(cuda|hip)(Malloc|MallocAsync|MallocManaged|MallocHost|HostAlloc|HostMalloc)$")


def short_allocations(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each allocation that is too small for its elements."""
    program = program_of(outline)
    every = list(bodies(program, ("host", "device", "kernel")))
    counts = {key for body in every for node in body.nodes for key in _counted(node)}
    for body in every:
        for node in body.nodes:
            callee, arguments = node.child("function"), node.child("arguments")
            if node.kind != "call_expression" or callee is None or arguments is None or not arguments.children:
                continue
            if _ALLOCATES.match(callee.text) and len(arguments.children) > 1:
                element, written = _element(arguments.children[0], body), arguments.children[1]
            elif _ALLOCATES_ON_HOST.match(callee.text):
                element, written = _element_of_cast(node, body), arguments.children[0]
            else:
                continue
            if element is None:
                continue
            size = _value(written, body)
            wrong = _too_small(size, *element, body) or _without_element(size, *element, counts)
            wrong = wrong or _beside_bytes(size, *element, body)
            if wrong:
                yield GuardIssue(body.function, written, wrong)


def _element_of_cast(call: Syntax, body: Body) -> tuple[str, int] | None:
    """`int` of `(int *)malloc(n)`."""
    parent = next((parent for parent, _ in body.ancestors(call) if parent.kind != "argument_list"), None)
    if parent is None:
        return None
    written = parent.child("type") if parent.kind == "cast_expression" else None
    cast = _CAST.match(parent.text) if parent.kind == "call_expression" else None
    plain = _plain(written.text if written is not None else cast[1] if cast is not None else "")
    size = bytes_of_type(plain[:-1]) if plain.endswith("*") else None
    return None if size is None else (plain[:-1], size)


def _element(out: Syntax, body: Body) -> tuple[str, int] | None:
    """The type that the pointer behind the argument points to, and its bytes where they are known."""
    place = _pointed(out)
    if place is None:
        return None
    written = written_type(place, body)
    if written is None or not written.endswith("*"):
        return None
    element = written[:-1].strip()
    size = POINTER if element.endswith("*") else bytes_of_type(element)
    if size is None and element in body.function.template:
        size = LEAST
    return None if size is None else (element, size)


def _pointed(out: Syntax) -> Syntax | None:
    """`p` of `(void **)&p`."""
    bare = uncast(out)
    inner = bare.child("argument")
    return inner if bare.kind == "pointer_expression" and bare.op == "&" else None


def written_type(place: Syntax, body: Body) -> str | None:
    """The type of a variable or member, as `T*`; nothing where several have its name."""
    if place.kind == "field_expression":
        base, name = place.child("argument"), place.child("field")
        structure = body.scope.structures.get(base.text, "") if base is not None else ""
        members = body.scope.outline.members
        found = None if name is None else members.get(f"{structure}::{name.text}") or members.get(name.text)
        return None if found is None else _plain(found)
    if place.kind != "identifier":
        return None
    found_types = {_plain(written) for written in _declared_types(place.text, body)}
    return found_types.pop() if len(found_types) == 1 else None


def _declared_types(name: str, body: Body) -> Iterator[str]:
    declarations = [node for node in body.nodes if node.kind == "declaration"]
    for declaration in (*body.function.parameters, *declarations):
        written = declaration.child("type")
        for declarator in declaration.all("declarator") if written is not None else ():
            target = declarator.child("declarator") if declarator.kind == "init_declarator" else declarator
            stars = 0
            while target is not None and target.kind == "pointer_declarator":
                stars, target = stars + 1, target.child("declarator")
            if target is not None and target.kind == "identifier" and target.text == name:
                yield written.text + "*" * stars  # type: ignore[union-attr]


def _plain(written: str) -> str:
    words = re.sub(r"\b(const|volatile|static|__restrict__|struct)\b", " ", written)
    return re.sub(r"\s*\*", "*", " ".join(words.split()))


def _value(size: Syntax, body: Body) -> Syntax:
    """What a variable was given, where it is given once."""
    values = body.scope.values.get(size.text, []) if size.kind == "identifier" else []
    return values[0] if len(values) == 1 and size.text not in body.scope.grown else size


def _too_small(size: Syntax, element: str, bytes_: int, body: Body) -> str | None:
    """A product of numbers of elements and of the size of a smaller type."""
    factors = list(factors_of(size))
    sizes = [factor for factor in factors if factor.kind == "sizeof_expression"]
    others = [factor for factor in factors if factor.kind != "sizeof_expression"]
    given = _bytes_of(sizes[0], body) if len(sizes) == 1 else None
    if given is None or given >= bytes_ or not others:
        return None
    plain = all(factor.kind in ("identifier", "field_expression") for factor in others)
    if len(others) != 1 or not plain:  # `n * 4 * sizeof(float)` holds n elements of four
        return None
    return (
        f"`{size.text}` is too small for `{others[0].text}` elements of {element}: each has {bytes_} bytes, not {given}"
    )


def _bytes_of(sizeof: Syntax, body: Body) -> int | None:
    written = sizeof.child("type")
    if written is not None:
        plain = _plain(written.text)
        return POINTER if plain.endswith("*") else bytes_of_type(plain)
    return None


def _without_element(size: Syntax, element: str, bytes_: int, counts: set[str]) -> str | None:
    """A size that the file multiplies with the size of an element elsewhere."""
    named = size.kind in ("identifier", "field_expression")
    if bytes_ == 1 or not named or key_of(size) not in counts or re.search(r"byte|size|mem", size.text, re.IGNORECASE):
        return None
    return f"`{size.text}` elements of {element} have {bytes_} bytes each: the allocation leaves them out"


def _beside_bytes(size: Syntax, element: str, bytes_: int, body: Body) -> str | None:
    """A product of several numbers where the function allocates others of this type by `sizeof`."""
    factors = list(factors_of(size))
    if bytes_ == 1 or len([factor for factor in factors if factor.kind != "number_literal"]) < SEVERAL:
        return None
    if not all(_is_count(factor, body) for factor in factors):
        return None
    if any(factor.text.isdigit() and int(factor.text) >= bytes_ for factor in factors):
        return None  # `w * h * 4`: the bytes of each, or its members
    multiplied = rf"alloc\w*\s*\([^;]*sizeof\s*\(\s*{re.escape(element)}\s*\)"
    if re.search(multiplied, body.function.body.text, re.IGNORECASE) is None:
        return None
    return f"`{' '.join(size.text.split())[:60]}` elements of {element} have more bytes than that: `sizeof` is left out"


def _is_count(factor: Syntax, body: Body) -> bool:
    """A number, or a name, or a sum of such, of which nothing says that it counts bytes."""
    leaves = [node for node in factor.walk() if node.kind in ("identifier", "field_expression")]
    values = [value.text for leaf in leaves for value in body.scope.values.get(leaf.text, ())]
    plain = not any(node.kind in ("call_expression", "sizeof_expression") for node in factor.walk())
    return plain and not any(_BYTES.search(text) for text in (factor.text, *values))


def _counted(node: Syntax) -> Iterator[str]:
    """`n` of `n * sizeof(float)`: the only factor beside the size of an element."""
    factors = list(factors_of(node))
    if node.op == "*" and len(factors) == 2:
        first, second = factors
        for one, other in ((first, second), (second, first)):
            if one.kind == "sizeof_expression" and other.kind in ("identifier", "field_expression"):
                yield key_of(other)


def factors_of(node: Syntax) -> Iterator[Syntax]:
    node = uncast(node)
    left, right = node.child("left"), node.child("right")
    if node.kind == "binary_expression" and node.op == "*" and left is not None and right is not None:
        yield from factors_of(left)
        yield from factors_of(right)
    else:
        yield node
