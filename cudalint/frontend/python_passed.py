"""What a call in Python passes, as arguments in C++: to operators of the project and to functions of the same file."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

from cudalint.frontend.python_operators import Callee, Taken
from cudalint.frontend.python_said import Kind, Said
from cudalint.frontend.python_wording import Wording, as_optional

Given = Mapping[str, ast.expr]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a Python function in C++; of a list also the places of the elements that are inputs of their own."""

    name: str
    kind: Kind
    elements: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Variant:
    """One function in C++: its name, parameters and text."""

    name: str
    parameters: tuple[Parameter, ...]
    text: str

    @property
    def types(self) -> str:
        lists = ((p.kind.value[0], *("long" for _ in p.elements)) for p in self.parameters)
        return ", ".join(type_ for types in lists for type_ in types)


@dataclass(frozen=True, slots=True)
class Worded:
    """A function of Python in C++: once for each function of the library that it may choose.

    `called`: it leads to the library or to an operator; `checks`: it ends the program where something does not hold.
    `natural` are parameters that are not negative behind a call of it, `uses` the functions of the file that it calls.
    """

    variants: tuple[Variant, ...]
    results: tuple[Kind, ...] = ()
    called: bool = False
    checks: bool = False
    natural: frozenset[str] = frozenset()
    uses: frozenset[int] = frozenset()

    @property
    def declarations(self) -> tuple[str, ...]:
        return tuple(f"{result_type(self.results)} {each.name}({each.types});" for each in self.variants)


def result_type(results: tuple[Kind, ...]) -> str:
    """The type of what a function gives that has these parts."""
    if len(results) > 1:
        return f"std::tuple<{', '.join(kind.value[0] for kind in results)}>"
    return results[0].value[0] if results else "void"


def bound(call: ast.Call, function: ast.FunctionDef, skipped: int) -> Given | None:
    """The arguments by the names of the parameters, behind the `skipped` first ones; None where a list of them is spread out."""
    if any(isinstance(each, ast.Starred) for each in call.args) or any(k.arg is None for k in call.keywords):
        return None
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)][skipped:]
    given = dict(zip(names, call.args))
    given |= {k.arg: k.value for k in call.keywords if k.arg is not None}
    return {**_defaults(function), **given}


def bound_to(call: ast.Call, callee: Callee) -> tuple[ast.expr | None, ...] | None:
    """The argument of each parameter of an operator; None where that is not told."""
    if any(isinstance(each, ast.Starred) for each in call.args) or any(k.arg is None for k in call.keywords):
        return None
    if len(call.args) > len(callee.parameters):
        return None
    given: list[ast.expr | None] = [*call.args, *[None] * (len(callee.parameters) - len(call.args))]
    places = {p.name: place for place, p in enumerate(callee.parameters) if p.name}
    for keyword in call.keywords:
        place = places.get(keyword.arg or "")
        if place is None or place < len(call.args):
            return None
        given[place] = keyword.value
    for place, parameter in enumerate(callee.parameters):
        if given[place] is None:
            if parameter.default is None:
                return None
            given[place] = _written_default(parameter.default)
    return tuple(given)


def _written_default(text: str) -> ast.expr:
    """A default of a schema or of C++; what is no plain number is not known."""
    plain = {"true": "True", "false": "False", "nullptr": "None", "std::nullopt": "None", "c10::nullopt": "None"}
    try:
        return ast.parse(plain.get(text.strip(), text.strip()), mode="eval").body
    except SyntaxError:
        return ast.Name("...")


def _defaults(function: ast.FunctionDef) -> dict[str, ast.expr]:
    places = [*function.args.posonlyargs, *function.args.args]
    pairs = [
        *zip(reversed(places), reversed(function.args.defaults)),
        *zip(function.args.kwonlyargs, function.args.kw_defaults),
    ]
    return {place.arg: value for place, value in pairs if value is not None}


@dataclass(frozen=True, slots=True)
class Passing:
    """`wording` says what the expressions of the caller are."""

    wording: Wording

    def argument(self, node: ast.expr | None, kind: Kind) -> str:
        """The expression as a value of the kind; a value of which nothing is known where it is none, or none is given."""
        said = self.wording.of(node) if node is not None else None
        if said is None:
            return kind.value[1]
        match kind:
            case Kind.TENSOR:
                return self._tensor(node, said)
            case Kind.OPTIONAL:
                return (
                    as_optional(_unflat(said))
                    if said.kind in (Kind.TENSOR, Kind.OPTIONAL, Kind.NONE)
                    else kind.value[1]
                )
            case Kind.INT:
                if said.kind is Kind.INT:
                    return said.text
                return "python_given()" if isinstance(node, ast.Attribute | ast.Name) else kind.value[1]
            case _:
                return said.text if said.kind is kind else kind.value[1]

    def _tensor(self, node: ast.expr | None, said: Said) -> str:
        if said.kind is Kind.NONE:
            return "at::Tensor()"
        tensor = self.wording.tensor(node) if node is not None else None
        return Kind.TENSOR.value[1] if tensor is None else _unflat(tensor).text

    def elements(self, node: ast.expr | None, parameter: Parameter) -> list[str]:
        """The elements of a list that the callee asks for."""
        if node is None:
            return [Kind.INT.value[1]] * len(parameter.elements)
        values = [self.wording.of(ast.Subscript(node, ast.Constant(int(place)))) for place in parameter.elements]
        if isinstance(node, ast.Tuple | ast.List) and not any(isinstance(e, ast.Starred) for e in node.elts):
            count = len(node.elts)
            values = [self.wording.of(node.elts[int(p)]) if int(p) < count else values[0] for p in parameter.elements]
        return [said.text if said.kind is Kind.INT else Kind.INT.value[1] for said in values]

    def typed(self, node: ast.expr, parameter: Taken) -> str:
        """The expression as an argument of the parameter's type; what it does not say is left to the caller of all."""
        text = self.argument(node, parameter.kind)
        text = "python_given()" if text == Kind.INT.value[1] else text
        return f"({parameter.type})({text})" if parameter.kind is Kind.INT and "&" not in parameter.type else text


def _unflat(said: Said) -> Said:
    """Of a tensor whose sizes are not told, one with as many elements."""
    if not said.flat:
        return said
    return (
        Said(f"{said.text}.squeeze()", Kind.TENSOR)
        if said.kind is Kind.TENSOR
        else Said(Kind.OPTIONAL.value[1], Kind.OPTIONAL)
    )


def is_reference(type_: str) -> bool:
    """A parameter that is no copy gets a variable."""
    return bool(re.search(r"&$", type_))


def element_parameters(text: str, parameter: Parameter) -> list[str]:
    """The parameters for elements of a list."""
    return [f"long {text}_{place}" for place in parameter.elements]
