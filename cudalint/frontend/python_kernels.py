"""The kernels that CuPy and PyCUDA write around an expression: the loop, the elements, and what the library promises.

    ElementwiseKernel("T x, raw T t", "T y", "y = x + t[i % 4]", "f")
    extern "C" __global__ void f(const T *_raw_x, const T *t, T *_raw_y, long long n) { for (i ...) { ... } }

The frame has CuPy's documented meaning (one iteration an element, `i` its index, `n` the number of elements); the
expression keeps its places in the Python file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from cudalint.frontend.python_text import NOWHERE, Text, joined, synthetic

TYPES = {
    **{f"int{bits}": name for bits, name in ((8, "signed char"), (16, "short"), (32, "int"), (64, "long long"))},
    **{
        f"uint{bits}": f"unsigned {name}" for bits, name in ((8, "char"), (16, "short"), (32, "int"), (64, "long long"))
    },
    "float16": "__half",
    "float32": "float",
    "float64": "double",
    "bool": "bool",
    "bool_": "bool",
    "intp": "long long",
    "int_": "long",
    "uint": "unsigned long",
    "float": "double",
    "int": "long",
    "complex64": "float2",
    "complex128": "double2",
}
GENERIC = "float"
INDEX = "long long"
UNRAW, SIZE_OF = (
    "_raw_",
    "_size_",
)  # what arrays of which the expression sees one element are called, and sizes of others
THREADS = 128

_PARAMETER = re.compile(r"\s*(?P<flags>(?:(?:raw|const|_non_const)\s+)*)(?P<type>[\w:<>\s*]+?)\s*(?P<name>\w+)\s*\Z")
_OWN_N = re.compile(r"\b(?!return\b)\w+[\s*&]+n\s*[={;]")  # declared by the operation itself


@dataclass(frozen=True, slots=True)
class _Parameter:
    raw: bool
    type: str
    name: str


@dataclass(frozen=True, slots=True)
class Around:
    """What a call states beside the expression: before everything, before the loop, after the loop."""

    preamble: Text
    before: Text
    after: Text


def elementwise(ins: Text, outs: Text, operation: Text, name: Text, around: Around) -> Text:
    """CuPy's ElementwiseKernel."""
    inputs, outputs = _parameters(ins.chars), _parameters(outs.chars)
    everything = [*inputs, *outputs]
    sizes = _sizes(everything, operation.chars + around.before.chars)
    taken = any(p.name == "n" for p in everything) or _OWN_N.search(operation.chars + ";" + around.before.chars)
    count = "_n" if taken else "n"
    operation, before, after = (_measured(t, sizes, count) for t in (operation, around.before, around.after))
    body = [
        synthetic(f"    {_reference(p, 'const ' if p in inputs else '')}\n", _at(operation))
        for p in everything
        if not p.raw
    ]
    return joined([
        _generic_types(everything, operation), around.preamble, _promises(everything, count, sizes),
        _head(name, inputs, outputs, ", ".join([count, *(f"{INDEX} {s}" for s in sizes.values())])),
        before, synthetic(f";\n  for ({INDEX} i = {_first()}; i < {count}; i += {_stride()}) {{\n", _at(operation)),
        *body, operation, synthetic(";\n  }\n", _at(operation, -1)), after, synthetic(";\n}\n", _at(operation, -1)),
    ])  # fmt: skip


def reduction(
    ins: Text, outs: Text, steps: tuple[Text, Text, Text], identity: Text, name: Text, preamble: Text
) -> Text:
    """CuPy's ReductionKernel (map, reduce, post-map), one output element a thread: the order of the sums is not CuPy's."""
    mapping, reduce, post = steps
    inputs, outputs = _parameters(ins.chars), _parameters(outs.chars)
    everything = [*inputs, *outputs]
    mapping, post = (_measured(text, {}, "n") for text in (mapping, post))
    kind = _c_type(outputs[0].type) if outputs else GENERIC
    at = _at(mapping)
    elements = [synthetic(f"      {_reference(p, 'const ', '_j')}\n", at) for p in inputs if not p.raw]
    results = [synthetic(f"    {_reference(p, '')}\n", at) for p in outputs if not p.raw]
    start = identity if identity.chars.strip() else synthetic("0", at)
    return joined([
        _generic_types(everything, mapping), preamble,
        _promises(inputs, "_in_size"), _promises(outputs, "n"), _head(name, inputs, outputs, f"_in_size, {INDEX} n"),
        synthetic(f"  for ({INDEX} i = {_first()}; i < n; i += {_stride()}) {{\n    {kind} _sum = {kind}(", at),
        start, synthetic(f");\n    for ({INDEX} _j = i; _j < _in_size; _j += n) {{\n", at), *elements,
        synthetic(f"      {kind} a = _sum;\n      {kind} b = (", at), mapping, synthetic(");\n      _sum = (", at),
        reduce, synthetic(");\n    }\n", at), *results, synthetic(f"    {kind} a = _sum;\n    ", at), post,
        synthetic(";\n  }\n}\n", _at(post, -1)),
    ])  # fmt: skip


def pycuda_elementwise(arguments: Text, operation: Text, name: Text, preamble: Text) -> Text:
    """PyCUDA's ElementwiseKernel: C arguments, all vectors as long as the first."""
    pointers = re.findall(r"\*\s*(?:__restrict__\s+)?(\w+)", arguments.chars)
    facts = "".join(f"// cudalint: extent({p}) = n\n" for p in pointers)
    at = _at(operation)
    return joined([
        preamble, synthetic("\n" + facts + _launch("n"), at), synthetic('extern "C" __global__ void ', at), name,
        synthetic("(", at), arguments,
        synthetic(f", {INDEX} n) {{\n  for ({INDEX} i = {_first()}; i < n; i += {_stride()}) {{\n    ", at), operation,
        synthetic(";\n  }\n}\n", _at(operation, -1)),
    ])  # fmt: skip


def identifier(name: Text) -> Text:
    """The characters of a name that C++ takes."""
    kept = [i for i, char in enumerate(name.chars) if char == "_" or (char.isascii() and char.isalnum())]
    return Text("".join(name.chars[i] for i in kept), tuple(name.at[i] for i in kept))


def _parameters(text: str) -> list[_Parameter]:
    found = []
    for piece in text.split(","):
        match = _PARAMETER.match(piece)
        if match is not None:
            found.append(_Parameter("raw" in match["flags"].split(), match["type"].strip(), match["name"]))
    return found


def _c_type(name: str) -> str:
    return TYPES.get(name.removeprefix("numpy.").removeprefix("np."), name)


def _generic_types(parameters: list[_Parameter], operation: Text) -> Text:
    """One typedef for each type variable, integers where their values index something."""
    names = dict.fromkeys(p.type for p in parameters if p.type not in TYPES and re.fullmatch(r"[A-Z]\w*", p.type))
    indexing = {p.type for p in parameters if re.search(rf"\[[^\]]*\b{p.name}\b", operation.chars)}
    made = (f"typedef {'int' if name in indexing or name in 'IJK' else GENERIC} {name};\n" for name in names)
    return synthetic("\n" + "".join(made), _at(operation))


def _promises(parameters: list[_Parameter], size: str, sizes: Mapping[str, str] = MappingProxyType({})) -> Text:
    facts = "".join(f"// cudalint: extent(_raw_{p.name}) = {size}\n" for p in parameters if not p.raw)
    facts += "".join(f"// cudalint: extent({name}) = {given}\n" for name, given in sizes.items())
    return synthetic("\n" + facts + (_launch(size) if size != "_in_size" else ""))


def _sizes(parameters: list[_Parameter], text: str) -> dict[str, str]:
    """Raw arrays whose `size()` is asked for, and the parameter that holds it."""
    return {p.name: f"{SIZE_OF}{p.name}" for p in parameters if p.raw and re.search(rf"\b{p.name}\.size\(\)", text)}


def _measured(text: Text, sizes: Mapping[str, str], count: str) -> Text:
    """CuPy's indexers and the sizes of its arrays by plain names."""
    for asked, name in (("_in_ind.size()", "_in_size"), ("_out_ind.size()", count), ("_ind.size()", count)):
        text = _named(text, asked, name)
    for array, name in sizes.items():
        text = _named(text, f"{array}.size()", name)
    return text


def _named(text: Text, old: str, new: str) -> Text:
    at = text.chars.find(old)
    return text if at < 0 else text.replaced(old, synthetic(new, text.at[at]))


def _launch(size: str) -> str:
    return f"// cudalint: assume {size} > 0; launch grid=(ceil_div({size}, {THREADS})) block=({THREADS})\n"


def _head(name: Text, inputs: list[_Parameter], outputs: list[_Parameter], size: str) -> Text:
    shown = [f"const {_c_type(p.type)} *{_pointer(p)}" for p in inputs]
    shown += [f"{_c_type(p.type)} *{_pointer(p)}" for p in outputs]
    parameters = ", ".join([*shown, f"{INDEX} {size}"])
    at = _at(name)
    return joined([synthetic('extern "C" __global__ void ', at), name, synthetic(f"({parameters}) {{\n", at)])


def _pointer(parameter: _Parameter) -> str:
    return parameter.name if parameter.raw else f"{UNRAW}{parameter.name}"


def _reference(parameter: _Parameter, constness: str, index: str = "i") -> str:
    return f"{constness}{_c_type(parameter.type)} &{parameter.name} = _raw_{parameter.name}[{index}];"


def _first() -> str:
    return f"({INDEX})blockIdx.x * blockDim.x + threadIdx.x"


def _stride() -> str:
    return f"({INDEX})blockDim.x * gridDim.x"


def _at(text: Text, index: int = 0) -> int:
    return text.at[index] if text.at else NOWHERE
