"""What a Python file registers of operators: functions that run them, functions that say what they give, and schemas.

@torch.library.custom_op("ns::scale", mutates_args=())     @torch.library.register_fake("ns::scale")
def scale(x): ...                                          def _(x): torch._check(x.dim() == 2); return torch.empty_like(x)

lib = Library("ns", "FRAGMENT"); lib.define("scale(Tensor x) -> Tensor")
lib.impl("scale", run, "CUDA"); lib.impl("scale", say, "Meta")
register(op_name="scale", op_func=run, fake_impl=say)      a wrapper that passes these on
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from cudalint.analysis.operator_schema import Schema, SchemaArgument, read_schema

_DECLARING = re.compile(r"fake|abstract|meta", re.IGNORECASE)
_REGISTERING = re.compile(r"register|impl|custom_op|triton_op|fake|abstract|meta", re.IGNORECASE)
_ROLE = re.compile(
    r"fake|abstract|meta|func|impl|kernel|backward|setup"
)  # of a parameter whose name tells what it gets
_DERIVATIVE = re.compile(r"autograd|backward|setup|vmap|autocast")
_BY_SCHEMA = re.compile(r"impl|register_kernel")  # whose schema stands elsewhere
_QUALIFIED = re.compile(r"(\w+)::(\w+)(?:\.(\w+))?")
_LIBRARY = re.compile(r"(?:\w+\.)*(?:Library|_scoped_library)")
_ELSEWHERE = re.compile(
    r"(?:autograd|autocast|adinplaceorview|functionalize|sparse)\w*|(?:quantized)?cpu|xpu|hpu|mps|xla|python",
    re.IGNORECASE,
)
_HERE = re.compile(r"cuda|composite\w*|default", re.IGNORECASE)
_META = re.compile(r"meta", re.IGNORECASE)
_OTHER_TEXTS = frozenset(("mutates_args", "schema", "tags", "op_name"))
_LISTED = re.compile(r"(?:typing\.)?(?:List|Sequence|Tuple|list|tuple)\[(?:int|\w*SymInt)(?:, \.\.\.)?\]")
_TYPES = {
    "int": "int", "bool": "bool", "float": "float", "str": "str", "Tensor": "Tensor",
    "dtype": "ScalarType", "SymInt": "SymInt",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Registered:
    """Of one operator: the functions that may run on the device, the one that says what it gives, its schema.

    `line` is where the schema stands; `told` the function from whose annotations it was read, if it was.
    """

    running: tuple[ast.FunctionDef, ...] = ()
    declaring: ast.FunctionDef | None = None
    schema: Schema | None = None
    line: int = 0

    def and_of(self, other: Registered) -> Registered:
        """With what another part of the project says, where this one does not."""
        kept = (self.schema, self.line) if self.schema is not None else (other.schema, other.line)
        return Registered((*self.running, *other.running), self.declaring or other.declaring, *kept)


Registrations = Mapping[str, Registered]  # by `ns::name`, `::name` where the namespace is not told, `ns::name.overload`
NOTHING = Registered()


def registered_in(tree: ast.Module) -> dict[str, Registered]:
    """The operators of which the file registers something."""
    return _Reader(tree).found


def key_of(operators: Registrations, space: str, name: str) -> str | None:
    """How an operator is registered: by its namespace or, where that is not told, by its name."""
    return next((key for key in (f"{space}::{name}", f"::{name}") if key in operators), None)


def called(operators: Registrations, function: ast.AST) -> str | None:
    """The registered operator that a call means: `torch.ops.ns.scale`, `torch.ops.ns.scale.default`."""
    if not operators or not isinstance(function, ast.Attribute) or not _is_of_torch(function):
        return None
    match ast.unparse(function).split("."):
        case ["torch", "ops", space, name]:
            overloads = (f"{space}::{name}.", f"::{name}.")
            return None if any(each.startswith(overloads) for each in operators) else key_of(operators, space, name)
        case ["torch", "ops", space, name, "default"]:
            return key_of(operators, space, name)
        case ["torch", "ops", space, name, overload]:
            return key_of(operators, space, f"{name}.{overload}")
        case _:
            return None


def _is_of_torch(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id == "torch"


def positional(function: ast.FunctionDef) -> list[str]:
    """The parameters that callers give by their places."""
    return [each.arg for each in (*function.args.posonlyargs, *function.args.args)]


@dataclass(slots=True)
class _Reader:
    tree: ast.Module
    found: dict[str, Registered] = field(init=False)
    _named: dict[str, ast.FunctionDef] = field(init=False)
    _libraries: dict[str, str] = field(init=False)
    _known: dict[int, list[str]] = field(init=False)  # the operators that a function runs

    def __post_init__(self) -> None:
        self.found, self._known = {}, {}
        nodes = list(ast.walk(self.tree))
        functions = [n for n in nodes if isinstance(n, ast.FunctionDef)]
        counts = Counter(f.name for f in functions)
        self._named = {f.name: f for f in functions if counts[f.name] == 1}
        self._libraries = dict(_libraries(nodes))
        for function in functions:
            for decorator in function.decorator_list:
                self._decorated(function, decorator)
        for call in (n for n in nodes if isinstance(n, ast.Call)):
            self._call(call)

    def _note(self, operator: str, more: Registered) -> None:
        self.found[operator] = self.found.get(operator, NOTHING).and_of(more)

    def _run_by(self, operator: str, function: ast.FunctionDef, line: int, of_schema: bool) -> None:
        if function in self.found.get(operator, NOTHING).running:
            return
        schema = _annotated(function, operator) if of_schema else None
        self._note(operator, Registered((function,), None, schema, line))
        self._known.setdefault(id(function), []).append(operator)

    def _decorated(self, function: ast.FunctionDef, decorator: ast.expr) -> None:
        call = decorator if isinstance(decorator, ast.Call) else None
        named = decorator if call is None else call.func
        last = _last_name(named)
        if not _REGISTERING.search(last):
            return
        owner = self._named.get(getattr(getattr(named, "value", None), "id", ""))
        operators = list(self._operators(call)) if call is not None else []
        if not operators and owner is not None:  # `@scale.register_fake`
            operators = self._known.get(id(owner), [])
        for operator in operators:
            self._noted(operator, function, (last,), [] if call is None else _keys(call), function.lineno)

    def _call(self, call: ast.Call) -> None:
        """`lib.impl("scale", f, "CUDA")`, `define("ns::scale", "(Tensor x) -> Tensor")`, `register("scale", f, [], g)`"""
        last = _last_name(call.func)
        if last == "define":
            self._define(call)
        elif _REGISTERING.search(last):
            functions = list(self._functions(call))
            for operator in self._operators(call) if functions else ():
                for role, function in functions:
                    self._noted(operator, function, (last, role), _keys(call), call.lineno)

    def _noted(
        self, operator: str, function: ast.FunctionDef, roles: tuple[str, ...], keys: list[str], line: int
    ) -> None:
        """A function for an operator: `roles` are the names of what registers it, and of the parameter that gets it."""
        if any(map(_DECLARING.search, roles)) or any(map(_META.fullmatch, keys)):
            self._note(operator, Registered(declaring=function))
        elif not _is_elsewhere(keys) and not any(map(_DERIVATIVE.search, roles)):
            self._run_by(operator, function, line, not any(map(_BY_SCHEMA.fullmatch, roles)))

    def _functions(self, call: ast.Call) -> Iterator[tuple[str, ast.FunctionDef]]:
        """The functions of the file that a call passes, with the name of the parameter: its own where the call does not say."""
        wrapper = self._named.get(getattr(call.func, "id", ""))
        names = positional(wrapper) if wrapper is not None else []
        given = [(names[n] if n < len(names) else "", each) for n, each in enumerate(call.args)]
        given += [(k.arg or "", k.value) for k in call.keywords]
        for role, value in given:
            function = self._named.get(value.id) if isinstance(value, ast.Name) else None
            if function is not None:
                yield role if _ROLE.search(role) else function.name, function

    def _operators(self, call: ast.Call) -> Iterator[str]:
        """The operator that a registering call speaks of."""
        given = (*call.args[:2], *(k.value for k in call.keywords))
        texts = [text for each in given if (text := _text(each)) is not None]
        qualified = next((found for text in texts if (found := _QUALIFIED.fullmatch(text)) is not None), None)
        if qualified is not None:
            yield _key(*qualified.groups())
            return
        space = self._space(call)
        name = next((text for text in texts[:1] if re.fullmatch(r"\w+(?:\.\w+)?", text)), None)
        if name is not None and space is not None:
            yield _key(space, *name.split(".", 1))

    def _space(self, call: ast.Call) -> str | None:
        """The namespace of the library that a call belongs to; "" where a function of the project decides it."""
        owner = [call.func.value] if isinstance(call.func, ast.Attribute) else []
        parts = [ast.unparse(each) for each in (*owner, *call.args, *(k.value for k in call.keywords))]
        known = next((self._libraries[part] for part in parts if part in self._libraries), None)
        if known is not None or not isinstance(call.func, ast.Name):
            return known
        passes = any(k.arg == "op_name" or _DECLARING.search(k.arg or "") for k in call.keywords)
        is_wrapper = passes or "custom_op" in call.func.id or call.func.id in self._named
        return self._only() if is_wrapper else None

    def _only(self) -> str:
        spaces = set(self._libraries.values())
        return next(iter(spaces)) if len(spaces) == 1 else ""

    def _define(self, call: ast.Call) -> None:
        texts = [text for each in call.args[:2] if (text := _joined(each)) is not None]
        qualified = _QUALIFIED.match(texts[0]) if texts else None
        owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
        if qualified is not None and len(texts) > 1:
            operator, schema = _key(*qualified.groups()), read_schema(texts[1], qualified[2])
        elif texts and (space := self._libraries.get(owner, self._libraries.get("", None))) is not None:
            named = re.match(r"(?:(\w+)::)?(\w+)(?:\.(\w+))?", texts[0])
            if named is None:
                return
            operator, schema = _key(named[1] or space, named[2], named[3]), read_schema(texts[0])
        else:
            return
        if schema is not None:
            self._note(operator, Registered(schema=schema, line=call.lineno))


def _libraries(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """What the file calls a library, and the namespace of its operators."""
    for node in nodes:
        pairs: list[tuple[ast.expr, ast.expr | None]] = []
        if isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        elif isinstance(node, ast.AnnAssign):
            pairs = [(node.target, node.value)]
        elif isinstance(node, ast.With):
            pairs = [(i.optional_vars, i.context_expr) for i in node.items if i.optional_vars is not None]
        for target, value in pairs:
            if isinstance(value, ast.Call) and _LIBRARY.fullmatch(ast.unparse(value.func)) and value.args:
                space = _text(value.args[0])
                if space is not None:
                    yield ast.unparse(target), space


def _key(space: str, name: str, overload: str | None = None) -> str:
    return f"{space}::{name}" + (f".{overload}" if overload and overload != "default" else "")


def _last_name(function: ast.expr) -> str:
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _joined(node: ast.expr) -> str | None:
    """The text of constants that are put together."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.BinOp(op=ast.Add()):
            left, right = _joined(node.left), _joined(node.right)
            return None if left is None or right is None else left + right
        case _:
            return None


def _keys(call: ast.Call) -> list[str]:
    """The dispatch keys and types of devices that a call names."""
    values = [*call.args, *(k.value for k in call.keywords if k.arg not in _OTHER_TEXTS)]
    listed = [e for v in values for e in (v.elts if isinstance(v, ast.Tuple | ast.List) else [v])]
    return [text for each in listed if (text := _text(each)) is not None]


def _is_elsewhere(keys: list[str]) -> bool:
    """Registered for other devices, or for what the dispatcher calls before."""
    return any(map(_ELSEWHERE.fullmatch, keys)) and not any(map(_HERE.fullmatch, keys))


def _annotated(function: ast.FunctionDef, operator: str) -> Schema | None:
    """The schema that torch reads from the annotations of a function, and from the arguments that it is said to change."""
    written = _changed(function)
    arguments = [(a, False) for a in (*function.args.posonlyargs, *function.args.args)]
    arguments += [(a, True) for a in function.args.kwonlyargs]
    found = list[SchemaArgument]()
    for argument, by_name in arguments:
        type_ = "" if argument.annotation is None else ast.unparse(argument.annotation).strip("'\"")
        plain = re.sub(r"^(?:\w+\.)*Optional\[(.*)\]$|\s*\|\s*None$|^None \| ", r"\1", type_)
        base = "int[]" if _LISTED.fullmatch(plain) else _TYPES.get(plain.split(".")[-1])
        if base is None:
            return None
        changed, optional = argument.arg in written, plain != type_
        found.append(SchemaArgument(argument.arg, base, changed, optional, None, by_name))
    name = operator.split("::")[1]
    return Schema(name, tuple(found), (), f"{name}({', '.join(map(_shown, found))})")


def _shown(argument: SchemaArgument) -> str:
    return f"{argument.type}{'!' * argument.written}{'?' * argument.optional} {argument.name}"


def _changed(function: ast.FunctionDef) -> frozenset[str]:
    """The arguments that `mutates_args` names."""
    calls = [d for d in function.decorator_list if isinstance(d, ast.Call)]
    given = [k.value for call in calls for k in call.keywords if k.arg == "mutates_args"]
    listed = [each for v in given if isinstance(v, ast.Tuple | ast.List | ast.Set) for each in v.elts]
    return frozenset(text for each in listed if (text := _text(each)) is not None)
