"""What strings of a Python file are worth, as far as the text alone says. Nothing is executed or imported.

    N = 4
    src = "#define N %d\\n" % N + BODY.replace("T", dtype)      "#define N 4\\n...py_dtype..."

Statements run once and in order, each function with its parameters unknown and again with what its callers in the file
pass. A value that is not constant is a hole: the identifier `py_<what is written there>`, which no C++ declares.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from cudalint.frontend import python_text
from cudalint.frontend.python_calls import library, percent, template, text_method
from cudalint.frontend.python_text import Text, joined, synthetic
from cudalint.frontend.python_values import (
    LONGEST_TEXT,
    Arguments,
    Compiled,
    Exhausted,
    Function,
    Hole,
    Names,
    Reader,
    Template,
    Value,
    key_of,
)

Seen: TypeAlias = Callable[[ast.Call, Arguments], Value]
Launched: TypeAlias = Callable[[Compiled, int], None]
DEEP = 12_000
INLINED = 30_000
DEEPEST_CALL = 5
LONGEST_LOOP = 16


class _Return(Exception):
    def __init__(self, value: Value) -> None:
        self.value = value


@dataclass(slots=True)
class _Frame:
    names: Names
    outer: Names
    owner: str | None
    depth: int = 0
    in_class: bool = False


class Evaluator(Reader):
    """Walks one module; `seen` is told of every call and may say what it returns (None: the evaluator decides).

    `launched` is told of every call of a compiled kernel, with its offset.
    """

    def __init__(self, source: str, module: ast.Module, seen: Seen, launched: Launched) -> None:
        super().__init__(source)
        self._module, self._seen, self._launched = module, seen, launched
        self._inlined = self._nesting = 0
        self._attributes: Names = {}
        self._functions: dict[tuple[str | None, str], Function] = {}
        self._module_names: Names = {}
        self.imports: dict[str, str] = {}

    def run(self) -> None:
        """The module, then each function; twice, since methods use what others assign to `self`."""
        sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEP))
        try:
            for _ in range(2):
                self._module_names = {}
                for statement in self._module.body:
                    self._branch([statement], _Frame(self._module_names, {}, None))
                for function in list(self._functions.values()):
                    self._call_function(function, (), {}, 1)
        except (Exhausted, RecursionError):
            return

    # --- statements ---------------------------------------------------------------------------------------------------

    def _block(self, body: Iterable[ast.stmt], frame: _Frame) -> None:
        for statement in body:
            self._statement(statement, frame)

    def _statement(self, node: ast.stmt, frame: _Frame) -> None:
        self._count()
        match node:
            case ast.Assign():
                value = self.value(node.value, frame)
                for target in node.targets:
                    self._assign(target, value, frame)
            case ast.AnnAssign() if node.value is not None:
                self._assign(node.target, self.value(node.value, frame), frame)
            case ast.AugAssign():
                self._augment(node, frame)
            case ast.Return():
                raise _Return(self.value(node.value, frame) if node.value else None)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._define(node, frame)
            case ast.ClassDef():
                self._class(node, frame)
            case ast.If():
                self._if(node, frame)
            case ast.For() | ast.AsyncFor():
                self._for(node, frame)
            case ast.While():
                self.value(node.test, frame)
                self._block(node.body, frame)
                self._block(node.orelse, frame)
            case ast.Import() | ast.ImportFrom():
                self._import(node)
            case _:
                self._other(node, frame)

    def _other(self, node: ast.stmt, frame: _Frame) -> None:
        """The expressions of a statement, then its blocks, each once."""
        returned: _Return | None = None
        for child in ast.iter_child_nodes(node):
            try:
                self._child(child, frame)
            except _Return as stop:
                returned = returned or stop
        if returned is not None:
            raise returned

    def _child(self, child: ast.AST, frame: _Frame) -> None:
        if isinstance(child, ast.expr):
            self.value(child, frame)
        elif isinstance(child, ast.stmt):
            self._statement(child, frame)
        elif isinstance(child, ast.withitem):
            value = self.value(child.context_expr, frame)
            if child.optional_vars is not None:
                self._assign(child.optional_vars, value, frame)
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            before = dict(frame.names)
            self._block(child.body, frame)
            frame.names.update(before)

    def _assign(self, target: ast.expr, value: Value, frame: _Frame) -> None:
        if isinstance(target, ast.Name):
            frame.names[target.id] = value
        elif isinstance(target, ast.Attribute):
            self._set_attribute(target.attr, value, self._owner_of(target.value, frame))
        elif isinstance(target, ast.Subscript):
            self._set_item(target, value, frame)
        elif isinstance(target, ast.Tuple | ast.List):
            parts = value if isinstance(value, list) and len(value) == len(target.elts) else None
            for position, element in enumerate(target.elts):
                part = parts[position] if parts else self.unknown(element)
                self._assign(element, part, frame)

    def _set_item(self, target: ast.Subscript, value: Value, frame: _Frame) -> None:
        container, key = self.value(target.value, frame), self.value(target.slice, frame)
        if isinstance(container, dict) and (name := key_of(key)) is not None:
            container[name] = value

    def _set_attribute(self, name: str, value: Value, owner: str | None) -> None:
        """The first text stays where the other assignment is None or unknown."""
        for key in (f"{owner}.{name}", f".{name}"):
            if not isinstance(value, Hole) and value is not None:
                self._attributes[key] = value
            else:
                self._attributes.setdefault(key, value)

    def _owner_of(self, node: ast.expr, frame: _Frame) -> str | None:
        if isinstance(node, ast.Name):
            return frame.owner if node.id in ("self", "cls") else node.id
        return None

    def _augment(self, node: ast.AugAssign, frame: _Frame) -> None:
        old = self.value(node.target, frame)
        value = self._operate(node.op, old, self.value(node.value, frame), node.value)
        self._assign(node.target, value if value is not None else self.unknown(node.target), frame)

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: _Frame) -> None:
        for decorator in node.decorator_list:
            self.value(decorator, frame)
        function = Function(node, frame.owner, frame.outer if frame.in_class else frame.names)
        frame.names[node.name] = function
        self._functions[frame.owner, node.name] = function

    def _class(self, node: ast.ClassDef, frame: _Frame) -> None:
        inner = _Frame({}, {**frame.outer, **frame.names}, node.name, frame.depth, in_class=True)
        self._block(node.body, inner)
        for name, value in inner.names.items():
            if not isinstance(value, Function):
                self._set_attribute(name, value, node.name)

    def _if(self, node: ast.If, frame: _Frame) -> None:
        """Both branches; a name is what the first branch that says something makes it."""
        test = self.value(node.test, frame)
        if isinstance(test, bool) and isinstance(node.test, ast.Compare | ast.Constant):
            self._block(node.body if test else node.orelse, frame)
            return
        before = dict(frame.names)
        returned = self._branch(node.body, frame)
        after = dict(frame.names)
        _restore(frame.names, before)
        returned = self._branch(node.orelse, frame) or returned
        for name, value in after.items():
            if not isinstance(value, Hole) or name not in frame.names:
                frame.names[name] = value
        if returned is not None and isinstance(returned.value, Text):
            raise returned

    def _branch(self, body: list[ast.stmt], frame: _Frame) -> _Return | None:
        try:
            self._block(body, frame)
        except _Return as stop:
            return stop
        return None

    def _for(self, node: ast.For | ast.AsyncFor, frame: _Frame) -> None:
        items = self.value(node.iter, frame)
        if isinstance(items, dict):
            items = [synthetic(key) for key in items]
        if isinstance(items, list) and len(items) <= LONGEST_LOOP:
            for item in items:
                self._assign(node.target, item, frame)
                self._block(node.body, frame)
        else:
            self._assign(node.target, self.unknown(node.target), frame)
            self._block(node.body, frame)
        self._block(node.orelse, frame)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                self.imports[alias.asname or alias.name] = f"{node.module or ''}.{alias.name}"
            elif alias.asname:
                self.imports[alias.asname] = alias.name

    # --- expressions --------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr, frame: _Frame) -> Value:
        self._count()
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.JoinedStr():
                return self._joined(node, frame)
            case ast.Name():
                return self._name(node, frame)
            case ast.Attribute():
                return self._attribute(node, frame)
            case ast.BinOp():
                left, right = self.value(node.left, frame), self.value(node.right, frame)
                value = self._operate(node.op, left, right, node.right)
                return value if value is not None else self.unknown(node)
            case ast.List() | ast.Tuple() | ast.Set():
                return self._items(node.elts, frame)
            case ast.Dict():
                return self._dict(node, frame)
            case ast.Call():
                return self._call(node, frame)
            case ast.Subscript():
                return self._subscript(node, frame)
            case ast.UnaryOp():
                return self._unary(node, frame)
            case _:
                return self._compound(node, frame)

    def _compound(self, node: ast.expr, frame: _Frame) -> Value:
        match node:
            case ast.IfExp():
                test = self.value(node.test, frame)
                branches = [self.value(node.body, frame), self.value(node.orelse, frame)]
                if isinstance(test, bool):
                    return branches[0 if test else 1]
                return next((b for b in branches if isinstance(b, Text) and b.chars), self.unknown(node))
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
                return self._comprehension(node, frame)
            case ast.Lambda():
                self.value(node.body, self._inner(frame, [a.arg for a in node.args.args]))
            case ast.NamedExpr():
                value = self.value(node.value, frame)
                self._assign(node.target, value, frame)
                return value
            case ast.BoolOp():
                values = [self.value(each, frame) for each in node.values]
                return next((v for v in values if isinstance(v, Text) and v.chars), self.unknown(node))
            case ast.Compare():
                return self._compare(node, frame)
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self.value(child, frame)
        return self.unknown(node)

    def _inner(self, frame: _Frame, names: Iterable[str]) -> _Frame:
        unknown = {name: Hole(name, python_text.NOWHERE) for name in names}
        return _Frame({**frame.names, **unknown}, frame.outer, frame.owner, frame.depth)

    def _compare(self, node: ast.Compare, frame: _Frame) -> Value:
        left, *rest = (self.value(each, frame) for each in (node.left, *node.comparators))
        if len(rest) == 1 and isinstance(node.ops[0], ast.Eq | ast.NotEq):
            a, b = _plain(left), _plain(rest[0])
            if a is not None and b is not None:
                return (a == b) == isinstance(node.ops[0], ast.Eq)
        if frame.names.get("__name__") is None and isinstance(node.left, ast.Name) and node.left.id == "__name__":
            return True
        return self.unknown(node)

    def _constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, str | bytes):
            pieces = python_text.literals(self.source, self.start(node), self.end(node))
            text = joined(piece for piece in pieces if isinstance(piece, Text))
            value = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
            return text if text.chars == value else synthetic(value, self.start(node))
        if isinstance(node.value, bool | int | float) or node.value is None:
            return node.value
        return self.unknown(node)

    def _joined(self, node: ast.JoinedStr, frame: _Frame) -> Text:
        fields = [each for each in node.values if isinstance(each, ast.FormattedValue)]
        values = iter(fields)
        pieces: list[Text] = []
        for piece in python_text.literals(self.source, self.start(node), self.end(node)):
            if isinstance(piece, Text):
                pieces.append(piece)
                continue
            written = next(values, None)
            pieces.append(self._field(written, piece, frame) if written else self.hole(piece.content, piece.at))
        return joined(pieces)

    def _field(self, written: ast.FormattedValue, piece: python_text.Field, frame: _Frame) -> Text:
        value = self.value(written.value, frame)
        if isinstance(value, Text) and written.format_spec is None:
            return value
        if isinstance(value, bool | int | float):
            return synthetic(_formatted(value, written, piece.content), piece.at)
        return self.hole(ast.unparse(written.value), piece.at)

    def _name(self, node: ast.Name, frame: _Frame) -> Value:
        for names in (frame.names, frame.outer, self._module_names):
            if node.id in names:
                value = names[node.id]
                return replace(value, written=node.id, at=self.start(node)) if isinstance(value, Hole) else value
        return self.unknown(node)

    def _attribute(self, node: ast.Attribute, frame: _Frame) -> Value:
        owner = self._owner_of(node.value, frame)
        self.value(node.value, frame)
        for key in (f"{owner}.{node.attr}", f".{node.attr}"):
            value = self._attributes.get(key)
            if value is not None and not isinstance(value, Hole):
                return value
        return self.unknown(node)

    def _items(self, elements: Sequence[ast.expr], frame: _Frame) -> list[Value]:
        found: list[Value] = []
        for element in elements:
            if isinstance(element, ast.Starred):
                inner = self.value(element.value, frame)
                found += inner if isinstance(inner, list) else [inner]
            else:
                found.append(self.value(element, frame))
        return found

    def _dict(self, node: ast.Dict, frame: _Frame) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for key, value in zip(node.keys, node.values):
            known = self.value(value, frame)
            name = key_of(self.value(key, frame)) if key is not None else None
            if name is not None:
                found[name] = known
            elif key is None and isinstance(known, dict):
                found |= known
        return found

    def _subscript(self, node: ast.Subscript, frame: _Frame) -> Value:
        container = self.value(node.value, frame)
        if isinstance(node.slice, ast.Slice):
            return self._slice(container, node, frame)
        key = self.value(node.slice, frame)
        if isinstance(container, dict) and key_of(key) in container:
            return container[str(key_of(key))]
        if isinstance(container, list) and isinstance(key, int) and -len(container) <= key < len(container):
            return container[key]
        return self.unknown(node)

    def _slice(self, container: Value, node: ast.Subscript, frame: _Frame) -> Value:
        assert isinstance(node.slice, ast.Slice)
        bounds = [self.value(each, frame) if each else None for each in (node.slice.lower, node.slice.upper)]
        if node.slice.step is None and all(each is None or type(each) is int for each in bounds):
            if isinstance(container, Text):
                return container.cut(bounds[0] or 0, bounds[1])
            if isinstance(container, list):
                return container[bounds[0] : bounds[1]]
        return self.unknown(node)

    def _unary(self, node: ast.UnaryOp, frame: _Frame) -> Value:
        value = self.value(node.operand, frame)
        if isinstance(node.op, ast.USub) and type(value) in (int, float):
            return -value
        if isinstance(node.op, ast.Not) and isinstance(value, bool):
            return not value
        return self.unknown(node)

    def _operate(self, op: ast.operator, left: Value, right: Value, node: ast.expr) -> Value:
        at = self.start(node)
        if isinstance(op, ast.Add):
            if isinstance(left, Text) or isinstance(right, Text):
                return self.sized(self.text(left, at) + self.text(right, at))
            if isinstance(left, list) and isinstance(right, list):
                return left + right
        if isinstance(op, ast.Mod) and isinstance(left, Text):
            return percent(self, left, right, node)
        if isinstance(op, ast.Mult):
            for text, count in ((left, right), (right, left)):
                if isinstance(text, Text) and type(count) is int and 0 <= count * len(text.chars) <= LONGEST_TEXT:
                    return joined([text] * count)
        if type(left) in (int, float) and type(right) in (int, float):
            return _number(op, left, right)
        return None

    # --- comprehensions and calls -------------------------------------------------------------------------------------

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, frame: _Frame) -> Value:
        generator = node.generators[0]
        items = self.value(generator.iter, frame)
        known = isinstance(items, list) and len(items) <= LONGEST_LOOP * 4
        if len(node.generators) > 1 or generator.ifs or not known:
            inner = self._inner(frame, [])
            for each in node.generators:
                self._assign(each.target, self.unknown(each.target), inner)
            self.value(node.elt, inner)
            return self.unknown(node)
        found: list[Value] = []
        for item in items:
            inner = self._inner(frame, [])
            self._assign(generator.target, item, inner)
            found.append(self.value(node.elt, inner))
        return found

    def _call(self, node: ast.Call, frame: _Frame) -> Value:
        positional = tuple(self._items(node.args, frame))
        named: dict[str, Value] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value, frame)
            if keyword.arg is not None:
                named[keyword.arg] = value
            elif isinstance(value, dict):
                named |= value
        arguments = Arguments(positional, named)
        answer = self._seen(node, arguments)
        if answer is not None:
            return answer
        callee = self._callee(node.func, frame)
        if isinstance(callee, Compiled):
            return self._use(callee, node, arguments)
        if isinstance(node.func, ast.Attribute):
            return self._method(node, node.func, arguments, frame)
        if isinstance(node.func, ast.Name):
            return self._plain_call(node, node.func.id, arguments, frame)
        self.value(node.func, frame)
        return self._passed(node, arguments)

    def _callee(self, func: ast.expr, frame: _Frame) -> Value:
        """What is called, where that is a value; for a method the value that has it."""
        if isinstance(func, ast.Name | ast.Call):
            return self.value(func, frame)
        if isinstance(func, ast.Attribute):
            if func.attr == "get_function":
                return self.value(func.value, frame)
            return self._attribute(func, frame)
        return None

    def _use(self, compiled: Compiled, node: ast.Call, arguments: Arguments) -> Value:
        """A kernel is taken out of its module, or launched."""
        name = arguments.get("name", 0)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "get_function" and isinstance(name, Text):
            return Compiled(compiled.text, name.chars)
        self._launched(compiled, self.start(node))
        return None

    def _plain_call(self, node: ast.Call, name: str, arguments: Arguments, frame: _Frame) -> Value:
        function = self.value(node.func, frame)
        first = arguments.get("", 0)
        if isinstance(function, Function):
            return self._call_function(function, arguments.positional, arguments.named, frame.depth + 1, node)
        if name in ("str", "repr") and first is not None:
            return self.text(first, self.start(node)) if not isinstance(first, list | dict) else self.unknown(node)
        if name in ("list", "tuple") and isinstance(first, list):
            return list(first)
        if name == "dict" and not arguments.positional:
            return dict(arguments.named)
        if name in ("int", "float") and isinstance(first, int | float):
            return first
        if name in ("len", "max", "min", "range", "abs"):
            return self.unknown(node)
        known = library(self, self.imports.get(name, name), self.imports, arguments)
        return known if known is not None else self._passed(node, arguments)

    def _method(self, node: ast.Call, func: ast.Attribute, arguments: Arguments, frame: _Frame) -> Value:
        owner = self._owner_of(func.value, frame)
        function = self._functions.get((owner, func.attr)) if owner else None
        if function is not None:
            skipped = arguments.positional if _is_static(function) else (None, *arguments.positional)
            return self._call_function(function, skipped, arguments.named, frame.depth + 1, node)
        known = library(self, self.written(func), self.imports, arguments)
        if known is not None:
            return known
        target = self.value(func.value, frame)
        if isinstance(target, Text):
            return text_method(self, node, func.attr, target, arguments)
        if isinstance(target, list) and func.attr in ("append", "extend"):
            more = arguments.get("", 0)
            target += more if func.attr == "extend" and isinstance(more, list) else [more]
            return None
        if isinstance(target, dict) and func.attr == "get":
            return target.get(str(key_of(arguments.get("", 0))), self.unknown(node))
        if isinstance(target, Template) and func.attr in ("substitute", "safe_substitute", "render"):
            return template(self, target, arguments)
        return self._passed(node, arguments)

    def _passed(self, node: ast.Call, arguments: Arguments) -> Value:
        """What an unknown function makes of a source text is close to that text, but not it."""
        texts = [v for v in (*arguments.positional, *arguments.named.values()) if isinstance(v, Text)]
        sources = [t for t in texts if "__global__" in t.chars]
        if len(sources) != 1:
            return self.unknown(node)
        text = sources[0]
        return Text(text.chars, text.at, (*text.through, f"{self.written(node.func)}()"))

    def _call_function(
        self,
        function: Function,
        positional: Sequence[Value],
        named: dict[str, Value],
        depth: int,
        node: ast.Call | None = None,
    ) -> Value:
        """The value that the body returns, with the parameters that are given."""
        if depth > DEEPEST_CALL or (node is not None and self._inlined > INLINED):
            return self.unknown(node) if node else None
        arguments = function.node.args
        parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        names: Names = {p.arg: Hole(p.arg, python_text.NOWHERE) for p in parameters}
        if node is not None:
            names |= self._defaults(arguments)
            names |= {p.arg: v for p, v in zip(parameters, positional)}
            names |= {name: value for name, value in named.items() if name in names}
        if arguments.vararg is not None:
            names[arguments.vararg.arg] = list(positional[len(parameters) :])
        frame = _Frame(names, function.closure, function.owner, depth)
        self._nesting += node is not None
        try:
            self._block(function.node.body, frame)
        except _Return as stop:
            return stop.value
        finally:
            self._nesting -= node is not None
        return None if node is None else self.unknown(node)

    def _defaults(self, arguments: ast.arguments) -> Names:
        plain = [*arguments.posonlyargs, *arguments.args]
        given = [*zip(plain[len(plain) - len(arguments.defaults) :], arguments.defaults)]
        given += [(p, d) for p, d in zip(arguments.kwonlyargs, arguments.kw_defaults) if d is not None]
        frame = _Frame({}, {}, None)
        return {parameter.arg: self.value(default, frame) for parameter, default in given}

    def _count(self) -> None:
        self.count()
        self._inlined += self._nesting > 0


def _restore(names: Names, before: Names) -> None:
    names.clear()
    names.update(before)


def _is_static(function: Function) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.node.decorator_list)


def _plain(value: Value) -> str | int | float | None:
    if isinstance(value, Text):
        return value.chars
    return value if isinstance(value, int | float) else None


def _formatted(value: float, written: ast.FormattedValue, content: str) -> str:
    spec = written.format_spec
    if not isinstance(spec, ast.JoinedStr) or not all(isinstance(v, ast.Constant) for v in spec.values):
        return str(value)
    try:
        return format(value, "".join(str(v.value) for v in spec.values if isinstance(v, ast.Constant)))
    except ValueError:
        return str(value)


def _number(op: ast.operator, left: float, right: float) -> float | None:
    try:
        match op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Div():
                return left / right
            case ast.FloorDiv():
                return left // right
            case ast.Mod():
                return left % right
            case ast.Pow() if abs(left) <= 1024 and 0 <= right <= 64:
                return float(left**right) if isinstance(left, float) else int(left**right)
            case ast.LShift() if isinstance(left, int) and isinstance(right, int) and 0 <= right < 64:
                return left << right
            case _:
                return None
    except (ArithmeticError, ValueError):
        return None
