"""Arguments for kernel templates that nothing in the file instantiates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress

from cudalint.frontend import clang
from cudalint.frontend.annotation_grammar import GrammarError, InstanceOf, Parser, split_statements
from cudalint.frontend.clang import Cursor, Kind, ParsedUnit, TypeKind
from cudalint.frontend.likely_arguments import enumerators, likely_argument, other_enumerator
from cudalint.frontend.lowering.names import PARAMETERS, qualified_name
from cudalint.frontend.lowering.unit import INSTANCES, MEMBERS
from cudalint.frontend.syntax import SyntaxIndex

_NUMBER = re.compile(r"-?\d+")


def instance_text(
    missing: list[Cursor], templates: list[Cursor], named: Iterable[str] = (), text: str = "", *, other: bool = False
) -> str:
    """A function that names one instance of each missing template; a line each, so that one error costs one instance.

    `named` are instances that somebody asks for, `kernel<arguments>`: they come in place of a guessed one. A guess has
    the arguments of a use in `text`, as far as they are literals and enumerators; `other` numbers otherwise.
    """
    spelled = {template.spelling: template for template in templates}
    asked = {name: _kernel_of(name) for name in named if _kernel_of(name) in spelled}
    counts = Counter(map(qualified_name, templates))
    lines = []
    for name, kernel in asked.items():
        arguments = name[name.index("<") :]
        if name.endswith(")"):
            lines.append(_deduced_line(spelled[kernel], arguments))
        elif counts[qualified_name(spelled[kernel])] > 1:
            lines += [_of_several(t, arguments[1:-1].split(",")) for t in templates if t.spelling == kernel]
        else:
            lines.append(_asked_line(spelled[kernel], arguments))
    guessed = (
        _likely_line(template, text, other, counts[qualified_name(template)] > 1)
        for template in missing
        if template.spelling not in asked.values()
    )
    lines += [line for line in guessed if line is not None]
    return "\n".join(["", f"static void {INSTANCES}() {{", *lines, "}", ""]) if lines else ""


def _asked_line(template: Cursor, arguments: str) -> str:
    """The arguments are written for where the template is: its namespaces may declare them."""
    return _within(template, f"(void)&::{qualified_name(template)}{_as_declared(template, arguments)};")


def _as_declared(template: Cursor, arguments: str) -> str:
    """Numbers in the types of their parameters: what another file launches has them for truth values and enumerators."""
    parameters = [p for p in clang.children(template) if p.kind in PARAMETERS]
    given = _split(arguments.removeprefix("<").removesuffix(">"))
    if len(given) > len(parameters):  # a pack
        return arguments
    written = [_in_type_of(p, a) if _NUMBER.fullmatch(a) else a for p, a in zip(parameters, given)]
    return f"<{', '.join(written)}>"


def _in_type_of(parameter: Cursor, number: str) -> str:
    kind = parameter.type.get_canonical().kind
    if kind == TypeKind.BOOL:
        return "true" if int(number) else "false"
    return f"({parameter.type.spelling}){number}" if kind == TypeKind.ENUM else number


def _deduced_line(template: Cursor, signature: str) -> str:
    """`template void f(int *);`: the type says which instance it is."""
    result, _, taken = signature.removeprefix("<>(").removesuffix(")").partition(")(")
    return _within(template, f"(void)&*static_cast<{result} (*)({taken})>(&::{qualified_name(template)});")


def _within(template: Cursor, line: str) -> str:
    """A line with the names of all namespaces around the template."""
    space = _space_of(template)
    parts = space.split("::") if space else []
    around = " ".join(f"using namespace ::{'::'.join(parts[: deep + 1])};" for deep in range(len(parts)))
    return f"  {{ {around} {line} }}" if around else f"  {line}"


def _space_of(template: Cursor) -> str:
    """The namespace of a template; empty where it has none, or none that can be named."""
    space = template.semantic_parent
    while space is not None and space.kind != Kind.NAMESPACE:
        space = space.semantic_parent
    name = "" if space is None else qualified_name(space)
    return "" if "(" in name else name


def named_instances(indexes: Iterable[SyntaxIndex]) -> tuple[str, ...]:
    """What the comments of the files ask for by `instantiate kernel<arguments>`."""
    return instances_in(annotation.text for each in indexes for annotation in each.annotations)


_EXPLICIT = re.compile(
    r"^[ \t]*template\s+(?!<)(?:__\w+__\s+|__\w+__\([^()]*\)\s*)*[\w:&*<> ]*?"
    r"([A-Za-z_][\w:]*(?:(?<=operator)\(\))?\s*<[^;(){}]*>)\s*\(",
    re.MULTILINE,
)  # `template void launch<half>(const half *);`, `template void Path::operator()<64>(int *);`


_DEDUCED = re.compile(
    r"^[ \t]*template\s+(?!<)(?:__\w+__\s+|__\w+__\([^()]*\)\s*)*"
    r"([\w:&*<>, ]*?[\s&*>])([A-Za-z_][\w:]*)\s*\(([^;(){}]*)\)\s*(?:;|\Z)",
    re.MULTILINE,
)  # `template void launch(const half *);`
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(([\w, \t]*)\)((?:[^\n\\]|\\\r?\n|\\.)*)", re.MULTILINE)


_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b[ \t]*(.*)")
_ASKED = re.compile(r"(?:defined\s*\(?\s*)?([A-Za-z]\w*)\s*\)?\s*(?://.*)?")


def taken(text: str, defined: Collection[str]) -> str:
    """The text without what stands under `#ifdef X` where nobody defines X: such instances have no code of their own either."""
    lines, groups = text.split("\n"), list[bool]()
    for place, line in enumerate(lines):
        directive = _DIRECTIVE.match(line)
        if directive is None:
            lines[place] = "" if True in groups else line
        elif directive[1] in ("if", "ifdef", "ifndef"):
            asked = _ASKED.fullmatch(directive[2].strip()) if directive[1] != "ifndef" else None
            is_name = asked is not None and (directive[1] == "ifdef" or "defined" in directive[2])
            groups.append(asked is not None and is_name and asked[1] not in defined)
        elif groups and directive[1] == "endif":
            groups.pop()
        elif groups:
            groups[-1] = False
    return "\n".join(lines)


def explicit_instances(text: str) -> tuple[str, ...]:
    """`launch<half>` of `template void launch<half>(const half *);`, which the parser does not show, those of macros too.

    `launch<>(void)(const half *)` of `template void launch(const half *);`. Of each template those come first that bring
    arguments which none before them has.
    """
    found = [name for start, name in _made_by(text) if not text[:start].endswith(("\\\n", "\\\r\n"))]
    for macro in _MACRO.finditer(text) if "template" in text else ():
        made = re.sub(r"\\\r?\n", "\n", macro[3])
        if _EXPLICIT.search(made) or _DEDUCED.search(made):
            found += _of_macro(macro[1], [p.strip() for p in macro[2].split(",")], made, text[macro.end() :])
    return _varied(dict.fromkeys(" ".join(name.split()) for name in found))


def _made_by(text: str) -> list[tuple[int, str]]:
    """Where each explicit instance stands, and what it is."""
    named = [(m.start(), m[1]) for m in _EXPLICIT.finditer(text)]
    deduced = [(m.start(), f"{m[2]}<>({m[1].strip()})({m[3].strip()})") for m in _DEDUCED.finditer(text)]
    return sorted(named + deduced)


_EXPLICIT_CLASS = re.compile(r"^[ \t]*template\s+(?:class|struct)\s+(?:[\w:]+::)?(\w+)\s*(<[^;{}]*>)\s*;", re.MULTILINE)


USED = "  // used"  # ends the line of an instance that the project has
_CLASS = re.compile(r"\b(?:class|struct)\s+(\w+)\b[^;{}()]*\{")
_MEMBER = re.compile(r"\b(\w+)\s*<[^<>;{}()]*>\s*::\s*\w+\s*\(")  # `void Layer<T>::run(`, of a class in a header


def member_text(members: list[Cursor], unused: list[Cursor], text: str, project: str) -> str:
    """A function that names members of instances of their class templates, a line each.

    They are those of `template class Model<float>;`, and guesses of the `unused`, of a class that `project`, the text of all
    wanted files, defines or gives members: what a macro made is used by what it made.
    """
    explicit = dict.fromkeys(_EXPLICIT_CLASS.findall(text))
    lines = [
        _member_line(member, _split(arguments[1:-1])) + USED
        for name, arguments in explicit
        for member in members
        if member.semantic_parent.spelling == name
    ]
    written = {*_CLASS.findall(project), *_MEMBER.findall(project)} - {name for name, _ in explicit}
    for member in (m for m in unused if m.semantic_parent.spelling in written):
        lines += _of_uses(member, project) or [_guessed_member_line(member, project)]
    lines = list(dict.fromkeys(filter(None, lines)))
    return "\n".join(["", f"static void {MEMBERS}() {{", *lines[:MOST_ALTERNATIVES], "}", ""]) if lines else ""


def _split(arguments: str) -> list[str]:
    """Arguments of a template, with commas inside them: `int, pair<int, int>, limits<int>::max()`."""
    parts, deep = [""], 0
    for char in arguments:
        deep += (char in "<(") - (char in ">)")
        if char == "," and deep == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [" ".join(part.split()) for part in parts]


def _of_uses(member: Cursor, text: str) -> list[str]:
    """A member of the instances of its class that the text names: `new Operator<gpu>(options)`, called through a base."""
    parameters = {p.spelling for p in clang.children(member.semantic_parent) if p.kind in PARAMETERS}
    named = (used for used in _uses(member.semantic_parent.spelling, text) if used != [""])
    concrete = [used for used in named if parameters.isdisjoint(used)]
    return [_member_line(member, used) + USED for used in concrete[:MOST_USES]]


def _guessed_member_line(member: Cursor, text: str) -> str:
    owner = member.semantic_parent
    guessed = [likely_argument(p, text) for p in clang.children(owner) if p.kind in PARAMETERS]
    if owner.kind != Kind.CLASS_TEMPLATE or None in guessed:
        return ""
    return _member_line(member, [str(argument) for argument in guessed])


def _member_line(member: Cursor, arguments: list[str]) -> str:
    """A member of an instance; its type says which, where there are several of that name."""
    owner = member.semantic_parent
    parameters = [p for p in clang.children(owner) if p.kind in PARAMETERS]
    class_ = f"::{qualified_name(owner)}<{', '.join(arguments)}>"
    named = f"&{class_}::{member.spelling}"
    if sum(m.spelling == member.spelling for m in clang.children(owner)) > 1:
        meant = {p.spelling: a for p, a in zip(parameters, arguments)}
        result, _, taken = _filled_in(member.type.spelling, meant).partition("(")
        line = f"auto member = static_cast<{result}({class_}::*)({taken}>({named}); (void)&member;"
    else:
        line = f"(void){named};"
    return _within(owner, line)


def _of_macro(name: str, parameters: list[str], body: str, behind: str) -> list[str]:
    """The instances of each use of a macro that instantiates; a part that it pastes together is none."""
    found: list[str] = []
    for use in re.finditer(rf"\b{name}\s*\(([^()]*)\)", behind):
        given = [a.strip() for a in use[1].split(",")]
        if len(given) == len(parameters):
            spelled = _filled_in(body, dict(zip(parameters, given)))
            found += [name for _, name in _made_by(spelled) if "#" not in name]
    return found


def _filled_in(body: str, meant: Mapping[str, str]) -> str:
    return re.sub(r"\b[A-Za-z_]\w*\b", lambda m: meant.get(m[0], m[0]), body)


def _varied(instances: Iterable[str]) -> tuple[str, ...]:
    """The first of each template, then the second of each."""
    ranks: dict[str, int] = {}
    waiting: dict[str, list[str]] = {}
    for instance in instances:
        waiting.setdefault(instance.partition("<")[0], []).append(instance)
    for each in waiting.values():
        seen: set[tuple[int, str]] = set()
        for rank in range(len(each)):
            best = max((i for i in each if i not in ranks), key=lambda i: len(_arguments_of(i) - seen))
            seen |= _arguments_of(best)
            ranks[best] = rank
    return tuple(sorted(ranks, key=ranks.__getitem__))


def _arguments_of(instance: str) -> set[tuple[int, str]]:
    return {(place, a.strip()) for place, a in enumerate(instance.partition("<")[2].removesuffix(">").split(","))}


def instances_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The instances that annotations ask for; malformed statements are reported elsewhere."""
    found: dict[str, None] = {}
    for text in texts:
        for offset, piece in split_statements(text):
            if piece.startswith("instantiate"):
                with suppress(GrammarError):
                    statement = Parser(piece, offset).statement()
                    if isinstance(statement, InstanceOf):
                        found[statement.text] = None
    return tuple(found)


def alternatives(template: Cursor, text: str, other: bool = False) -> list[str]:
    """Lines for other arguments of a template, likely ones first: as `text` uses it, then values and types in turn."""
    parameters = [p for p in clang.children(template) if p.kind in PARAMETERS]
    guessed = [likely_argument(p, text, other) for p in parameters]
    if any(argument is None for argument in guessed):
        return []
    first = [argument for argument in guessed if argument is not None]
    named = {name for p in parameters for name in enumerators(p)}
    found = [_filled(used, first, named) for used in _uses(template.spelling, text)]
    found.append([_callable(p) or a for p, a in zip(parameters, first)])
    found += [[CALLABLE if i == place else a for i, a in enumerate(first)] for place in _plain_types(parameters, first)]
    found += [
        [other_enumerator(p, i, text) or a for p, a in zip(parameters, first)]
        for i in range(MOST_ENUMERATORS if named else 0)
    ]
    for written in (*_TYPES[:2], *_types_of(text), *_TYPES[2:]):
        sizes = (None, *_SIZES) if written in _TYPES[:2] else (None,)
        found += [[_replaced(p, a, written, size) for p, a in zip(parameters, first)] for size in sizes]
    found.append([{"true": "false"}.get(a, a) for a in first])
    name = qualified_name(template)
    lines = (f"  (void)&::{name}<{', '.join(arguments)}>;" for arguments in found if len(arguments) == len(first))
    return list(dict.fromkeys(lines))[:MOST_ALTERNATIVES]


CALLABLE = "::std::__cudalint_function"  # of our headers: it takes anything, and what it returns is any value
_FUNCTIONS = re.compile(
    r"(?:Op|Operator|Pred|Predicate|Fn|Func|Function|Functor|Comp|Comparator|Filter|Transform)T?_?\d*\Z"
)


def _plain_types(parameters: list[Cursor], arguments: list[str]) -> list[int]:
    """Where type parameters stand of whose arguments nothing is known: what takes a value may as well be called."""
    types = [i for i, p in enumerate(parameters) if p.kind == Kind.TEMPLATE_TYPE_PARAMETER and arguments[i] == "float"]
    return types[::-1][:MOST_CALLED]


def class_line(template: Cursor, own: str, text: str) -> tuple[str, tuple[str, ...]] | None:
    """The line with a made-up class for each type parameter whose members `own`, the template's text, names; and those classes.

    None where it names members of none. What the members are is guessed where they are missing.
    """
    parameters = [p for p in clang.children(template) if p.kind in PARAMETERS]
    guessed = [likely_argument(p, text) for p in parameters]
    if None in guessed:
        return None
    made = [p.spelling for p in parameters if p.kind == Kind.TEMPLATE_TYPE_PARAMETER and _has_members(p.spelling, own)]
    arguments = [MADE + p.spelling if p.spelling in made else str(a) for p, a in zip(parameters, guessed)]
    return (_written(template, arguments), tuple(MADE + name for name in made)) if made else None


MADE = "cudalint_made_"


def _has_members(parameter: str, text: str) -> bool:
    """`Traits::SIZE`, `typename Traits::type`, and `p.size` of a parameter `Traits p`."""
    if not parameter:
        return False
    if re.search(rf"(?<![\w:]){parameter}::\w", text):
        return True
    named = re.findall(
        rf"(?<![\w:]){parameter}\s*(?:const\s*)?&?\s*(?:__restrict__\s+)?(\w+)\s*[,)]", text.partition("{")[0]
    )
    return any(re.search(rf"(?<![\w.]){name}\s*\.\s*[A-Za-z_]", text) for name in named)


def _callable(parameter: Cursor) -> str | None:
    """A function object that nothing is known of, for a type parameter that is named like one."""
    named = parameter.kind == Kind.TEMPLATE_TYPE_PARAMETER and _FUNCTIONS.search(parameter.spelling)
    return CALLABLE if named else None


def _likely_line(template: Cursor, text: str, other: bool = False, overloaded: bool = False) -> str | None:
    """The line of the first use in the text that says an argument, else of a guess; None where one cannot be guessed."""
    parameters = [p for p in clang.children(template) if p.kind in PARAMETERS]
    guessed = [a for p in parameters if (a := likely_argument(p, text, other)) is not None]
    if len(guessed) == len(parameters):
        named = {name for p in parameters for name in enumerators(p)}
        for used in _uses(template.spelling, text):
            arguments = _filled(used, guessed, named)
            if arguments and arguments != guessed and not overloaded:
                return _written(template, arguments)
        arguments = _told_apart(parameters, guessed)
        return _of_several(template, arguments) if overloaded else _written(template, arguments)
    return None


_ACCUMULATOR = re.compile(r"(?i:acc|compute)(?:_?scalar|umulator|um)?(?:_?t(?:ype)?)?\Z")


def _told_apart(parameters: list[Cursor], guessed: list[str]) -> list[str]:
    """Beside a type to add up in, values of a smaller one: mixing up the two shows only where they differ."""
    types = [p.kind == Kind.TEMPLATE_TYPE_PARAMETER and a == "float" for p, a in zip(parameters, guessed)]
    sums = [is_type and _ACCUMULATOR.search(p.spelling) is not None for is_type, p in zip(types, parameters)]
    if not any(sums):
        return guessed
    return ["__half" if is_type and not wide else a for a, is_type, wide in zip(guessed, types, sums)]


def _written(template: Cursor, arguments: list[str]) -> str:
    return f"  (void)&::{qualified_name(template)}<{', '.join(arguments)}>;"


def _of_several(template: Cursor, arguments: list[str]) -> str:
    """One of several templates of that name: its type says which, as it is written where the template is."""
    parameters = [p for p in clang.children(template) if p.kind in PARAMETERS]
    meant = {p.spelling: a for p, a in zip(parameters, arguments)}
    result, _, taken = _filled_in(template.type.spelling, meant).partition("(")
    named = f"::{qualified_name(template)}<{', '.join(arguments)}>"
    return _within(template, f"(void)&*static_cast<{result}(*)({taken}>(&{named});")


MOST_ALTERNATIVES = 40
MOST_ENUMERATORS = 8
MOST_CALLED = 3
MOST_USES = 2  # of a class template whose members launch
_SIZES = (32, 64, 128, 256, 16, 8, 2, 1, 512, 1024)
_TYPES = ("float", "__half", "int", "int *", "__nv_bfloat16", "double", "unsigned char")
_LITERAL = re.compile(r"(?:\d[\w']*|true|false|float|double|int|half|__half|nv_bfloat16|__nv_bfloat16)\Z")
_STRUCT = re.compile(r"^[ \t]*(?:struct|class)\s+(?:alignas\([^)]*\)\s*)?(\w+)[^;{}]*\{", re.MULTILINE)


def _uses(name: str, text: str) -> list[list[str]]:
    """The argument lists that follow the template's name somewhere."""
    found = (m[1] for m in re.finditer(rf"\b{re.escape(name)}\s*<([^<>;{{}}()]*)>", text))
    return [[a.strip() for a in arguments.split(",")] for arguments in dict.fromkeys(found)][:12]


def _filled(used: list[str], guessed: list[str], named: Collection[str]) -> list[str]:
    """The literals and enumerators of a use; the guess where it has a name of its own."""
    if len(used) > len(guessed):
        return []
    kept = (u if _LITERAL.match(u) or u.rpartition("::")[2] in named else g for u, g in zip(used, guessed))
    return [*kept, *guessed[len(used) :]]


def _types_of(text: str) -> tuple[str, ...]:
    """Classes of the file that are no templates: traits and policies are among them."""
    plain = (
        m
        for m in _STRUCT.finditer(text)
        if "template" not in text[max(0, m.start() - 120) : m.start()].rpartition(";")[2]
    )
    found = (m[1] for m in plain)
    return tuple(dict.fromkeys(found))[:16]


def _replaced(parameter: Cursor, argument: str, written: str, value: int | None) -> str:
    if parameter.kind == Kind.TEMPLATE_TYPE_PARAMETER:
        return written if argument == "float" else argument
    return str(value) if value is not None and argument.isdigit() else argument


def failing_lines(parsed: ParsedUnit, text: str, direct: bool = False) -> Counter[str]:
    """How many errors each line of the text causes, `direct`ly or also by what it instantiates."""
    lines = text.split("\n")
    found: Counter[str] = Counter()
    for error in parsed.errors:
        places = {(error.path, error.line), *(() if direct else error.requested)}
        found.update({lines[n - 1] for path, n in places if path == parsed.main and 0 < n <= len(lines)})
    return found


def _kernel_of(instance: str) -> str:
    return instance.partition("<")[0].strip().rsplit("::", 1)[-1]
