"""Python functions that call a library of C, or operators, as C++ that says the same of sizes, types and checks.

    def scale(x: torch.Tensor):                      void scale(at::Tensor x) {
        if x.dtype != torch.float32: raise ...         if (x.scalar_type() != at::kFloat) { std::abort(); }
        y = torch.empty_like(x)                        at::Tensor y = at::empty_like(x);
        lib.cscale(x.data_ptr(), y.data_ptr(), n)      cscale(x.data_ptr(), y.data_ptr(), (int)(n)); }

Read as text, never executed. What is not understood becomes the result of a function that nothing is known of. Each function
stands on the line of its `def`; one that chooses among several of the library's is written once for each of them.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterable, Mapping

from cudalint.analysis.operators import DECLARED
from cudalint.frontend.python_file import File, Prototype, Told
from cudalint.frontend.python_imported import Module
from cudalint.frontend.python_operators import NO_OPERATORS, Callee, Operators, Project
from cudalint.frontend.python_parameters import stored_names
from cudalint.frontend.python_passed import Parameter, Variant, Worded, result_type
from cudalint.frontend.python_registered import NOTHING, Registered, key_of, registered_in
from cudalint.frontend.python_registered import called as operator_called
from cudalint.frontend.python_said import Kind, in_c
from cudalint.frontend.python_statements import FunctionWording
from cudalint.frontend.python_tree import tree_of
from cudalint.frontend.python_wording import PRELUDE

MOST_CHOICES = 24
MOST_CASES = 2  # tensors that a function makes if none is given, of which each case has a caller of its own


def as_host_code(text: str, module: Module, prototype: Prototype, project: Project = NO_OPERATORS) -> str:
    """The C++ of the functions that call a library or operators; empty where none does or the file cannot be read."""
    tree = tree_of(text)
    if tree is None:
        return ""
    file = File(tree, module, prototype, project, _worded, _declared)
    lines: dict[int, list[str]] = {}
    functions = [place.node for place in file.functions.places.values()]
    worded = {id(node): file.worded(node) for node in functions}
    emitted = _emitted(worded)
    escaping = file.functions.escaping(file.followed | file.understood)

    def is_entry(node: ast.FunctionDef) -> bool:
        return bool(file.run_by(node)) or id(node) in escaping or file.functions.is_entry(node, project.elsewhere)

    inside = {callee for key in emitted if (each := worded.get(key)) is not None for callee in each.uses}
    for node in functions:
        each = worded[id(node)]
        if each is not None and id(node) in emitted:
            lines.setdefault(node.lineno, []).extend(variant.text for variant in each.variants)
            is_called = id(node) in inside
            if each.called and (not is_called or is_entry(node)):
                lines[node.lineno].extend(text for v in each.variants for text in _callers(node, v, is_called))
    for name, registered in sorted(file.registered.items()):
        if registered.declaring is not None:
            lines.setdefault(registered.declaring.lineno, []).extend(_declaration(name, file))
    for callee in (c for name in sorted(project.unread) for c in project.callees.get(name, ())):
        lines.setdefault(0, []).append(_anything(callee, f"{callee.operator.name}_elsewhere", file))
    for line, callee in _not_understood(tree, file):
        lines.setdefault(line, []).append(_anything(callee, f"{callee.operator.name}_at_{line}", file))
    for callee in _only_told_in_c(project) if project.first else ():
        lines.setdefault(0, []).append(_anything(callee, f"{callee.operator.name}_as_declared", file))
    lines.setdefault(0, []).extend(_imported(emitted, file))
    told = [text for _, each in sorted(file.told_in_c.items()) for text in (each.variant.text, *_giving(each))]
    lines[0] = [*told, *lines.get(0, [])]
    if not any(lines.values()):
        return ""
    first = 1 + PRELUDE.count("\n")
    early = " ".join(text for number in sorted(lines) if number <= first for text in lines[number])
    rest = (" ".join(lines.get(number, ())) for number in range(first + 1, max(lines) + 1))
    return "\n".join([f"{PRELUDE} {early}".rstrip(), *rest])


def project_of(
    callees: Mapping[str, tuple[Callee, ...]],
    texts: Iterable[str],
    elsewhere: frozenset[str],
    unread: frozenset[str],
    first: bool = False,
) -> Project:
    """What the Python files at hand say of the operators: which they call, and what they declare of them."""
    registered: dict[str, Registered] = {}
    spoken, asked = set[str](), set[str]()
    trees = []
    for text in texts:
        tree = tree_of(text)
        if tree is None:
            continue
        trees.append(tree)
        for name, each in registered_in(trees[-1]).items():
            registered[name] = registered.get(name, NOTHING).and_of(each)
    for tree in trees:
        operators = Operators(callees, tree)
        for node in (n for n in ast.walk(tree) if isinstance(n, ast.Attribute | ast.Call | ast.Name)):
            spoken.update(callee.operator.name for callee in operators.all(node))
            asked.update(filter(None, (operator_called(registered, node),)))
    return Project(callees, elsewhere, registered, frozenset(spoken), unread, first, frozenset(asked))


def called_names(text: str) -> frozenset[str]:
    """The functions of the library that the C++ of a Python file calls."""
    return frozenset(re.findall(r"(?:\bpython_value|\bextern [\w:<>, ]+?|\bvoid(?= declared_)) (\w+)\(", text))


def _worded(function: ast.FunctionDef, file: File) -> Worded:
    """The function, once for each function of the library that it may choose."""
    first = FunctionWording(function, file)
    made = [(first, first.text())]
    if first.choices:
        chosen = [FunctionWording(function, file, chosen=name) for name in sorted(first.choices)[:MOST_CHOICES]]
        made = [(each, text) for each in chosen if (text := each.text()) and each.called]
    return Worded(
        tuple(Variant(each.name, each.parameters, text) for each, text in made),
        first.results if not first.choices else (),
        any(each.called for each, _ in made),
        first.checks,
        first.natural,
        frozenset(use for each, _ in made for use in each.uses),
    )


def _declared(operator: str, function: ast.FunctionDef, file: File) -> Worded:
    """What a function declares of an operator: its checks alone, by the name of the operator."""
    name = re.sub(r"\W+", "_", operator).strip("_")
    first = FunctionWording(function, file, declaring=DECLARED + name, operator=operator)
    text = first.text()
    return Worded((Variant(first.name, first.parameters, text),), first.results, False, first.checks, first.natural)


def _emitted(worded: dict[int, Worded | None]) -> set[int]:
    """The functions that lead to calls of a library or of operators, and those that they use."""
    found = {key for key, each in worded.items() if each is not None and each.called}
    pending = sorted(found)
    while pending:
        each = worded.get(pending.pop())  # of another file there is no entry
        more = sorted((each.uses if each is not None else frozenset()) - found)
        found.update(more)
        pending += more
    return found


def _imported(emitted: set[int], file: File) -> list[str]:
    """The functions of other files that those of this one use."""
    found = list[str]()
    for other in (each for each in file.imported.files.values() if each is not None):
        places = other.functions.places
        pending = [key for key in places if key in emitted]
        for key in pending:
            each = other.worded(places[key].node)
            if each is not None:
                pending += [use for use in places if use in each.uses and use not in pending]
                found += [variant.text for variant in each.variants]
    return found


def _callers(node: ast.FunctionDef, variant: Variant, is_called: bool) -> list[str]:
    """Callers from outside the file, which pass what they like: of tensors that the function makes if none is given, each case.

    def f(x, out=None): ...       ->     f_with_out(x, out), f_without_out(x)
    """
    made = stored_names(node)
    own = [p.name for p in variant.parameters if p.kind is Kind.OPTIONAL and p.name in made][:MOST_CASES]
    cases = list(itertools.product((True, False), repeat=len(own)))
    return [_caller(variant, dict(zip(own, case))) for case in cases] if own or is_called else []


def _caller(variant: Variant, present: Mapping[str, bool]) -> str:
    written, passed = list[str](), list[str]()
    for parameter in variant.parameters:
        name, given = in_c(parameter.name), present.get(parameter.name)
        if given is None:
            lists = _with_elements(parameter)
            written += [f"{type_} {each}" for type_, each in lists]
            passed += [each for _, each in lists]
        else:
            written += [f"at::Tensor {name}"] if given else []
            passed.append(f"std::optional<at::Tensor>({name if given else ''})")
    cases = "".join(f"_with{'' if given else 'out'}_{name}" for name, given in present.items())
    name = variant.name + (cases or "_from_outside")
    return f"void {name}({', '.join(written)}) {{ {variant.name}({', '.join(passed)}); }}"


def _declaration(name: str, file: File) -> list[str]:
    """What the file declares of an operator; of one that no Python calls, as its caller."""
    told = file.told(name)
    space, _, short = name.partition("::")
    callees = [c for c in file.project.callees.get(short, ()) if space in ("", c.operator.space)]
    gives = told is not None and bool(told.results) and (bool(callees) or name in file.project.asked)
    if told is None or not (told.checks or gives):
        return []
    uncalled = len(callees) == 1 and short not in file.project.called
    caller = [_anything(callees[0], f"{short}_as_declared", file)] if uncalled else []
    return [told.variant.text, *(_giving(told) if gives else ()), *caller]


def _only_told_in_c(project: Project) -> list[Callee]:
    """The operators that no Python calls, or says anything of, and of which C++ declares something."""
    callees = (c for name in sorted(project.callees.keys() - project.called) for c in project.callees[name])
    return [
        callee
        for callee in callees
        if callee.declaring is not None
        and key_of(project.registered, callee.operator.space, callee.operator.name) is None
    ]


def _giving(told: Told) -> list[str]:
    """What an operator gives is what is known of it, or else like what is declared: of those sizes and that type.

    Nobody runs what is declared: where the code itself says more, that holds.
    """
    if not told.results:
        return []
    known = [f"python_known_{place}" for place, _ in enumerate(told.results)]
    parameters = [pair for p in told.variant.parameters for pair in _with_elements(p)]
    written = ", ".join([*(f"at::Tensor {name}" for name in known), *(f"{type_} {name}" for type_, name in parameters)])
    result = result_type(told.results)
    body = [f"{result} python_told = {told.variant.name}({', '.join(name for _, name in parameters)});"]
    for place, name in enumerate(known):
        part = f"std::get<{place}>(python_told)" if len(known) > 1 else "python_told"
        new, like = (
            f"result_{place}_of_{told.short}" if len(known) > 1 else f"result_of_{told.short}",
            f"python_part_{place}",
        )
        body.append(f"at::Tensor {like} = {part}; at::Tensor {new} = python_tensor();")
        sized = f"{new}.sizes() == {like}.sizes() && {new}.numel() == {like}.numel()"
        typed = f"{new}.scalar_type() == {like}.scalar_type()"
        checks = f"if (!({sized})) {{ std::abort(); }} if (!({typed})) {{ std::abort(); }}"
        body.append(f"if (python_open({name})) {{ {name} = {new}; {checks} }}")
    given = f"std::make_tuple({', '.join(known)})" if len(known) > 1 else known[0]
    return [f"{result} {told.giving}({written}) {{ {' '.join(body)} return {given}; }}"]


def _with_elements(parameter: Parameter) -> list[tuple[str, str]]:
    """Type and name of a parameter in C++, and of those for the elements of a list."""
    name = in_c(parameter.name)
    return [(parameter.kind.value[0], name), *(("long", f"{name}_{each}") for each in parameter.elements)]


def _not_understood(tree: ast.Module, file: File) -> list[tuple[int, Callee]]:
    """Where the file speaks of an operator other than in a call that is in the C++: what it passes there may be anything."""
    found = {
        (callee.function, node.lineno): callee
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute | ast.Call | ast.Name) and id(node) not in file.understood
        for callee in file.operators.all(node)
    }
    known = dict[str, tuple[int, Callee]]()
    for (function, line), callee in sorted(found.items(), key=lambda each: each[0]):
        known.setdefault(function, (line, callee))
    return list(known.values())


def _anything(callee: Callee, name: str, file: File) -> str:
    """A caller of the operator that passes anything that its types let through, and what is declared of it."""
    told = file.told_of(callee)
    names = [f"given_{n}" for n, _ in enumerate(callee.parameters)] if told is None else list(map(in_c, told.names))
    types = [p.type.removeprefix("const ").removesuffix("&").strip() for p in callee.parameters]
    before = ""
    if told is not None and told.checks:
        known = {n: (given, p.kind) for n, given, p in zip(told.names, names, callee.parameters)}
        passed = [text for p in told.variant.parameters for text in _as_asked(p, *known[p.name])]
        before = f"{told.variant.name}({', '.join(passed)}); "
    written, given = ", ".join(f"{t} {n}" for t, n in zip(types, names)), ", ".join(names)
    return f"extern {callee.declaration} void {name}({written}) {{ {before}::{callee.function}({given}); }}"


def _as_asked(parameter: Parameter, given: str, kind: Kind) -> list[str]:
    """What is passed for a parameter of what is declared of an operator, and for the elements of a list."""
    alike = {kind, parameter.kind} == {Kind.OPTIONAL, Kind.TENSOR}
    if alike:
        text = f"std::optional<at::Tensor>({given})" if kind is Kind.TENSOR else f"{given}.value()"
    else:
        text = given if kind is parameter.kind else parameter.kind.value[1]
    return [text, *[Kind.INT.value[1]] * len(parameter.elements)]
