"""The statements of a Python function in C++: assignments, checks, branches, calls of libraries, operators and other functions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from cudalint.frontend.python_call_wording import CallWording, Names
from cudalint.frontend.python_file import Rows
from cudalint.frontend.python_parameters import (
    kind_of,
    natural_where,
    of_one_kind,
    reshaped,
    stored_names,
    yields,
)
from cudalint.frontend.python_passed import (
    Parameter,
    element_parameters,
    result_type,
)
from cudalint.frontend.python_said import UNKNOWN, Kind, Said, in_c
from cudalint.frontend.python_wording import present_tensor, tested_for_none

_CARRIED = frozenset((Kind.TENSOR, Kind.OPTIONAL, Kind.INT, Kind.BOOL, Kind.TYPE, Kind.SIZES))
_CHECKS = frozenset(
    ("_check", "_check_value", "_check_type", "_check_index")
)  # of torch: what follows holds behind them


@dataclass
class FunctionWording(CallWording):
    """One function: its parameters and its body."""

    def text(self) -> str:
        """The function in C++; what it gives is told where all its returns give tensors, or all an integer or a truth."""
        self.results = ()
        text, open_end = self._text()
        if not open_end and len(self._returned) == 1 and not yields(self.node):
            self.results = next(iter(self._returned))
            text, _ = self._text() if self.results else (text, False)
        return text

    def _text(self) -> tuple[str, bool]:
        self.called, self.checks, self._made, self._declared = False, False, 0, {}
        self._held, self._values, self._parts, self._returned = dict(self.file.tables), {}, {}, set()
        names: Names = {}
        arguments = self.node.args
        given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        asked = self.file.asked_kinds(self.node, self.operator)
        kinds = {a.arg: self._kind(a, asked) for a in given}
        for name, kind in kinds.items():
            names[name] = UNKNOWN if kind is Kind.ANY else Said(in_c(name), kind)
        first = dict(names)
        self._used = {said.text for said in first.values()}
        before = self._declares(names)
        body, ended = self._block(self.node.body, names)
        body = [*before, *body]
        lists = {said.text: self._elements_of(said, body) for said in (*first.values(), *names.values())}
        self.parameters = tuple(
            Parameter(name, kind, lists[first[name].text]) for name, kind in kinds.items() if kind is not Kind.ANY
        )
        written = [f"{p.kind.value[0]} {first[p.name].text}" for p in self.parameters]
        written = [
            t for p, text in zip(self.parameters, written) for t in (text, *element_parameters(first[p.name].text, p))
        ]
        own = {first[p.name].text for p in self.parameters}
        returns = [n for n in ast.walk(self.node) if isinstance(n, ast.Return) and n is not self.node.body[-1]]
        self.natural = frozenset(
            n for n, said in first.items() if names[n] == replace(said, natural=True) and not returns
        )
        made = [
            f"long {t}_{place} = python_given();" for t, places in lists.items() if t not in own for place in places
        ]
        text = f"{result_type(self.results)} {self.name}({', '.join(written)}) {{ {' '.join([*made, *body])} }}"
        return f"{' '.join(self._declared)} {text}", not ended

    def _kind(self, argument: ast.arg, asked: Mapping[str, Kind]) -> Kind:
        """As the annotation says, else the schema of the operator that the function is registered for, else its uses."""
        told = asked.get(argument.arg, Kind.ANY)
        if argument.annotation is None and told is not Kind.ANY:
            return told
        kind = kind_of(argument, self.node, self._kinds.is_counted)
        kind = told if kind is Kind.ANY else kind
        return self._kinds.passed(argument.arg) if kind is Kind.ANY else kind

    def _elements_of(self, said: Said, body: list[str]) -> tuple[str, ...]:
        """The places of a list that the body asks for."""
        if said.kind is not Kind.SIZES or not said.text.isidentifier():
            return ()
        return tuple(sorted(set(re.findall(rf"\b{said.text}_(\d+)\b", " ".join(body)))))

    # --- statements -----------------------------------------------------------------------------------------------------

    def _block(self, body: Iterable[ast.stmt], names: Names) -> tuple[list[str], bool]:
        """What the statements say, and whether nobody is behind them."""
        written: list[str] = []
        for stmt in body:
            more, ended = self._statement(stmt, names)
            written += more
            if ended:
                return written, True
        return written, False

    def _statement(self, stmt: ast.stmt, names: Names) -> tuple[list[str], bool]:
        match stmt:
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                return self._assign(stmt, names)
            case ast.Expr():
                return [*self._calls(stmt.value, names), *self._checked(stmt.value, names)], False
            case ast.If():
                return self._if(stmt, names)
            case ast.Assert():
                before = self._calls(stmt.test, names)
                return [*before, self._check(stmt.test, names)], False
            case ast.Raise():
                self.checks = True
                return ["std::abort();"], True
            case ast.Return():
                return self._return(stmt, names), True
            case ast.With():
                before = [text for item in stmt.items for text in self._calls(item.context_expr, names)]
                for item in stmt.items:
                    self._forget(item.optional_vars, names)
                body, ended = self._block(stmt.body, names)
                return [*before, *body], ended
            case ast.For() | ast.While():
                self._forget(stmt, names)
                body, _ = self._block(stmt.body, names)
                self._forget(stmt, names)
                return ["while (python_bool()) {", *body, "}"], False
            case ast.Try():
                self._forget(stmt, names)
                body, _ = self._block([*stmt.body, *stmt.orelse], names)
                self._forget(stmt, names)
                return ["if (python_bool()) {", *body, "}"], False
            case ast.FunctionDef() | ast.ClassDef():
                return [], False
            case _:
                self._forget(stmt, names)
                return [], False

    def _checked(self, value: ast.expr, names: Names) -> list[str]:
        """`torch._check(x.dim() == 2)`"""
        if not isinstance(value, ast.Call) or not value.args or not isinstance(value.func, ast.Attribute):
            return []
        if value.func.attr not in _CHECKS or getattr(value.func.value, "id", "") != "torch":
            return []
        return [self._check(value.args[0], names)]

    def _check(self, test: ast.expr, names: Names) -> str:
        """The program ends where the test does not hold."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return " ".join(self._check(value, names) for value in test.values)
        self.checks = True
        text = f"if (!{self._wording(names).truth(test)}) {{ std::abort(); }}"
        self._learn(natural_where(test, True), names)
        tested, present = tested_for_none(test)
        if present and names.get(tested, UNKNOWN).kind is Kind.OPTIONAL:
            names[tested] = present_tensor(names[tested])
        return text

    def _return(self, stmt: ast.Return, names: Names) -> list[str]:
        """What it gives is a temporary, where that is told."""
        before = [] if stmt.value is None else self._calls(stmt.value, names)
        listed = stmt.value.elts if isinstance(stmt.value, ast.Tuple) else [stmt.value]
        wording = self._wording(names)
        said = [wording.of(each) if each is not None else UNKNOWN for each in listed]
        if stmt.value is not None and id(stmt.value) in self._parts:
            said = list(self._parts[id(stmt.value)])
        kinds = tuple(each.kind for each in said)
        tensors = all(kind is Kind.TENSOR for kind in kinds) and not any(each.flat for each in said)
        self._returned.add(kinds if tensors or kinds in ((Kind.INT,), (Kind.BOOL,)) else ())
        if not self.results:
            return [*before, "return;"]
        if len(said) == 1:
            return [*before, f"return {said[0].text};"]
        made = [self._temporary(each) for each in said]
        texts = [text for _, text in made]
        return [*before, *texts, f"return std::make_tuple({', '.join(own.text for own, _ in made)});"]

    def _temporary(self, said: Said) -> tuple[Said, str]:
        """A variable of its own for a value."""
        self._made += 1
        own = f"python_{self._made}"
        return replace(said, text=own), f"{said.kind.value[0]} {own} = {said.text};"

    def _forget(self, node: ast.AST | None, names: Names) -> None:
        for name in stored_names(node) | set(reshaped(node)):
            names[name] = UNKNOWN
            self._held.pop(name, None)

    def _assign(self, stmt: ast.Assign | ast.AnnAssign | ast.AugAssign, names: Names) -> tuple[list[str], bool]:
        if stmt.value is None:
            return [], False
        targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]
        written = self._calls(stmt.value, names)
        if len(targets) == 1 and isinstance(targets[0], ast.Tuple | ast.List) and isinstance(stmt, ast.Assign):
            return [*written, *self._unpacked(targets[0], stmt.value, names)], False
        if len(targets) != 1 or not isinstance(targets[0], ast.Name):
            for target in targets:
                if isinstance(target, ast.Tuple | ast.List | ast.Name | ast.Starred):
                    self._forget(target, names)
            return written, False
        name, value = targets[0].id, stmt.value
        if isinstance(stmt, ast.AugAssign):
            if names.get(name, UNKNOWN).kind in (Kind.TENSOR, Kind.OPTIONAL):
                return written, False  # in place
            value = ast.BinOp(ast.Name(name), stmt.op, stmt.value)
        rows = self._functions(value)
        if rows:
            names[name] = UNKNOWN
            return self._choose(name, rows, written)
        self._held.pop(name, None)
        said = self._wording(names).of(value)
        if _is_the_same(name, value, names):
            return written, False
        return [*written, *self._named(name, said, names)], False

    def _named(self, name: str, said: Said, names: Names) -> list[str]:
        """The variable with a value; one of which nothing is known but that it is used as a tensor is one."""
        if said.kind is Kind.ANY and self._kinds.is_tensor(name):
            said = Said(Kind.TENSOR.value[1], Kind.TENSOR)
        if said.kind in (Kind.ANY, Kind.NONE, Kind.FLOAT) or said.text.endswith(".sizes()"):
            names[name] = said
            return []
        own = name
        if name in self._used or in_c(name) != name:
            self._made += 1
            own = f"{name}_{self._made}"
        self._used.add(own)
        names[name] = Said(own, said.kind, said.natural, said.flat)
        made = [f"if ({own}.scalar_type() != {said.item}) {{ std::abort(); }}"] if said.item else []
        return [f"{said.kind.value[0]} {own} = {said.text};", *made]

    def _unpacked(self, target: ast.Tuple | ast.List, value: ast.expr, names: Names) -> list[str]:
        """`rows, cols = x.shape`, `a, b = b, a` and `y, z = operator(x)`"""
        own = [each.id if isinstance(each, ast.Name) else "" for each in target.elts]
        said, checked = list(self._parts.get(id(value), ())), list[str]()
        if not said and isinstance(value, ast.Tuple):
            said = [self._wording(names).of(each) for each in value.elts]
        sizes = self._wording(names).of(value)
        if not said and sizes.kind is Kind.SIZES and sizes.text.endswith(".sizes()"):
            tensor = sizes.text.removesuffix(".sizes()")
            said = [Said(f"{tensor}.size({place})", Kind.INT, True) for place in range(len(own))]
            checked = [f"if ({tensor}.dim() != {len(own)}) {{ std::abort(); }}"]
        self._forget(target, names)
        if len(said) != len(own) or any(isinstance(each, ast.Starred) for each in target.elts):
            said = [UNKNOWN] * len(own)
            checked = []
        return [*checked, *(text for each, of in zip(own, said) if each for text in self._named(each, of, names))]

    def _choose(self, name: str, rows: Rows, written: list[str]) -> tuple[list[str], bool]:
        self._held[name] = rows
        if all(len(row) == 1 for row in rows):
            offered = {row[0] for row in rows}
            self.choices |= offered
            if self.chosen and self.chosen not in offered:
                return [*written, "std::abort();"], True
        return written, False

    def _if(self, stmt: ast.If, names: Names) -> tuple[list[str], bool]:
        if isinstance(stmt.test, ast.BoolOp) and isinstance(stmt.test.op, ast.Or) and _only_ends(stmt):
            parts = [self._if(ast.If(value, stmt.body, []), names)[0] for value in stmt.test.values]
            return [text for part in parts for text in part], False
        written = self._calls(stmt.test, names)
        cond = self._wording(names).truth(stmt.test)
        then, orelse, held = dict(names), dict(names), dict(self._held)
        tested, present = tested_for_none(stmt.test)
        if names.get(tested, UNKNOWN).kind is Kind.OPTIONAL:
            (then if present else orelse)[tested] = present_tensor(names[tested])
            (orelse if present else then)[tested] = Said("nullptr", Kind.NONE)
        used = set(self._used)
        body, then_ended = self._block(stmt.body, then)
        self._used = set(used)
        held_then, self._held = self._held, dict(held)
        other, else_ended = self._block(stmt.orelse, orelse)
        self._used = used
        held_else = self._held
        if not then_ended and held_else.keys() - held_then.keys():  # a variable without a value: no call is made
            body, then_ended = [*body, "std::abort();"], True
        if not else_ended and held_then.keys() - held_else.keys():
            other, else_ended = [*other, "std::abort();"], True
        self._held = {**held_then, **held_else}
        if then_ended:
            self._learn(natural_where(stmt.test, False), orelse)
            self._learn(natural_where(stmt.test, False), names)
        if then_ended != else_ended and tested in names and tested not in stored_names(stmt):
            names[tested] = (orelse if then_ended else then)[tested]
        live = [side for side, ended in (((then, body), then_ended), ((orelse, other), else_ended)) if not ended]
        joined: list[str] = []
        for name in sorted(stored_names(stmt)):
            values = [side.get(name, UNKNOWN) for side, _ in live]
            if not values or all(value == names.get(name) for value in values):
                continue
            values = of_one_kind(values)
            if len({value.kind for value in values}) > 1 or values[0].kind not in _CARRIED:
                names[name] = UNKNOWN
                continue
            self._made += 1
            own, kind = f"{name}_{self._made}", values[0].kind
            joined.append(f"{kind.value[0]} {own} = {kind.value[1]};")
            for value, (_, text) in zip(values, live):
                text.append(f"{own} = {value.text};")
            names[name] = Said(own, kind, all(v.natural for v in values), any(v.flat for v in values))
        return [*written, *joined, f"if ({cond}) {{", *body, "} else {", *other, "}"], not live


def _is_the_same(name: str, value: ast.expr, names: Names) -> bool:
    """`x = x.contiguous()`: what it has of dense elements is what is said of a tensor in any case."""
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="contiguous"), args=[], keywords=[]):
            return owner == name and names.get(name, UNKNOWN).kind is Kind.TENSOR
        case _:
            return False


def _only_ends(stmt: ast.If) -> bool:
    """`if a or b: raise ValueError`"""
    return not stmt.orelse and len(stmt.body) == 1 and isinstance(stmt.body[0], ast.Raise)
