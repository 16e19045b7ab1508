"""Sums and prefix sums by functions of thrust, std and cub, with the types that they begin with, take and give.

thrust::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin());      adds up in the type of the lengths
thrust::reduce(x.begin(), x.end(), 0);                                        adds up in int

Without a value to begin with, they add up in the type of what they take: since thrust 1.10 also where a prefix sum goes to memory
of another type (wg21.link/P0571). With one, its type is that of the sum.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.memory.container_sizes import element_of
from cudalint.analysis.text.guard_patterns import bodies
from cudalint.analysis.text.methods import CLASSES
from cudalint.analysis.text.scopes import uncast
from cudalint.analysis.text.text_program import Body, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction

_SCANS = re.compile(r"(::)?(thrust|std)::(ex|in)clusive_scan")
_SUMS = re.compile(r"(::)?(thrust::reduce|std::(reduce|accumulate))")
_TRANSFORMS = re.compile(r"(::)?(thrust|std)::transform_reduce")
_POLICY = re.compile(r"(thrust|std)::(\w+::)*(device|host|par|cuda)\b")
_FUNCTOR = re.compile(r"(\w+)(?:\(.*\)|\{.*\})")
_GIVES = re.compile(r"([\w:]+)\s+operator\s*\(\s*\)\s*\(")
_OF_CUB = re.compile(r"(::)?cub::DeviceScan::(Exclusive|Inclusive)Sum")
_PLUS = re.compile(r"\bplus\s*<")
_BEGIN = re.compile(r"((?:\w+(?:\.|->))*\w+)(?:\.|->)c?(?:begin|data)\(\)(?:\.get\(\))?")
_END = re.compile(r"((?:\w+(?:\.|->))*\w+)(?:\.|->)c?end\(\)")
_CAST = re.compile(
    r"(?:thrust::)?(?:device_pointer_cast|raw_pointer_cast)\((.*)\)|(?:thrust::)?device_ptr<.*?>[({](.*)[)}]"
)
_POINTER = re.compile(r"(?:thrust::)?device_ptr<\s*(?:const\s+)?([^<>]+?)\s*>")
_NUMBER = re.compile(r"[-+]?(\d+)([uU]?)([lL]*)([uU]?)")
_REAL = re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+)(e[-+]?\d+)?([fF]?)", re.IGNORECASE)
_MADE = re.compile(r"(?:static_cast<\s*([\w: ]+?)\s*>\(.*\)|([A-Za-z_][\w:]*)[({].*[)}]|\(([\w: ]+)\)\s*[\w.]+)")
_DEEPEST = 3


@dataclass(frozen=True, slots=True)
class DeviceSum:
    """`source` is the type of the elements, `initial` that of the value to begin with, `result` what the sum goes to.

    They are empty where they are not known; `begins` is the value to begin with, if there is one, and `name` the
    variable whose elements are summed up.
    """

    function: TextFunction
    node: Syntax
    source: str
    initial: str
    result: str
    begins: Syntax | None
    scans: bool
    name: str = ""


def device_sums(outline: Outline) -> Iterator[DeviceSum]:
    """Every such call of host code whose elements have a known type."""
    if re.search(r"_scan|reduce|accumulate|DeviceScan", outline.root.text) is None:
        return
    for body in bodies(program_of(outline), ("host",)):
        for node in body.nodes:
            callee, arguments = node.child("function"), node.child("arguments")
            if node.kind == "call_expression" and callee is not None and arguments is not None:
                found = _sum(node, callee.bare, arguments.children, body)
                if found is not None and found.source:
                    yield found


def _sum(node: Syntax, name: str, given: tuple[Syntax, ...], body: Body) -> DeviceSum | None:
    if _OF_CUB.fullmatch(name):
        if len(given) < 5:
            return None
        source, result = (_element(given[place], node, body) for place in (2, 3))
        return DeviceSum(body.function, node, source, "", result, None, True, _name(given[2]))
    if _TRANSFORMS.fullmatch(name):
        return _transformed(node, given, body)
    scans = _SCANS.fullmatch(name) is not None
    if not scans and _SUMS.fullmatch(name) is None:
        return None
    first = next((at for at in range(min(2, len(given) - 1)) if _is_range(given[at], given[at + 1])), None)
    if first is None:
        return None
    rest = given[first + 3 :] if scans else given[first + 2 :]
    if (scans and len(given) <= first + 2) or any(not _PLUS.search(each.text) for each in rest[1:]):
        return None
    if rest and _PLUS.search(rest[0].text):
        return None  # an inclusive scan with its operation: what it adds up in depends on that
    result = _element(given[first + 2], node, body) if scans else _assigned(node, body)
    initial = _type_of(rest[0], body) if rest else ""
    source = _element(given[first], node, body)
    return DeviceSum(
        body.function, node, source, initial, result, rest[0] if rest else None, scans, _name(given[first])
    )


def _transformed(node: Syntax, given: tuple[Syntax, ...], body: Body) -> DeviceSum | None:
    """`transform_reduce(first, last, Square(), 0, plus<>())` takes what the operation gives, if a class of the file says it."""
    given = given[1:] if given and _POLICY.match(given[0].bare) else given
    made = _FUNCTOR.fullmatch(given[2].bare) if len(given) == 5 and _PLUS.search(given[4].text) else None
    operation = made[1] if made is not None else ""
    classes = (c for c in body.scope.outline.root.walk() if operation and c.kind in CLASSES)
    owner = next((c for c in classes if (title := c.child("name")) is not None and title.text == operation), None)
    gives = None if owner is None else _GIVES.search(owner.text)
    if gives is None:
        return None
    source, initial = _plain(gives[1], body), _type_of(given[3], body)
    return DeviceSum(body.function, node, source, initial, _assigned(node, body), given[3], False)


def _is_range(first: Syntax, last: Syntax) -> bool:
    """`x.begin(), x.end()`, `x, x + n`, and either in a cast to a device pointer."""
    one, other = _uncasted(first.bare), _uncasted(last.bare)
    begin, end = _BEGIN.fullmatch(one), _END.fullmatch(other)
    same = begin is not None and end is not None and begin[1] == end[1]
    return same or other.startswith(f"{one}+") or last.bare.startswith(f"{first.bare}+")


def _name(iterator: Syntax) -> str:
    """`keep` of `keep.begin()`, and of a pointer with that name."""
    bare = _uncasted(uncast(iterator).bare)
    begin, plain = _BEGIN.fullmatch(bare), re.match(r"\w+", bare)
    return begin[1] if begin is not None else plain[0] if plain is not None else ""


def _uncasted(bare: str) -> str:
    match = _CAST.fullmatch(bare)
    return bare if match is None else match[1] or match[2]


def _element(iterator: Syntax, call: Syntax, body: Body, depth: int = 0) -> str:
    """The type of what an iterator, or a pointer, leads to."""
    node = iterator
    while node.kind == "binary_expression" and node.op == "+" and node.children:
        node = node.children[0]
    bare = _uncasted(uncast(node).bare)
    begin = _BEGIN.fullmatch(bare)
    if begin is not None:
        return _plain(element_of(begin[1], call, body), body)
    if re.fullmatch(r"\w+", bare) is None or depth > _DEEPEST:
        return ""
    written = _written(bare, body)
    pointer = _POINTER.fullmatch(written)
    if pointer is not None or written.endswith("*"):
        return _plain(pointer[1] if pointer is not None else written[:-1], body)
    values = body.scope.values.get(bare, [])
    return _element(values[0], call, body, depth + 1) if written == "auto" and len(values) == 1 else ""


def _written(name: str, body: Body) -> str:
    """How a variable of the function is declared."""
    found = set[str]()
    for node in (*body.function.parameters, *body.nodes):
        written = node.child("type") if node.kind in ("declaration", "parameter_declaration") else None
        for declarator in node.all("declarator") if written is not None else ():
            target = declarator.child("declarator") if declarator.kind == "init_declarator" else declarator
            stars = 0
            while target is not None and target.kind == "pointer_declarator":
                stars, target = stars + 1, target.child("declarator")
            named = target is not None and target.text == name
            if target is not None and target.kind == "function_declarator":  # `device_ptr<T> p(raw)`
                named = (inner := target.child("declarator")) is not None and inner.text == name
            if named and written is not None:
                found.add(written.bare.removeprefix("const") + "*" * stars if stars else written.text)
    return found.pop() if len(found) == 1 else ""


def _plain(written: str, body: Body) -> str:
    written = " ".join(re.sub(r"\bconst\b|\bstd::(?=u?int)|\bstd::(?=size_t)", " ", written).split())
    return body.scope.outline.types.get(written, written)


def _type_of(value: Syntax, body: Body) -> str:
    """The type of a value to begin with; empty where the text does not say it."""
    bare = value.text.strip()
    number, real, made = _NUMBER.fullmatch(bare), _REAL.fullmatch(bare), _MADE.fullmatch(bare)
    if number is not None:
        wide = "long long" if number[3] else "int"
        return f"unsigned {wide}" if number[2] or number[4] else wide
    if real is not None:
        return "float" if real[3] else "double"
    if made is not None:
        return _plain(next(part for part in made.groups() if part), body)
    return _plain(_written(bare, body), body) if value.kind == "identifier" else ""


def _assigned(call: Syntax, body: Body) -> str:
    """The type of the variable that alone gets the sum, through casts and checks of no kind."""
    parent = body.parents.get(id(call))
    if parent is None:
        return ""
    if parent.kind == "init_declarator" and (name := parent.child("declarator")) is not None:
        return _plain(_written(name.text, body), body)
    if parent.kind == "assignment_expression" and parent.op in ("=", "+="):
        left = parent.child("left")
        named = left is not None and left.kind == "identifier"
        return _plain(_written(left.text, body), body) if named and left is not None else ""
    return _plain(body.function.result, body) if parent.kind == "return_statement" else ""
