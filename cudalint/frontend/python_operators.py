"""Which calls of a Python file mean functions of C++ that the project registers, and what these take.

torch.ops.ns.scale(out, x)      ext.scale(out, x)      get_module().scale(out, x)      getattr(ext, "scale")(out, x)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from cudalint.analysis.operator_schema import SchemaArgument
from cudalint.analysis.operators import Operator, Prototype
from cudalint.frontend.python_registered import Registrations
from cudalint.frontend.python_said import NO_KIND, Kind

_INTEGER = re.compile(
    r"(?:const )?(?:std::)?(?:int|long|long long|unsigned|unsigned int|unsigned long|size_t|u?int\d+_t|uintptr_t|(?:c10::)?SymInt)"
)
_SIZES = re.compile(
    r"\b(?:(?:Sym)?IntArrayRef|Shape|ShapeView|(?:ArrayRef|vector|Array)<(?:(?:c10::)?SymInt|int64_t|int|long)>)"
)
_LISTS = re.compile(r"\b(?:TensorList|ITensorListRef|List<|vector<|ArrayRef<|Array<|Tuple<|Map<|Dict<)")
_TYPES = re.compile(r"\b(?:ScalarType|Dtype)\b")
_OF_C = re.compile(r"(?i)(?:module|_c\b|_cuda\b|cuda\b|_ext\b|ext\b|_ops?\b|kernels?\b|_lib\b|engine\b|backend\b)")
_LOADS = re.compile(r"\b(?:load|load_inline|load_module|build_and_load)$")
_LOADED = re.compile(
    r"\b(?:import_module|load|load_inline|load_module|try_import)\(\s*(?:name\s*=\s*)?['\"]([\w.]+)['\"]"
)


@dataclass(frozen=True, slots=True)
class Taken:
    """A parameter: what Python may call it, its type in C++ and the kind of value that it gets; `default` as it is written."""

    name: str
    type: str
    kind: Kind
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Callee:
    """A function of C++, the type of its result and the kinds of its parts; and the one that says what it takes and gives."""

    function: str
    operator: Operator
    parameters: tuple[Taken, ...]
    result: str = "void"
    results: tuple[Kind, ...] = ()
    declaring: Callee | None = None

    @property
    def declaration(self) -> str:
        return f"{self.result} {self.function}({', '.join(p.type for p in self.parameters)});"


@dataclass(frozen=True, slots=True)
class Project:
    """What the project says of the operators that a file may call.

    `elsewhere` are names that other Python files use; `registered` is what Python files register of operators; `called` are
    names of operators that some Python file speaks of, `unread` of those that files call which are not read. One of the files is
    the `first`: it stands for those that are not read, and for what C++ alone declares. `asked` are the `registered` operators
    that some file calls by torch's name for them.
    """

    callees: Mapping[str, tuple[Callee, ...]] = field(default_factory=dict)
    elsewhere: frozenset[str] = frozenset()
    registered: Registrations = field(default_factory=dict)
    called: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()
    first: bool = False
    asked: frozenset[str] = frozenset()


NO_OPERATORS = Project()


def callee_of(operator: Operator, prototype: Prototype) -> Callee | None:
    """The function behind an operator; None where its schema speaks of another number of arguments."""
    given = prototype.parameters
    if operator.schema is not None and len(operator.schema.arguments) != len(given):
        return None
    names = operator.names if len(operator.names) == len(given) else ()
    parameters = tuple(
        Taken(names[place][0] if names else "", *_taken(parameter.type), names[place][1] if names else None)
        for place, parameter in enumerate(given)
    )
    return Callee(operator.function, operator, parameters, *_given(prototype.result))


def called_by_name(operators: Iterable[Operator], prototypes: Mapping[str, Prototype]) -> dict[str, tuple[Callee, ...]]:
    """The functions behind operators whose definitions are known, by what Python calls them."""
    found: dict[str, dict[Callee, None]] = {}
    for operator in operators:
        prototype = prototypes.get(operator.function)
        callee = callee_of(operator, prototype) if prototype is not None else None
        if callee is not None:
            meta = prototypes.get(operator.declaring)
            declaring = callee_of(replace(operator, function=operator.declaring), meta) if meta is not None else None
            found.setdefault(operator.name, {})[replace(callee, declaring=declaring)] = None
    return {name: tuple(callees) for name, callees in found.items()}


_IN_SCHEMAS = {
    "Tensor": Kind.TENSOR, "int": Kind.INT, "SymInt": Kind.INT, "bool": Kind.BOOL, "float": Kind.FLOAT, "int[]": Kind.SIZES,
    "SymInt[]": Kind.SIZES, "ScalarType": Kind.TYPE,
}  # fmt: skip


def kind_in_schema(argument: SchemaArgument) -> Kind:
    """The kind of value that an operator takes for an argument."""
    if argument.optional:
        return Kind.OPTIONAL if argument.type == "Tensor" else Kind.ANY
    return _IN_SCHEMAS.get(argument.type, Kind.ANY)


def _taken(type_: str) -> tuple[str, Kind]:
    """The type that a parameter has in the declaration, and the kind of what is passed."""
    reference = " &" if type_.endswith("&") else ""
    const = "const " if reference and ("const " in type_ or type_.endswith(("const&", "const &"))) else ""
    if "Tensor" in type_ and not _LISTS.search(type_) and not type_.endswith("*"):
        if re.search(r"\b[oO]ptional\s*<", type_):
            return (
                (NO_KIND, Kind.ANY)
                if "TensorView" in type_
                else (f"{const}std::optional<at::Tensor>{reference}", Kind.OPTIONAL)
            )
        return f"{const}at::Tensor{reference}", Kind.TENSOR
    if re.search(r"\b[oO]ptional\s*<", type_):
        return NO_KIND, Kind.ANY
    if _SIZES.search(type_):
        return ("at::IntArrayRef", Kind.SIZES) if "ArrayRef" in type_ and not reference else (NO_KIND, Kind.ANY)
    if _TYPES.search(type_):
        return ("at::ScalarType", Kind.TYPE) if not reference else (NO_KIND, Kind.ANY)
    plain = type_.removesuffix("&").strip().removeprefix("const ").removesuffix(" const").strip()
    if reference and not const:
        return NO_KIND, Kind.ANY
    if plain == "bool":
        return f"{const}bool{reference}", Kind.BOOL
    if plain in ("float", "double"):
        return f"{const}{plain}{reference}", Kind.FLOAT
    if _INTEGER.fullmatch(plain):
        return f"{const}{'long' if 'SymInt' in plain else plain}{reference}", Kind.INT
    return NO_KIND, Kind.ANY


def _given(result: str) -> tuple[str, tuple[Kind, ...]]:
    """The type of the result, and the kinds of its parts where these are tensors; nothing is said of others."""
    plain = re.sub(
        r"\b(?:static|inline|extern|__host__|TORCH_API|constexpr)\b|extern \"C\"|\b(?:\w+::)+(?=\w)", "", result
    ).strip()
    if plain in ("Tensor", "const Tensor"):
        return "at::Tensor", (Kind.TENSOR,)
    listed = re.fullmatch(r"tuple<((?:Tensor)(?:, ?Tensor)+)>", plain)
    if listed is not None:
        count = listed[1].count("Tensor")
        return f"std::tuple<{', '.join(['at::Tensor'] * count)}>", (Kind.TENSOR,) * count
    return "void", ()


class Operators:
    """The operators that a Python file may call; what it calls a module of C++ is told by its imports."""

    def __init__(self, callees: Mapping[str, tuple[Callee, ...]], tree: ast.AST) -> None:
        self._callees = callees
        self._modules = dict(_imported(tree)) if callees else {}
        self._spaces = _spaces(tree) if callees else {}
        self._taken_from = dict(_taken_from(tree)) if callees else {}
        self._loaded = frozenset(_loaded(tree)) if callees else frozenset()

    def of(self, node: ast.expr) -> Callee | None:
        """The one function that an expression is; None where it may be another one, or none."""
        found = {each.function: each for each in self._meant(node)}
        return next(iter(found.values())) if len(found) == 1 else None

    def all(self, node: ast.expr) -> list[Callee]:
        """All that an expression may mean."""
        return list(self._meant(node))

    def _meant(self, node: ast.expr) -> Iterator[Callee]:
        match node:
            case ast.Attribute(value=ast.Attribute() as inner, attr="default") if self._of_space(inner):
                yield from self._of_space(inner)
            case ast.Attribute():
                yield from self._of_space(node) or self._of_module(node)
            case ast.Name(id=name) if name in self._taken_from:
                module, own = self._taken_from[name]
                known = (c for c in self._callees.get(own, ()) if c.operator.module)
                yield from (c for c in known if c.operator.module.split(".")[-1] == module)
            case ast.Call(args=[*_, ast.Constant(value=str(name))], keywords=[]) if name in self._callees:
                if len(node.args) == (2 if getattr(node.func, "id", "") == "getattr" else 1):
                    yield from (c for c in self._callees[name] if not c.operator.space)
            case _:
                return

    def _of_space(self, node: ast.Attribute) -> tuple[Callee, ...]:
        """`torch.ops.ns.name`"""
        known = self._callees.get(node.attr, ())
        if not known:
            return ()
        written = ast.unparse(node.value)
        space = self._spaces.get(written, written)
        if not space.startswith("torch.ops."):
            return ()
        name = space.removeprefix("torch.ops.")
        exact = tuple(c for c in known if c.operator.space == name)
        return exact or tuple(c for c in known if c.operator.schema is not None and not c.operator.space)

    def _of_module(self, node: ast.Attribute) -> tuple[Callee, ...]:
        """`ext.name` of a module that the file imports by the name that the build gives it."""
        known = [c for c in self._callees.get(node.attr, ()) if not c.operator.space]
        if not known:
            return ()
        written = ast.unparse(node.value)
        module = self._modules.get(written, written).split(".")[-1]
        named = tuple(c for c in known if c.operator.module and c.operator.module.split(".")[-1] == module)
        if named:
            return named
        plain = tuple(c for c in known if not c.operator.module)
        loaded = isinstance(node.value, ast.Call) or written in self._loaded or _OF_C.search(written.split(".")[-1])
        return plain if loaded else ()


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Names in the file, and the modules that they stand for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name, alias.name) for alias in node.names)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            found = _LOADED.search(ast.unparse(node.value))
            if found is not None:
                yield from ((ast.unparse(target), found[1]) for target in node.targets)


def _taken_from(tree: ast.AST) -> Iterator[tuple[str, tuple[str, str]]]:
    """`from pack.ext import scale as f`: of `f` the module and its name there."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            module = node.module.split(".")[-1]
            yield from ((alias.asname or alias.name, (module, alias.name)) for alias in node.names)


def _loaded(tree: ast.AST) -> Iterator[str]:
    """What the file compiles and loads itself: `ext = load_inline(...)`"""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and _LOADS.search(ast.unparse(node.value.func))
        ):
            yield from (ast.unparse(target) for target in node.targets)


def _spaces(tree: ast.AST) -> dict[str, str]:
    """`ops = torch.ops.ns`"""
    assigned = [n for n in ast.walk(tree) if isinstance(n, ast.Assign) and isinstance(n.value, ast.Attribute)]
    pairs = ((ast.unparse(target), ast.unparse(n.value)) for n in assigned for target in n.targets)
    return {name: value for name, value in pairs if value.startswith("torch.ops.")}
