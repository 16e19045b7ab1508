"""Classes and functions of a file that make memory on the device and leave it without values.

    template <class T> struct Buffer { explicit Buffer(size_t n) { cudaMalloc(&data, n * sizeof(T)); } ... };
    float *make(size_t n) { float *p;  cudaMalloc(&p, n * sizeof(float));  return p; }

Whatever they call is looked at: a function that is not known may set the memory.
"""

from __future__ import annotations

import re

from cudalint.analysis.text.text_program import Program
from cudalint.ir.syntax import Syntax, TextFunction

_ALLOCATES = re.compile(r"^(cuda|hip)Malloc(Async|Managed)?$")
_HARMLESS = re.compile(
    r"^([A-Z0-9_]*(CHECK|CALL|ASSERT|TRY|SAFE|ERR|VERIFY|REQUIRE)[A-Z0-9_]*|CUDA|HIP|\w*[cC]heck\w*|\w+_cast|sizeof|\w*(error|exception|argument|bad_alloc)|f?printf|exit|abort|assert|move|max|min"
    r"|(cuda|hip)(GetLastError|GetErrorString|GetErrorName|[GS]etDevice|StreamSynchronize|DeviceSynchronize|Free(Async)?))$"
)
_STATUS = re.compile(r"(cuda|hip)Error_t|CUresult|hipError_t")
_SETS = re.compile(r"[mM]emset|[fF]ill|[zZ]ero|<<<")
_MAKES_ONE = re.compile(r"^(?:std::)?make_(?:unique|shared)<(.*)>$", re.DOTALL)


def makes_unset(callee: Syntax, arguments: Syntax, program: Program) -> bool:
    """`make<float>(n)`, `Buffer<float>(n)` and `std::make_unique<Buffer<float>>(n)` of the file."""
    written = callee.text.strip()
    made = _MAKES_ONE.match(written)
    name, count = plain(made[1] if made is not None else written), len(arguments.children)
    functions = [f for f in program.outline.functions if f.name == name and f.role == "host"]
    if made is not None or is_class(name, program):
        return is_unset_class(name, count, program)
    if len(functions) != 1 or "::" in written or not _allocates_only(functions[0], program):
        return False
    return any(node.kind == "return_statement" and node.children for node in functions[0].body.walk())


def is_unset_class(name: str, count: int, program: Program) -> bool:
    """Its only constructor of so many arguments allocates, and calls nothing that may set the memory."""
    if not is_class(name, program):
        return False
    own = [f for f in program.outline.functions if f.name == name and f.role == "host" and f.parameters]
    fitting = [f for f in own if len(f.parameters) == count]
    return len(fitting) == 1 and _allocates_only(fitting[0], program) and not _sets_when_asked(program)


def _sets_when_asked(program: Program) -> bool:
    """`T *data() { if (!ready) cudaMemset(p, 0, bytes); return p; }`"""
    hosts = (f for f in program.outline.functions if f.role == "host" and not f.parameters)
    return any(_SETS.search(f.body.text) and re.search(r"\breturn\b\s*[^;\s]", f.body.text) for f in hosts)


def is_class(name: str, program: Program) -> bool:
    """The file has one class of this name, and defines it."""
    return (
        bool(name)
        and len(re.findall(rf"\b(?:class|struct)\s+{re.escape(name)}\b[^;<>(){{}}]*\{{", _text(program))) == 1
    )


def plain(written: str) -> str:
    """The name without namespaces and template arguments."""
    return written.partition("<")[0].rpartition("::")[2].strip()


def _text(program: Program) -> str:
    return program.outline.root.file.text


def _allocates_only(function: TextFunction, program: Program) -> bool:
    allocates = False
    for node in function.body.walk():
        callee = node.child("function") if node.kind == "call_expression" else None
        if node.kind in ("kernel_call_syntax", "lambda_expression", "ERROR", "for_statement", "while_statement"):
            return False
        if callee is None:
            continue
        name = plain(callee.text)
        allocates = allocates or _ALLOCATES.match(name) is not None
        known = _ALLOCATES.match(name) or _HARMLESS.match(name) or name == plain(function.result)
        if not known and not _checks_only(name, program):
            return False
    return allocates


def _checks_only(name: str, program: Program) -> bool:
    """A function of the file that is handed the result of a call, and with it no memory."""
    own = [f for f in program.outline.functions if plain(f.name) == name]
    taken = own[0].parameters[0].child("type") if len(own) == 1 and own[0].parameters else None
    others = "".join(parameter.text for parameter in own[0].parameters[1:]) if own else ""
    return (
        taken is not None
        and _STATUS.fullmatch(taken.text) is not None
        and "*" not in others.replace("const char *", "")
    )
