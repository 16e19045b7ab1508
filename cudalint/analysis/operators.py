"""Functions of C++ that Python calls: operators of torch, functions of pybind11 modules, exports of TVM FFI. Read from the text.

m.def("scale(Tensor! out, Tensor x) -> ()");  m.impl("scale", torch::kCUDA, &scale);        torch.ops.ns.scale(out, x)
PYBIND11_MODULE(ext, m) { m.def("scale", &scale); }                                         ext.scale(out, x)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, ns::scale);                                            get_module().scale(out, x)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from cudalint.analysis.operator_schema import Schema, closing, read_schema, split

ANY_MODULE = "TORCH_EXTENSION_NAME"  # the build chooses the module's name
DECLARED = "declared_"  # begins the names of functions that hold what a project declares of its operators
DECLARED_IN_C = "declared_in_c_"  # of those that only call the function of C++ that says it
_REGISTERING = (b"TORCH_LIBRARY", b"PYBIND11_MODULE", b"NB_MODULE", b"TVM_FFI_DLL_EXPORT", b".def(", b".impl(")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|(\"(?:\\.|[^\"\\\n])*\")", re.DOTALL)
_BLOCK = re.compile(r"(TORCH_LIBRARY\w*|PYBIND11_MODULE|NB_MODULE)\s*\(")
_CALL = re.compile(r"(?:(?<=\w)|(?<=\w\s))(?:\.|->)\s*(def|impl)\s*\(")
_CHAINED = re.compile(r"\s*\.\s*(def|impl)\s*\(")
_EXPORT = re.compile(r"\bTVM_FFI_DLL_EXPORT\w*\s*\(")
_LITERAL = re.compile(r"\"((?:\\.|[^\"\\])*)\"|R\"(\w*)\((.*?)\)\2\"", re.DOTALL)
_FUNCTION = re.compile(r"&?\s*(?:::)?((?:\w+::)*(\w+))\s*(?:<[^<>]*>)?")
_MACRO = re.compile(
    r"\b(?P<macro>(?:[A-Z][A-Z0-9_]*)?DISPATCH[A-Z0-9_]*)\s*\(\s*(?:(?P<key>\w+)\s*,\s*)?"
    r"\"(?P<name>\w+)\"\s*,\s*(?P<function>[\w:&<>() ]+)\)\s*;"
)
_MACRO_KEYS = ("Autograd", "CUDA", "CPU", "Meta")
_WRAPPED = re.compile(r"(?:TORCH_FN|TORCH_BOX|TORCH_FN_TYPE|\w+)\s*[(<](.*)[)>](?:\(\))?", re.DOTALL)
_KEY = re.compile(
    r"(?:\w+::)*k?(CUDA|CPU|Meta|PrivateUse1|HIP|XPU|MPS|Autograd\w*|Composite\w*|Autocast\w*|QuantizedC\w+|Sparse\w*)\b"
)
_ON_DEVICE = frozenset(("", "CUDA", "CompositeExplicitAutograd", "CompositeImplicitAutograd", "QuantizedCUDA"))
_BEFORE = ("Autograd", "Autocast")  # what the dispatcher calls before the function of a device
_DEFINITION = re.compile(
    r"(?P<result>(?:^|[;{}>\s])(?:[A-Za-z_][\w:]*(?:<[^;{}()]*>)?[\s&*]+)+?)(?P<name>[A-Za-z_]\w*)\s*\("
    r"(?P<parameters>(?:[^(){};]|\([^(){};]*\)|\{[^(){};]*\})*)\)\s*(?:noexcept\s*)?\{"
)
_STATEMENTS = frozenset(("if", "for", "while", "switch", "return", "catch", "sizeof", "else", "do", "new", "defined"))


@dataclass(frozen=True, slots=True)
class Parameter:
    type: str
    name: str
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Prototype:
    """A function of C++ as its definition writes it."""

    result: str
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True, slots=True)
class Operator:
    """What Python calls by `name`: of torch's operators in a `space`, of a module of C++ by the `module`'s name ("" where unknown).

    `function` is the one that runs on the device, "" where only the schema is known, `declaring` the one that says what it
    takes and gives without doing it (a meta kernel); `names` are what Python calls its arguments and their defaults, where the
    registration says so.
    """

    name: str
    space: str = ""
    module: str = ""
    function: str = ""
    schema: Schema | None = None
    names: tuple[tuple[str, str | None], ...] = ()
    line: int = 0
    declaring: str = ""
    places: tuple[tuple[str, int], ...] = ()  # paths and lines of the schema


@dataclass(frozen=True, slots=True)
class Written:
    """An argument that the schema of an operator says is written: `place` of `count` parameters of the function."""

    function: str
    place: int
    count: int
    text: str
    path: str
    line: int


def written_by(operators: Iterable[Operator], near: str) -> tuple[Written, ...]:
    """`Tensor! out`, `Tensor(a!) out`; of a schema that several files have, in the one at hand."""
    found = dict[Written, None]()
    for operator in operators:
        arguments = operator.schema.arguments if operator.schema is not None and operator.function else ()
        path, line = min(operator.places, key=lambda each: (each[0] != near, each), default=("", 0))
        for place, argument in enumerate(arguments):
            if argument.written:
                text = f"{operator.space}::{operator.name} writes `{argument.name}`"
                each = Written(operator.function, place, len(arguments), text, path, line)
                found[each] = None
    return tuple(found)


@dataclass(slots=True)
class _Registered:
    key: str
    function: str


@dataclass(slots=True)
class _Torch:
    schemas: list[tuple[Schema, int, str]] = field(default_factory=list)
    functions: list[_Registered] = field(default_factory=list)


def registers(text: bytes) -> bool:
    """Whether a text may register anything."""
    return any(word in text for word in _REGISTERING)


def registered(texts: Mapping[str, str]) -> list[tuple[Operator, str]]:
    """The operators that texts of C++ register, with the path of the text, "" where several speak of one.

    An operator with several functions for a device is left out.
    """
    torch: dict[tuple[str, str], _Torch] = {}
    others: dict[tuple[Operator, str], None] = {}
    by_macro: list[tuple[str, _Registered]] = []
    for path, written in texts.items():
        text = _plain(written)
        for call in _calls(text):
            if call.kind == "torch":
                _note_torch(call, path, torch)
            elif (operator := _of_module(call)) is not None:
                others[operator, path] = None
        others |= {(operator, path): None for operator in _exported(text)}
        by_macro += _by_macro(text)
    for name, by_key in by_macro:
        named = [parts for (_, known), parts in torch.items() if known == name and parts.schemas]
        if len(named) == 1:
            named[0].functions.append(by_key)
    found = [
        (each, "") for (space, name), parts in torch.items() if (each := _of_torch(space, name, parts)) is not None
    ]
    return sorted(
        (*found, *others), key=lambda each: (each[0].space, each[0].name, each[0].module, each[0].function, each[1])
    )


def with_module(operator: Operator, names: Iterable[str]) -> tuple[Operator, ...]:
    """The operator in each of the modules that a build makes of its file."""
    if operator.module != ANY_MODULE:
        return (operator,)
    given = sorted(set(names))
    return tuple(replace(operator, module=name) for name in given) or (replace(operator, module=""),)


def prototypes(texts: Iterable[str]) -> dict[str, Prototype]:
    """The functions that the texts define, by their last name; those of which there are several kinds are left out."""
    found: dict[str, set[Prototype]] = {}
    for text in map(_plain, texts):
        for match in _DEFINITION.finditer(text):
            name = match["name"]
            if name not in _STATEMENTS:
                parameters = tuple(_parameter(part) for part in split(match["parameters"]) if part != "void")
                found.setdefault(name, set()).add(
                    Prototype(" ".join(match["result"].split()).lstrip(";{}> "), parameters)
                )
    return {name: next(iter(kinds)) for name, kinds in sorted(found.items()) if len(kinds) == 1}


# --- registrations -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Call:
    """`m.def(...)` or `m.impl(...)`: of what, in which block, with which arguments."""

    kind: str  # "torch" or "module"
    owner: str  # the namespace of operators, or the name of the module
    key: str
    method: str
    arguments: tuple[str, ...]
    line: int


def _plain(text: str) -> str:
    """The text without its comments, each character where it was."""
    return _COMMENT.sub(lambda found: found[0] if found[1] else re.sub(r"[^\n]", " ", found[0]), text)


def _calls(text: str) -> Iterator[_Call]:
    blocks = list(_blocks(text))
    for found in _CALL.finditer(text):
        block = next((b for b in blocks if b[0] <= found.start() < b[1]), None)
        at, method = found.end() - 1, found[1]
        while (end := closing(text, at)) is not None:
            arguments = tuple(split(text[at + 1 : end]))
            line = text.count("\n", 0, found.start()) + 1
            schema = bool(arguments) and "(" in (_text_of(arguments[0]) or "")
            kind = block[2] if block is not None else "torch" if schema or method == "impl" else "module"
            owner, key = (block[3], block[4]) if block is not None else ("", "")
            yield _Call(kind, owner, key, method, arguments, line)
            again = _CHAINED.match(text, end + 1)
            if again is None:
                break
            at, method = again.end() - 1, again[1]


def _by_macro(text: str) -> Iterator[tuple[str, _Registered]]:
    """`DISPATCH_TO_CUDA("scale", scale_cuda);`, `OP_DISPATCH(CUDA, "scale", scale_cuda);`: macros of a project that register."""
    for found in _MACRO.finditer(text):
        key = found["key"] or next((k for k in _MACRO_KEYS if k.upper() in found["macro"]), None)
        function = _function(found["function"])
        if key is not None and function is not None and (found["key"] is None or _KEY.fullmatch(key)):
            yield found["name"], _Registered(key, function)


def _blocks(text: str) -> Iterator[tuple[int, int, str, str, str]]:
    """Where blocks of registrations begin and end, their kind, owner and dispatch key."""
    for found in _BLOCK.finditer(text):
        end = closing(text, found.end() - 1)
        if end is None or (opening := re.compile(r"\s*\{").match(text, end + 1)) is None:
            continue
        last = closing(text, opening.end() - 1)
        given = split(text[found.end() : end])
        if last is None or not given:
            continue
        kind = "module" if found[1] in ("PYBIND11_MODULE", "NB_MODULE") else "torch"
        key = given[1] if "IMPL" in found[1] and len(given) > 2 else ""
        yield opening.end(), last, kind, given[0], key


def _note_torch(call: _Call, path: str, found: dict[tuple[str, str], _Torch]) -> None:
    text = _text_of(call.arguments[0]) if call.arguments else None
    if not text:
        return
    space = "" if call.owner in ("_", ANY_MODULE) or not call.owner.isidentifier() else call.owner
    head = re.match(r"(?:(\w+)::)?(\w+)", text)
    if head is None:
        return
    operator = found.setdefault((head[1] or space, head[2]), _Torch())
    if call.method == "def":
        schema = read_schema(text)
        if schema is not None:
            operator.schemas.append((schema, call.line, path))
    key = call.key
    for argument in call.arguments[1:]:
        written = re.match(r"(?:torch|c10)::dispatch\s*\((.*)\)$", argument, re.DOTALL)
        parts = split(written[1]) if written is not None else [argument]
        for part in parts:
            as_key = _KEY.fullmatch(part.removeprefix("c10::DispatchKey::").removeprefix("DispatchKey::"))
            if as_key is not None:
                key = as_key[1]
            elif (function := _function(part)) is not None:
                operator.functions.append(_Registered(key, function))


def _of_torch(space: str, name: str, parts: _Torch) -> Operator | None:
    if any(each.key.startswith(_BEFORE) for each in parts.functions):
        return None  # what Python passes goes through another function first
    functions = {each.function for each in parts.functions if each.key in _ON_DEVICE}
    on_device = {each.function for each in parts.functions if each.key == "CUDA"} or functions
    schemas = {schema for schema, _, _ in parts.schemas}
    if len(on_device) > 1 or len(schemas) > 1 or not (on_device or schemas):
        return None
    schema = next(iter(schemas), None)
    places = tuple(sorted((path, line) for _, line, path in parts.schemas))
    names = () if schema is None else tuple((a.name, a.default) for a in schema.arguments)
    meta = {each.function for each in parts.functions if each.key == "Meta"}
    declaring = next(iter(meta)) if len(meta) == 1 else ""
    return Operator(name, space, "", next(iter(on_device), ""), schema, names, 0, declaring, places)


def _of_module(call: _Call) -> Operator | None:
    """`m.def("scale", &scale, "doc", py::arg("x"), py::arg("n") = 1)`"""
    name = _text_of(call.arguments[0]) if call.arguments else None
    if call.method != "def" or not name or not name.isidentifier() or len(call.arguments) < 2:
        return None
    function = _function(call.arguments[1])
    if function is None:
        return None
    named = [
        re.match(r"(?:\w+::)*arg\s*\(\s*\"(\w+)\"\s*\)(?:\s*=\s*(.*))?$", each, re.DOTALL)
        for each in call.arguments[2:]
    ]
    named += [re.match(r"\"(\w+)\"_a(?:\s*=\s*(.*))?$", each, re.DOTALL) for each in call.arguments[2:]]
    names = tuple((each[1], each[2]) for each in named if each is not None)
    return Operator(name, "", call.owner.strip('"') if call.owner else ANY_MODULE, function, None, names, call.line)


def _exported(text: str) -> Iterator[Operator]:
    for found in _EXPORT.finditer(text):
        end = closing(text, found.end() - 1)
        given = split(text[found.end() : end]) if end is not None else []
        function = _function(given[1]) if len(given) == 2 else None
        if function is not None and given[0].isidentifier():
            yield Operator(given[0], function=function, line=text.count("\n", 0, found.start()) + 1)


def _text_of(argument: str) -> str | None:
    """The text of literals beside each other; None where the argument is anything else."""
    found = list(_LITERAL.finditer(argument))
    if not found or _LITERAL.sub("", argument).strip():
        return None
    return "".join(each[1] if each[1] is not None else each[3] for each in found)


def _function(argument: str) -> str | None:
    """The last name of the function that an argument is: `&ns::f`, `TORCH_FN(f)`, `TORCH_BOX(&f<true>)`, `wrap<&f>`."""
    argument = argument.strip()
    plain = _FUNCTION.fullmatch(argument)
    if plain is not None and plain[2] not in ("true", "false", "nullptr") and not plain[2].isdigit():
        wrapped = re.search(r"<\s*&\s*([\w:]+)\s*>$", argument)
        return wrapped[1].split("::")[-1] if wrapped is not None else plain[2]
    inner = _WRAPPED.fullmatch(argument)
    if inner is None or "[" in argument or "{" in argument:
        return None
    parts = split(inner[1])
    return _function(parts[0]) if len(parts) == 1 else None


def _parameter(text: str) -> Parameter:
    written, _, default = text.partition("=")
    found = re.fullmatch(r"(.*[\s&*>])(\w+)\s*(?:\[[^\]]*\])?\s*", written.strip(), re.DOTALL)
    if found is None:
        return Parameter(" ".join(written.split()), "", default.strip() or None)
    return Parameter(" ".join(found[1].split()), found[2], default.strip() or None)
