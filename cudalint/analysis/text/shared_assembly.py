"""What inline assembly and the wrappers around it do with shared memory: addresses made, elements moved, threads ordered.

unsigned at = __cvta_generic_to_shared(&tile[i]);               // `at` is the address of tile[i]
asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, ...}, [%4];" : "=r"(a) : "r"(at));      // and is read there

Instructions of the PTX ISA: `ldmatrix`, `ld`, `st`, `stmatrix`, `cp.async`, `red`, `atom`. What warps do together
(`mma.sync`, `ldmatrix.sync`) and waits for a thread's own copies (`cp.async.wait_group`) order no other threads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.ir.syntax import Syntax

_ORDER = re.compile(r"bar\b|bar\.|barrier|fence|wait|\bsync|membar|griddep", re.IGNORECASE)
_OF_ONE = re.compile(r"cp\.async\.wait_(group|all)[^;]*|cp\.async\.(commit_group|bulk\.(commit|wait)_group)[^;]*")
_OF_WARP = re.compile(
    r"\b(mma|wgmma|ldmatrix|stmatrix|movmatrix|shfl|vote|match|redux|elect)\.[\w.:]*|bar\.warp\.sync[^;]*"
)
_TO_SHARED = re.compile(r"\bcvta\.to\.shared\b")
_MOVE = re.compile(
    r"\b(?:(?P<read>ldmatrix|ld\.(?:volatile\.)?shared)|(?P<write>stmatrix|st\.(?:volatile\.)?shared|cp\.async\.c[ag]\.shared)"
    r"|(?P<atomic>(?:red|atom)\.(?:\w+\.)*shared))[^\[;]*\[\s*%(?P<operand>\d+)\s*(?P<offset>\+[^\]]*)?\]"
)
_MADE = re.compile(
    r"^(::)?(\w+::)*(__cvta_generic_to_shared|\w*(cvta|smem|shared)\w*_(to|u32|uint32?|addr(ess)?|ptr)\w*)$"
)
_ASYNC_COPY = re.compile(
    r"^(?!\w*(wait|commit|fence|arrive|bulk|tma))(__pipeline_)?(\w+_)?(cp_?async|memcpy_async)\w*$", re.IGNORECASE
)
_ASYNC_WAIT = re.compile(
    r"^(\w+_)?(cp_?async|__pipeline)\w*(wait|commit|fence)\w*$|^(__pipeline_(commit|wait_prior))$", re.IGNORECASE
)
_TEMPLATE = re.compile(r"<.*>", re.DOTALL)
_FRAGMENT = re.compile(
    r"^(?P<write>store_matrix_sync)$|^(?P<read>load_matrix_sync|\w*ldmatrix\w*|ldsm\w*)$", re.IGNORECASE
)


def ordered(node: Syntax) -> str:
    """`block` where the assembly orders threads of the block or may, `warp` where it does those of a warp alone, else nothing."""
    text = _OF_ONE.sub("", node.text)
    alone = _OF_WARP.sub("", text)
    return "block" if _ORDER.search(alone) else "warp" if alone != text else ""


def converted(node: Syntax) -> tuple[str, Syntax] | None:
    """(name, pointer) of assembly that sets a variable to the shared address of a pointer."""
    operands = _operands(node)
    if not _TO_SHARED.search(node.text) or len(operands) != 2 or operands[0].kind != "identifier":
        return None
    return operands[0].text, operands[1]


def made_address(value: Syntax) -> Syntax | None:
    """The pointer that a call makes a shared address of, through casts."""
    while value.kind in ("cast_expression", "call_expression"):
        callee, arguments = value.child("function"), value.child("arguments")
        if value.kind == "cast_expression":
            inner = value.child("value")
        else:
            given = () if arguments is None else arguments.children
            inner = given[0] if len(given) == 1 else None
            if callee is not None and inner is not None and _MADE.match(callee.text.strip()):
                return inner
            if callee is None or "_cast" not in callee.text:
                return None
        if inner is None:
            return None
        value = inner
    return None


def moved(node: Syntax) -> Iterator[tuple[str, Syntax]]:
    """(kind of access, address) of the shared elements that assembly names without an offset of its own."""
    operands = _operands(node)
    code = node.child("assembly_code")
    for found in _MOVE.finditer("" if code is None else code.text):
        place = int(found["operand"])
        if place < len(operands) and not found["offset"]:
            yield next(kind for kind in ("read", "write", "atomic") if found[kind]), operands[place]


def _operands(node: Syntax) -> list[Syntax]:
    lists = [part for name in ("output_operands", "input_operands") for part in node.all(name)]
    values = [operand.child("value") for part in lists for operand in part.children]
    return [value for value in values if value is not None]


def wrapped(name: str, arguments: tuple[Syntax, ...]) -> tuple[str, Syntax] | None:
    """(kind of access, pointer) of a call that moves fragments of a matrix, or copies from global to shared memory."""
    if _ASYNC_COPY.match(name) and arguments:
        return "write", arguments[0]
    found = _FRAGMENT.match(name)
    if found is None or len(arguments) < 2:
        return None
    return ("write", arguments[0]) if found["write"] else ("read", arguments[1])


def is_async_copy(node: Syntax) -> bool:
    """A call or assembly that starts a copy from global to shared memory."""
    if node.kind == "gnu_asm_expression":
        return "cp.async.c" in node.text
    callee = node.child("function") if node.kind == "call_expression" else None
    name = "" if callee is None else _TEMPLATE.sub("", callee.text).strip()
    return _ASYNC_COPY.match(name.replace("::", "_")) is not None


def orders_itself(name: str) -> bool:
    """`cp_async_wait_group<1>()`, `__pipeline_commit()`: a thread waits for its own copies, others go on."""
    return _ASYNC_WAIT.match(_TEMPLATE.sub("", name).replace("::", "_")) is not None
