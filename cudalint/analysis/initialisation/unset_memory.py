"""Memory that a host function makes and hands to a kernel that adds to it or reads it, with nothing in between that sets it.

    cudaMalloc(&sum, bytes);  add<<<grid, block>>>(x, sum);          // atomicAdd(sum, ...): to what the memory held
    auto out = torch::empty({n});  add<<<grid, block>>>(x, out.data_ptr<float>());

The variable is a local one, and the launch is the first to name it after its allocation, beside others whose kernels
set nothing either: whatever could set the memory would have to name it. What nobody asks for afterwards is a test of
speed. Memory that is only read counts where others of the launch are filled from the host.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cudalint.analysis.initialisation.unset_flags import flag_set
from cudalint.analysis.initialisation.unset_makers import is_class, is_unset_class, makes_unset, plain
from cudalint.analysis.text.guard_patterns import GuardIssue, bodies, names_in
from cudalint.analysis.text.launched_kernels import launched_kernels
from cudalint.analysis.text.scopes import COORDINATES, uncast
from cudalint.analysis.text.text_program import Body, Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax

_ALLOCATES = re.compile(r"(cuda|hip)Malloc(Async|Managed)?$")
_EMPTY = re.compile(r"(^|::|\.|->)(empty|empty_like|empty_cuda|new_empty|empty_strided)$")
_WITHOUT_VALUES = re.compile(r"(\w+::)*(device_uvector|\w*pool_alloc)\b")
_SCALAR = re.compile(r"(\w+::)*device_scalar\b")  # of a stream alone; a value would come first
_GIVES = re.compile(r"(Alloc(Workspace|DataSpace)|raw_alloc(ate)?(_with_stream)?|memAlloc)$")
_MAKES = re.compile(r"(^|::)make_device_(vector|matrix|scalar)$")
_SETS = re.compile(r"[sS]et|[cC]opy|cpy|[fF]ill|[iI]nit|[zZ]ero")
_COPIES = re.compile(r"(cuda|hip)Memcpy(Async)?$")
_ADDS = re.compile(r"(atomic|red_?)(Add|Sub|Max|Min|Inc|Dec|Or|And|Xor|CAS)(_block|_system)?$", re.IGNORECASE)
_DATA = re.compile(r"(\.|->)((mutable_)?(data|data_ptr)|data_handle|get|ptr)$|(packed_accessor|accessor)\w*$")
_LOADS = re.compile(r"__ldg|__ldcg|__ldcs|__ldca|__ldlu|__ldcv$")
_VALUES = re.compile(
    r"(__)?([a-z]*(min|max|exp|log|sqrt|abs|pow|tanh|sin|cos|fma|fmaf|floor|ceil|round)\w*|\w+2\w+|\w+_cast)$"
)
_SHAPE = re.compile(
    r"(numel|size|sizes|dim|stride|strides|is_contiguous|options|device|scalar_type|dtype|get_device|is_cuda|element_size)$"
)
_NO_ELEMENTS = re.compile(r"\(\s*\{?\s*0\s*\}?\s*[,)]")
_GROUPS = ("parenthesized_expression", "cast_expression")


@dataclass(frozen=True, slots=True)
class Made:
    """An allocation of a local variable."""

    name: str
    place: Syntax
    end: int


def unset_memory(outline: Outline) -> Iterator[GuardIssue]:
    """One issue for each allocation; what it is about is the place in the kernel that needs a value."""
    program = program_of(outline)
    hosts = {id(body.function): body for body in bodies(program, ("host",))}
    made: dict[int, dict[str, Made]] = {}
    told: set[int] = set()
    launches = list(launched_kernels(program, outline))
    for launch, kernel in launches:
        host = hosts.get(id(launch.function))
        if host is None or len(kernel.scope.parameters) != len(launch.arguments):
            continue
        allocations = made.setdefault(id(host), _allocations(host, program))
        for parameter, argument in zip(kernel.scope.parameters, launch.arguments):
            found = allocations.get(variable_of(argument))
            if found is None or id(found.place) in told:
                continue
            given = [argument, *_added_to_as_well(found.name, launch, launches)]
            if not is_untouched(found, launch, given, host):
                continue
            flag = flag_set(parameter, kernel)
            need = need_of(parameter, kernel) if flag is None else Need(flag, True)
            asked = need is not None and need.adds and _is_asked_for(launch, found.name, host)
            asked = asked or (need is not None and _decides(need, kernel) and _gives_something(launch, host))
            if need is None or not (asked or _others_are_filled(launch, found, host)):
                continue
            told.add(id(found.place))
            verb = "reads" if not need.adds else "adds to" if flag is None else "sets"
            said = f"nothing sets `{found.name}` before `{launch.kernel}` {verb} it"
            yield GuardIssue(host.function, found.place, said, need.place, True, (launch.node,))


# --- the host function -------------------------------------------------------------------------------------------------


def _allocations(host: Body, program: Program) -> dict[str, Made]:
    """The local variables that are allocated once, without values."""
    found: dict[str, list[Made]] = {}
    declared = {name for node in host.nodes if node.kind == "declaration" for name in _declared(node)}
    kept = {name for node in host.nodes if node.kind == "declaration" for name in _declared(node, static=True)}
    for node in host.nodes:
        callee, arguments = node.child("function"), node.child("arguments")
        if node.kind == "call_expression" and callee is not None and _ALLOCATES.search(_plain(callee)):
            name = _pointed(arguments.children[0]) if arguments is not None and arguments.children else ""
            if name in declared:
                found.setdefault(name, []).append(Made(name, node, node.end))
        elif node.kind == "call_expression" and callee is not None and arguments is not None:
            for name in allocated_by(callee, arguments, program):
                if name in declared or (name in kept and _is_only_copied(name, node.end, host)):
                    found.setdefault(name, []).append(Made(name, node, node.end))
        elif node.kind == "declaration" and (made := _made_by_type(node, program)) is not None:
            found.setdefault(made.name, []).append(made)
        elif node.kind == "init_declarator":
            target, value = node.child("declarator"), node.child("value")
            name = "" if target is None else target.text.lstrip("* ")
            if value is not None and name and (_is_empty(value) or _is_given_without_values(value, program)):
                found.setdefault(name, []).append(Made(name, value, node.end))
        elif node.kind == "assignment_expression" and (member := _member_of(node.children[0], declared, host)):
            made_here = node.op == "=" and _is_made(node.children[1], program)
            found.setdefault(member, []).extend([Made(member, node.children[1], node.end)] * (1 if made_here else 2))
    return {name: places[0] for name, places in found.items() if len(places) == 1}


def _member_of(target: Syntax, declared: set[str], host: Body) -> str:
    """`g.sums`, where g is an object of the function itself."""
    owner = target.child("argument") if target.kind == "field_expression" else None
    if owner is None or owner.kind != "identifier" or owner.text not in declared or "->" in target.text:
        return ""
    known = re.search(rf"[*&]\s*{re.escape(owner.text)}\b\s*[=;,]", host.function.body.text)
    return target.bare if known is None else ""


def _is_made(value: Syntax, program: Program) -> bool:
    callee, arguments = value.child("function"), value.child("arguments")
    return callee is not None and arguments is not None and makes_unset(callee, arguments, program)


def _made_by_type(declaration: Syntax, program: Program) -> Made | None:
    """`device_uvector<int> counts(n, stream);`, `pool_alloc<float> sums(pool, n);` have no values."""
    written, declarator = declaration.child("type"), declaration.child("declarator")
    if written is None or declarator is None:
        return None
    name = declarator.child("declarator") or declarator
    given = declarator.text[len(name.text) :].strip()
    if _SCALAR.match(written.text) and re.fullmatch(r"[({]\s*\w*stream\w*\s*[)}]", given):
        return Made(name.text, declaration, declaration.end)
    if is_class(plain(written.text), program):
        value = declarator.child("value")
        listed = value if value is not None and value.kind in ("argument_list", "initializer_list") else None
        constructed = declarator.child("arguments") or listed or declarator.child("parameters")
        count = 0 if constructed is None else len(constructed.children)
        unset = name.kind == "identifier" and count and is_unset_class(plain(written.text), count, program)
        return Made(name.text, declaration, declaration.end) if unset else None
    if _WITHOUT_VALUES.match(written.text) is None:
        return None
    return Made(name.text, declaration, declaration.end) if re.match(r"[({][^,]*[^,\s0][^,]*,", given) else None


def _is_only_copied(name: str, after: int, host: Body) -> bool:
    """From the place on there are one launch with it, and copies from it: nothing clears it for the next call."""
    uses = [node for node in host.nodes if node.kind == "identifier" and node.text == name and node.start >= after]
    calls = [next((p for p, _ in host.ancestors(node) if p.kind == "call_expression"), node) for node in uses]
    launches = [call for call in calls if any(child.kind == "kernel_call_syntax" for child in call.children)]
    others = [call for call in calls if call not in launches]
    return len(launches) == 1 and all("DeviceToHost" in call.text for call in others)


def _declared(declaration: Syntax, static: bool = False) -> Iterator[str]:
    if static != (re.match(r"\s*(static|extern)\b", declaration.text) is not None):
        return
    for declarator in declaration.all("declarator"):
        for node in declarator.walk():
            if node.kind == "identifier":
                yield node.text
                break


def _plain(callee: Syntax) -> str:
    """The name without template arguments."""
    return re.sub(r"<.*", "", callee.text.strip(), flags=re.DOTALL)


def allocated_by(callee: Syntax, arguments: Syntax, program: Program) -> Iterator[str]:
    """`p` of `set_up(&p, n)`, a function of the file that allocates it and does no more with it."""
    functions = [f for f in program.outline.functions if f.name == callee.text and f.role == "host"]
    if len(functions) != 1 or len(functions[0].parameters) != len(arguments.children):
        return
    body = functions[0].body
    for parameter, argument in zip(program.scope(functions[0]).parameters, arguments.children):
        name = _pointed(argument)
        if not name or not parameter:
            continue
        named = [n for n in body.walk() if n.kind == "identifier" and n.text == parameter]
        calls = [n for n in body.walk() if n.kind == "call_expression" and parameter in names_in(n)]
        callees = {re.split(r"::|<", c.text.strip())[0] for n in calls if (c := n.child("function")) is not None}
        mallocs = [name for name in callees if _ALLOCATES.search(name)]
        others = callees - set(mallocs)
        if mallocs and named and not any(_SETS.search(other) for other in others):
            yield name


def _pointed(out: Syntax) -> str:
    """`p` of `(void **)&p`."""
    bare = uncast(out)
    inner = bare.child("argument")
    is_address = bare.kind == "pointer_expression" and bare.op == "&" and inner is not None
    return inner.text if is_address and inner is not None and inner.kind == "identifier" else ""


def _is_empty(value: Syntax) -> bool:
    callee = value.child("function")
    if value.kind != "call_expression" or callee is None or _EMPTY.search(_plain(callee)) is None:
        return False
    return _NO_ELEMENTS.search(value.text) is None  # it is there for the argument alone


def _is_given_without_values(value: Syntax, program: Program) -> bool:
    """`static_cast<int *>(device->AllocWorkspace(ctx, bytes))`, `make_device_scalar<int>(handle)`; what the file's own makes."""
    value = uncast(value)
    if _is_made(value, program):
        return True
    callee, arguments = value.child("function"), value.child("arguments")
    if value.kind != "call_expression" or callee is None or arguments is None:
        return False
    made = _MAKES.search(_plain(callee))
    if made is not None:
        return len(arguments.children) == (1 if made[0].endswith("scalar") else 3 if made[0].endswith("matrix") else 2)
    return _GIVES.search(_plain(callee)) is not None


def variable_of(argument: Syntax) -> str:
    """`x` of `x`, `x.data_ptr<float>()`, `(float *)x.data()`, `x.packed_accessor32<float, 2>()`; `x.y` of `x.y`, `x.y.get()`."""
    bare = uncast(argument)
    if bare.kind == "call_expression":
        callee, arguments = bare.child("function"), bare.child("arguments")
        if callee is not None and _plain(callee) == "reinterpret_cast" and arguments is not None:
            return variable_of(arguments.children[0]) if len(arguments.children) == 1 else ""
        if callee is None or _DATA.search(_plain(callee)) is None:
            return ""
        member = re.fullmatch(r"(\w+\.\w+)\.(data|get)", callee.bare)
        if member is not None:
            return member[1]
        owner = next((node for node in callee.walk() if node.kind == "identifier"), None)
        return owner.text if owner is not None and re.match(rf"{owner.text}\s*(\.|->)", callee.text) else ""
    is_member = bare.kind == "field_expression" and re.fullmatch(r"\w+\.\w+", bare.bare) is not None
    return bare.bare if is_member or bare.kind == "identifier" else ""


def _added_to_as_well(name: str, launch: TextLaunch, launches: list[tuple[TextLaunch, Body]]) -> Iterator[Syntax]:
    """Arguments of the function's other launches whose kernels set no more than this one does."""
    for other, kernel in launches:
        if other is launch or other.function is not launch.function:
            continue
        for parameter, argument in zip(kernel.scope.parameters, other.arguments):
            if variable_of(argument) == name and need_of(parameter, kernel) is not None:
                yield argument


def is_untouched(found: Made, launch: TextLaunch, given: list[Syntax], host: Body) -> bool:
    """Nothing names the variable between its allocation and the launch, and no loop brings what comes behind before it."""
    if found.end > launch.node.start:
        return False
    last = launch.node.start
    loops = [
        p for p, _ in host.ancestors(launch.node) if p.kind in ("for_statement", "while_statement", "do_statement")
    ]
    if any(not loop.start <= found.place.start < loop.end for loop in loops):
        last = loops[-1].end
    for node in host.nodes:
        if not _is_named(node, found.name, host) or any(g.start <= node.start < g.end for g in given):
            continue
        if found.end <= node.start < last and not (_asks_for_shape(node, host) or _is_returned(node, host)):
            return False
        if node.start < found.place.start and any(p.kind == "lambda_expression" for p, _ in host.ancestors(node)):
            return False  # who calls it may do so behind the allocation
    return True


def _is_named(node: Syntax, name: str, host: Body) -> bool:
    """`sum` where it stands; of `g.sum` also `g` without another member."""
    owner, _, member = name.partition(".")
    if node.kind != "identifier" or node.text != owner:
        return False
    parent = host.parents.get(id(node))
    is_other = member and parent is not None and parent.kind == "field_expression" and parent.children[0] is node
    return parent is None or not is_other or parent.bare == name


def _is_returned(name: Syntax, host: Body) -> bool:
    """`if (n == 0) return out;`: on that way nothing is launched."""
    for parent, _ in host.ancestors(name):
        if parent.kind in ("return_statement", "lambda_expression"):
            return parent.kind == "return_statement"
    return False


def _asks_for_shape(name: Syntax, host: Body) -> bool:
    field = host.parents.get(id(name))
    return field is not None and field.kind == "field_expression" and _SHAPE.search(_plain(field)) is not None


def _gives_something(launch: TextLaunch, host: Body) -> bool:
    return any(_is_asked_for(launch, name, host) for name in map(variable_of, launch.arguments) if name)


def _is_asked_for(launch: TextLaunch, name: str, host: Body) -> bool:
    """Somebody takes the result: it is named behind the launch, not only to be freed or for the same kernel again."""
    for node in host.nodes:
        if not _is_named(node, name, host) or node.start < launch.node.end:
            continue
        calls = [p for p, _ in host.ancestors(node) if p.kind == "call_expression"]
        called = {_plain(callee) for call in calls if (callee := call.child("function")) is not None}
        if not any(re.search(r"[fF]ree", each) or each.endswith(launch.kernel) for each in called):
            return True
    return False


def _others_are_filled(launch: TextLaunch, found: Made, host: Body) -> bool:
    """Another argument of the launch is copied from the host before, and some result is copied back."""
    names = {variable_of(argument) for argument in launch.arguments} - {"", found.name}
    copies = [
        node
        for node in host.nodes
        if node.kind == "call_expression" and (callee := node.child("function")) and _COPIES.search(_plain(callee))
    ]
    filled = [variable_of(a.children[0]) for c in copies if c.start < launch.node.start and (a := c.child("arguments"))]
    return not names.isdisjoint(filled) and any("DeviceToHost" in c.text for c in copies if c.start > launch.node.start)


# --- the kernel --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Need:
    """Where a kernel takes what the memory held: adds to it, or only reads it."""

    place: Syntax
    adds: bool


def need_of(parameter: str, kernel: Body) -> Need | None:
    """The first place that needs a value; None where the kernel may set the memory, hands it on, or need not come there."""
    found: list[Need] = []
    names, seen = [parameter], {parameter}
    while names:
        name = names.pop()
        for node in kernel.nodes:
            if node.kind != "identifier" or node.text != name or _is_declared(node, kernel):
                continue
            use = _use(node, kernel)
            if use is None:
                return None
            if isinstance(use, str):
                names += [use] if use not in seen else []
                seen.add(use)
            elif not _is_optional(use.place, kernel):
                found.append(use)
    first = sorted(found, key=lambda need: (not need.adds, need.place.start))
    return first[0] if first else None


def _decides(need: Need, kernel: Body) -> bool:
    """The kernel goes on with what the atomic update found: a ticket, a place in a list."""
    if not need.adds or need.place.kind != "call_expression":
        return False
    parent = kernel.parents.get(id(need.place))
    return parent is not None and parent.kind not in ("expression_statement", "comma_expression")


def _is_declared(name: Syntax, kernel: Body) -> bool:
    """The place is the declaration of the name."""
    for parent, child in kernel.ancestors(name):
        if parent.kind in ("pointer_declarator", "reference_declarator"):
            continue
        return parent.kind == "init_declarator" and parent.child("declarator") is child
    return False


def _is_optional(place: Syntax, kernel: Body) -> bool:
    """Whether a condition that is the same for all threads may leave it out."""
    own = {*kernel.scope.values, *kernel.positions}
    for parent, child in kernel.ancestors(place):
        condition = parent.child("condition")
        if parent.kind == "if_statement" and condition is not None and child is not condition:
            names = names_in(condition)
            if names.isdisjoint(own) and not any(COORDINATES.fullmatch(name) for name in names):
                return True
    return False


def _use(name: Syntax, kernel: Body) -> Need | str | None:
    """What one place does with the memory, or another name that it gives it; None for a write and what is not understood."""
    node, is_element = name, False
    for parent, child in kernel.ancestors(name):
        argument = parent.child("argument")
        if parent.kind == "subscript_expression" and argument is child:
            node, is_element = parent, True
        elif _continues(parent, child, is_element):
            node = parent
        elif parent.kind == "pointer_expression" and parent.op == "*" and not is_element:
            node, is_element = parent, True
        elif parent.kind == "pointer_expression" and parent.op == "&" and is_element:
            node, is_element = parent, False
        else:
            return _of_element(node, parent, kernel) if is_element else _of_pointer(node, parent, kernel)
    return None


def _continues(parent: Syntax, child: Syntax, is_element: bool) -> bool:
    """A member of the element, or a pointer that was moved."""
    if parent.kind == "field_expression":
        return is_element and parent.child("argument") is child
    moves = parent.kind == "binary_expression" and parent.op in ("+", "-") and not is_element
    return moves or parent.kind in _GROUPS


def _of_element(element: Syntax, parent: Syntax, kernel: Body) -> Need | None:
    if parent.kind == "assignment_expression" and parent.child("left") is element:
        return None if parent.op == "=" else Need(parent, True)
    if parent.kind == "update_expression":
        return Need(parent, True)
    if parent.kind == "init_declarator":
        target = parent.child("declarator")
        return None if target is None or target.kind == "reference_declarator" else Need(element, False)
    if parent.kind == "argument_list":
        call = kernel.parents.get(id(parent))
        callee = None if call is None else call.child("function")
        return Need(element, False) if callee is not None and _VALUES.match(_plain(callee)) else None
    by_value = ("assignment_expression", "binary_expression", "unary_expression", "conditional_expression")
    return Need(element, False) if parent.kind in (*by_value, "condition_clause", "subscript_expression") else None


def _of_pointer(pointer: Syntax, parent: Syntax, kernel: Body) -> Need | str | None:
    if parent.kind == "init_declarator" and parent.child("value") is pointer:
        target = parent.child("declarator")
        inner = None if target is None or target.kind != "pointer_declarator" else target.child("declarator")
        values = [] if inner is None else kernel.scope.values.get(inner.text, [])
        return inner.text if inner is not None and len(values) == 1 and inner.text not in kernel.scope.grown else None
    call = kernel.parents.get(id(parent))
    callee = None if call is None else call.child("function")
    if parent.kind != "argument_list" or call is None or callee is None or parent.children[0] is not pointer:
        return None
    if _LOADS.match(_plain(callee)):
        return Need(call, False)
    return Need(call, True) if _ADDS.search(_plain(callee)) else None
