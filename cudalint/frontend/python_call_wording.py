"""The calls in a Python function in C++: of libraries, of operators with what is registered of them, of functions of the file."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from cudalint.frontend.python_file import File, Rows, Told
from cudalint.frontend.python_kinds import Kinds
from cudalint.frontend.python_operators import Callee
from cudalint.frontend.python_parameters import c_argument, inner_first, named_by, reshaped
from cudalint.frontend.python_passed import Given, Parameter, Passing, Variant, bound, bound_to, result_type
from cudalint.frontend.python_registered import positional
from cudalint.frontend.python_said import UNKNOWN, Kind, Said
from cudalint.frontend.python_wording import Wording

Names = dict[str, Said]

_RETURNING = "python_value"  # what the library's functions give


@dataclass
class CallWording:
    """`chosen`: the function that the variables for one hold; to choose another one ends the program."""

    node: ast.FunctionDef
    file: File
    chosen: str = ""
    called: bool = False
    choices: set[str] = field(default_factory=set)
    declaring: str = ""
    operator: str = ""  # of which it is what is declared
    checks: bool = False
    results: tuple[Kind, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    uses: set[int] = field(default_factory=set)
    natural: frozenset[str] = frozenset()  # parameters that are not negative where the function comes to its end
    _made: int = 0
    _used: set[str] = field(default_factory=set)
    _declared: dict[str, None] = field(default_factory=dict)
    _held: dict[str, Rows] = field(default_factory=dict)
    _kinds: Kinds = field(init=False)
    _values: dict[int, Said] = field(default_factory=dict)
    _parts: dict[int, tuple[Said, ...]] = field(default_factory=dict)
    _returned: set[tuple[Kind, ...]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._kinds = Kinds(self.node, self.file, self.chosen)

    @property
    def name(self) -> str:
        """What it is called in C++."""
        return self.declaring or self.file.functions.name(self.node) + (f"_by_{self.chosen}" if self.chosen else "")

    def _declares(self, names: Names) -> list[str]:
        """What the project declares of the operator that the function runs."""
        for operator in self.file.run_by(self.node) if not self.declaring else ():
            told = self.file.told(operator)
            own = positional(self.node)
            if told is not None and len(own) == len(told.names):
                return self._told(told, {name: ast.Name(mine) for name, mine in zip(told.names, own)}, names)
        return []

    def _told(self, told: Told, given: Given, names: Names) -> list[str]:
        """What is declared of an operator holds where it is called."""
        if not told.checks:
            return []
        self._declared |= dict.fromkeys(told.declarations)
        text = f"{told.variant.name}({self._arguments(told.variant, given, names)});"
        self._learn(named_by(told.natural, given), names)
        return [text]

    def _given(self, call: ast.Call, told: Told, given: Given, names: Names) -> list[str]:
        """Where nothing else says what a call gives, it is what is declared of the operator."""
        known = list(self._parts.get(id(call), ())) or [s for s in (self._values.get(id(call)),) if s is not None]
        if not told.results or (known and tuple(said.kind for said in known) != told.results):
            return []
        self._declared |= dict.fromkeys(told.declarations)
        passed = [said.text for said in known] or ["python_lost()"] * len(told.results)
        text = f"{told.giving}({', '.join([*passed, self._arguments(told.variant, given, names)]).removesuffix(', ')})"
        return self._result(call, text, told.results)

    def _learn(self, natural: Iterable[str], names: Names) -> None:
        """Variables of which a check has told that they are not negative."""
        for name in sorted(natural):
            if names.get(name, UNKNOWN).kind is Kind.INT:
                names[name] = replace(names[name], natural=True)

    # --- calls ------------------------------------------------------------------------------------------------------------

    def _wording(self, names: Names) -> Wording:
        return Wording(names, self.file.gives_pointer, self.file.constants, self._values)

    def _functions(self, value: ast.expr) -> Rows:
        """The functions of the library that the value may be, or the rows of a table of them."""
        direct = self.file.function(value)
        if direct is not None:
            return ((direct,),)
        match value:
            case (
                ast.Call(func=ast.Attribute(value=ast.Name(id=table), attr="get"))
                | ast.Subscript(value=ast.Name(id=table))
            ):
                rows = self._held.get(table, ())
                place = value.slice if isinstance(value, ast.Subscript) else None
                if isinstance(place, ast.Constant) and isinstance(place.value, int):
                    return tuple((row[place.value],) for row in rows if 0 <= place.value < len(row))
                return rows
            case _:
                return ()

    def _calls(self, node: ast.expr, names: Names) -> list[str]:
        """The calls in an expression, inner ones first; what it changes the shape of is another tensor from there on."""
        calls = [text for call in inner_first(node) for text in self._any_call(call, names)]
        names |= dict.fromkeys(reshaped(node), UNKNOWN)
        return calls

    def _any_call(self, call: ast.Call, names: Names) -> list[str]:
        local = self.file.functions.called(call.func, self.node)
        if local is not None:
            return self._local(call, self.file, *local, names)
        imported = self.file.imported.function(call.func, self.node)
        if imported is not None:
            return self._local(call, *imported, 0, names)
        callee = self.file.operators.of(call.func)
        if callee is not None:
            return self._operated(call, callee, names)
        operator = self.file.registered_operator(call.func)
        if operator is not None:
            return self._registered(call, operator, names)
        return list(self._called(call, names))

    def _operated(self, call: ast.Call, callee: Callee, names: Names) -> list[str]:
        """A call of an operator, behind what the project declares of it."""
        given = bound_to(call, callee)
        if given is None or self.declaring:
            return []
        self.file.understood |= {
            id(call.func),
            id(getattr(call.func, "value", None)),
        }  # `ns.scale` of `ns.scale.default`
        self.called = True
        self._declared[f"extern {callee.declaration}"] = None
        passing, texts, written = Passing(self._wording(names)), list[str](), list[str]()
        for node, parameter in zip(given, callee.parameters):
            text = passing.typed(node, parameter) if node is not None else parameter.kind.value[1]
            if parameter.type.endswith("&") and not text.isidentifier() and parameter.kind is not Kind.ANY:
                self._made += 1
                written.append(
                    f"{parameter.type.removeprefix('const ').removesuffix('&')}python_{self._made} = {text};"
                )
                text = f"python_{self._made}"
            texts.append(text)
        told = self.file.told_of(callee)
        by_name = {} if told is None else {n: node for n, node in zip(told.names, given) if node is not None}
        before = self._told(told, by_name, names) if told is not None else []
        result = self._result(call, f"::{callee.function}({', '.join(texts)})", callee.results)
        after = self._given(call, told, by_name, names) if told is not None else []
        return [*written, *before, *result, *after]

    def _registered(self, call: ast.Call, operator: str, names: Names) -> list[str]:
        """A call of an operator that a function of the file runs, or of which only what it gives is told."""
        function, told = self.file.running(operator), self.file.told(operator)
        given = bound(call, told.node, 0) if told is not None and told.node is not None else None
        written = self._local(call, self.file, function, 0, names) if function is not None else []
        if told is None or given is None or self.declaring:
            return written
        before = [] if written else self._told(told, given, names)
        return [*before, *written, *self._given(call, told, given, names)]

    def _result(self, call: ast.Call, text: str, kinds: tuple[Kind, ...]) -> list[str]:
        """The call, with names for the parts of what it gives."""
        if not kinds:
            return [f"{text};"]
        self._made += 1
        own = f"python_{self._made}"
        if len(kinds) == 1:
            self._values[id(call)] = Said(own, kinds[0])
        else:
            self._parts[id(call)] = tuple(Said(f"std::get<{place}>({own})", k) for place, k in enumerate(kinds))
        return [f"{result_type(kinds)} {own} = {text};"]

    def _local(self, call: ast.Call, file: File, function: ast.FunctionDef, skipped: int, names: Names) -> list[str]:
        """A call of another function, of this file or an imported one; one that is spread out passes what is not known."""
        worded = file.worded(function)
        if worded is None or not (worded.called or worded.checks or worded.results):
            return []
        if not self.declaring:
            self.file.followed.add(id(call.func))
        given = bound(call, function, skipped) or {}
        self.uses.add(id(function))
        self.called |= worded.called
        self._declared |= dict.fromkeys(worded.declarations)
        texts = [f"{each.name}({self._arguments(each, given, names)})" for each in worded.variants]
        self._learn(named_by(worded.natural, given), names)
        if len(texts) == 1:
            return self._result(call, texts[0], worded.results)
        return [f"if (python_bool()) {{ {text}; }}" for text in texts]

    def _arguments(self, variant: Variant, given: Mapping[str, ast.expr], names: Names) -> str:
        passing, found = Passing(self._wording(names)), list[str]()
        for parameter in variant.parameters:
            node = given.get(parameter.name)
            found += [passing.argument(node, parameter.kind), *passing.elements(node, parameter)]
        return ", ".join(found)

    def _called(self, call: ast.Call, names: Names) -> Iterator[str]:
        name = self.file.function(call.func)
        if name is None and isinstance(call.func, ast.Name) and call.func.id in self._held:
            name = self.chosen
        if not name or any(isinstance(a, ast.Starred) for a in call.args) or call.keywords:
            return
        types = self.file.prototype(name)
        if types is not None and len(types) != len(call.args):
            return
        wording = self._wording(names)
        given = [
            c_argument(node, wording.of(node), types[place] if types is not None else "")
            for place, node in enumerate(call.args)
        ]
        self.called = True
        self._declared[f"{_RETURNING} {name}({', '.join(type_ for type_, _ in given)});"] = None
        yield f"{name}({', '.join(text for _, text in given)});"
