"""What the methods of strings and the functions of the standard library that build strings give."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Mapping

from cudalint.frontend import python_text
from cudalint.frontend.python_text import Text, joined
from cudalint.frontend.python_values import Arguments, Hole, Reader, Template, Value


def percent(reader: Reader, text: Text, right: Value, node: ast.expr) -> Text:
    """`text % right`, where `node` is the expression on the right."""
    values = right if isinstance(right, list) else [right]
    written = [reader.written(e) for e in (node.elts if isinstance(node, ast.Tuple) else [node])]

    def fill(key: str, at: int) -> Text:
        if isinstance(right, dict):
            return reader.text(right.get(key, Hole(key, at)), at)
        number = int(key) if key.isdigit() else len(values)
        if number >= len(values) or isinstance(values[number], Hole):
            return reader.hole(written[number] if number < len(written) else f"value{number}", at)
        return reader.text(values[number], at)

    return python_text.percent_filled(text, fill)


def text_method(reader: Reader, node: ast.Call, name: str, target: Text, arguments: Arguments) -> Value:
    """What the method `name` of a string gives."""
    first, at = arguments.get("", 0), reader.start(node)
    match name:
        case "format" | "format_map":
            return reader.sized(python_text.formatted(target, _formatter(reader, arguments)))
        case "replace" if isinstance(first, Text):
            count = arguments.get("", 2)
            new = _filled(reader, arguments.get("", 1), node, 1)
            return reader.sized(target.replaced(first.chars, new, count if isinstance(count, int) else -1))
        case "strip" | "lstrip" | "rstrip":
            what = first.chars if isinstance(first, Text) else None
            return target.stripped(what, name != "rstrip", name != "lstrip")
        case "encode" | "decode" | "expandtabs":
            return target
        case "join" if isinstance(first, list):
            parts = [reader.text(part, at) for part in first]
            return reader.sized(joined([p for part in parts for p in (target, part)][1:]))
        case "splitlines" | "split" if first is None:
            return _lines(target) if name == "splitlines" else reader.unknown(node)
        case "upper" | "lower" | "capitalize" | "title":
            return Text(getattr(target.chars, name)(), target.at, target.through) if target.chars.isascii() else target
        case _:
            return reader.unknown(node)


def _filled(reader: Reader, value: Value, node: ast.Call, position: int) -> Text:
    at = reader.start(node.args[position]) if position < len(node.args) else reader.start(node)
    if isinstance(value, Hole) and position < len(node.args):
        return reader.hole(reader.written(node.args[position]), at)
    return reader.text(value, at)


def _formatter(reader: Reader, arguments: Arguments) -> python_text.Fill:
    values = {**{str(i): v for i, v in enumerate(arguments.positional)}, **arguments.named}
    if len(arguments.positional) == 1 and isinstance(arguments.positional[0], dict):
        values |= arguments.positional[0]
    automatic = itertools.count()

    def fill(content: str, at: int) -> Text:
        name = re.split(r"[!:]", content, maxsplit=1)[0]
        value = values.get(name or str(next(automatic)))
        if isinstance(value, Text | bool | int | float):
            return reader.text(value, at)
        return reader.hole(value.written if isinstance(value, Hole) else name, at)

    return fill


def library(reader: Reader, name: str, imports: Mapping[str, str], arguments: Arguments) -> Value:
    """Functions of the standard library that build strings."""
    first, last = arguments.get("", 0), name.rsplit(".", 1)[-1]
    if not isinstance(first, Text):
        return None
    match last:
        case "dedent" | "cleandoc":
            return first.dedented().stripped("\n") if last == "cleandoc" else first.dedented()
        case "indent" if name.startswith("textwrap"):
            return first
        case "Template" | "from_string":
            origin = imports.get(name, name)
            return Template(first, "jinja" in origin.lower() or last == "from_string" or "{{" in first.chars)
        case "encode" if name == "str.encode":
            return first
        case "substitute" | "safe_substitute" | "bytes":
            return first
        case _:
            return None


def template(reader: Reader, template: Template, arguments: Arguments) -> Text:
    """The template with its names filled in."""
    values = dict(arguments.named)
    for each in arguments.positional:
        if isinstance(each, dict):
            values |= each

    def fill(name: str, at: int) -> Text:
        return reader.text(values.get(name, Hole(name, at)), at)

    fill_in = python_text.jinja_filled if template.jinja else python_text.dollar_filled
    return reader.sized(fill_in(template.text, fill))


def _lines(text: Text) -> list[Text]:
    return [text.cut(m.start(), m.end()) for m in re.finditer(r"[^\n]*(?=\n)|[^\n]+\Z", text.chars)]
