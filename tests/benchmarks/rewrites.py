"""The same program in other words: each rewrite changes how a file is written, never what it means; lines stay as they are.

    i < n                               ->   n > i                                            mirror
    a * b + c                           ->   c + b * a                                        swap
    if (i < n) y[i] = 0;                ->   if (!(i < n)) {} else y[i] = 0;                  negate
    if (i >= n) return; y[i] = 0;       ->   if (!(i >= n)) { y[i] = 0; }                     nest
    if (i < n) y[i] = 0;  (at the end)  ->   if (!(i < n)) return; y[i] = 0;                  leave
    if (i < n) y[i] = 0;                ->   const bool test1 = i < n; if (test1) y[i] = 0;   name-test
    int i = threadIdx.x;                ->   int i; i = threadIdx.x;                          declare
    x += v; i++;                        ->   x = x + (v); i += 1;                             assign
    for (int i = 0; i < n; ++i) f(i);   ->   { int i = 0; while (i < n) { f(i); ++i; } }      while
    x[i] = 0;                           ->   *(x + (i)) = 0;                                  dereference
    if (i < n) y[i] = 0;                ->   if (i < n) { y[i] = 0; }                         brace
    #define TILE 16                     ->   constexpr int TILE = 16;                         constant
    int                                 ->   int32_t                                          alias
    k<<<n, 256>>>(x);                   ->   const dim3 grid1(n), block1(256); k<<<grid1, block1>>>(x);   dimensions
    int row                             ->   int v1                                           rename

The text is read by tree-sitter; what it cannot read is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.benchmarks.mutations import Node, parser

MIRRORED = {b"<": b">", b">": b"<", b"<=": b">=", b">=": b"<=", b"==": b"==", b"!=": b"!="}
ADDED, MULTIPLIED = (b"+", b"-"), (b"*", b"/", b"%")
NEVER_APART = re.compile(rb"\b(?:const|constexpr|static|auto|extern|__shared__|__constant__|volatile|register)\b|&")
DEFINED = re.compile(rb"^#define[ \t]+([A-Za-z_]\w*)[ \t]+(\d+)[ \t]*(//.*)?$", re.MULTILINE)
DEVICE = re.compile(rb"\b(?:__device__|__global__)\b")


class Rewriter:
    """Writes a tree anew; subclasses say what becomes of a node, whose parts they ask for with `text`."""

    def __init__(self) -> None:
        self.count = 0

    def text(self, node: Node) -> bytes:
        new = None if node.has_error else self.rewritten(node)
        return self.plain(node) if new is None else new

    def plain(self, node: Node, instead: dict[int, bytes] | None = None) -> bytes:
        """The node with its children rewritten, or with what stands for some of them."""
        pieces, at = [], node.start_byte
        for child in node.children:
            pieces.append(node.text[at - node.start_byte : child.start_byte - node.start_byte])
            pieces.append((instead or {}).get(child.id) or self.text(child))
            at = child.end_byte
        pieces.append(node.text[at - node.start_byte :])
        return b"".join(pieces)

    def rewritten(self, node: Node) -> bytes | None:
        """What stands for the node, or nothing if it stays."""
        raise NotImplementedError

    def new_name(self, stem: bytes) -> bytes:
        self.count += 1
        return stem + str(self.count).encode()


def _operator(node: Node) -> bytes:
    operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
    return operator.text if operator is not None else b""


class Mirror(Rewriter):
    def rewritten(self, node: Node) -> bytes | None:
        operator = _operator(node)
        if operator not in MIRRORED or b"\n" in node.text:
            return None
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if _operator(left) in MIRRORED or _operator(right) in MIRRORED:
            return None
        return self.text(right) + b" " + MIRRORED[operator] + b" " + self.text(left)


class Swap(Rewriter):
    def rewritten(self, node: Node) -> bytes | None:
        operator = _operator(node)
        if operator not in (b"+", b"*") or b"\n" in node.text or b'"' in node.text:
            return None
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        moved = self.text(left)
        if _operator(left) in (ADDED if operator == b"+" else MULTIPLIED):
            moved = b"(" + moved + b")"
        return self.text(right) + b" " + operator + b" " + moved


def _plain_if(node: Node) -> tuple[Node, Node] | None:
    """The condition and the statement of an `if` without `else`, `constexpr` and declaration."""
    if node.type != "if_statement" or node.child_by_field_name("alternative") is not None:
        return None
    condition, then = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    value = condition.child_by_field_name("value") if condition is not None else None
    if value is None or value.type in ("declaration", "condition_declaration") or then is None:
        return None
    return (
        None
        if any(child.type == "constexpr" for child in node.children) or len(condition.children) != 3
        else (value, then)
    )


class Negate(Rewriter):
    def rewritten(self, node: Node) -> bytes | None:
        parts = _plain_if(node)
        if parts is None:
            return None
        condition, then = parts
        between = node.text[condition.end_byte + 1 - node.start_byte : then.start_byte - node.start_byte]
        return b"if (!(" + self.text(condition) + b")) {} else" + (between or b" ") + self.text(then)


def _returns(statement: Node) -> bool:
    if statement.type == "compound_statement" and len(statement.named_children) == 1:
        statement = statement.named_children[0]
    return bool(statement.type == "return_statement" and not statement.named_children)


class Nest(Rewriter):
    """What comes behind `if (c) return;` goes into `if (!(c)) {}`."""

    def rewritten(self, node: Node) -> bytes | None:
        if node.type != "compound_statement" or node.parent.type != "function_definition" or b"goto" in node.text:
            return None
        for child in node.named_children:
            parts = _plain_if(child)
            if parts is not None and _returns(parts[1]):
                head = node.text[: child.start_byte - node.start_byte]
                rest = node.text[child.end_byte - node.start_byte : -1]
                lines = b"\n" * child.text.count(b"\n")
                return head + b"if (!(" + parts[0].text + b")) {" + lines + rest + b"} }"
        return None


class Leave(Rewriter):
    """The `if` that ends a function without value leaves it early."""

    def rewritten(self, node: Node) -> bytes | None:
        if node.type != "compound_statement" or node.parent.type != "function_definition" or not node.named_children:
            return None
        result = node.parent.child_by_field_name("type")
        last = node.named_children[-1]
        parts = _plain_if(last)
        if result is None or result.text != b"void" or parts is None:
            return None
        condition, then = parts
        between = node.text[condition.end_byte + 1 - node.start_byte : then.start_byte - node.start_byte]
        head = node.text[: last.start_byte - node.start_byte]
        tail = node.text[last.end_byte - node.start_byte :]
        return head + b"if (!(" + condition.text + b")) return;" + (between or b" ") + then.text + tail


class NameTest(Rewriter):
    def rewritten(self, node: Node) -> bytes | None:
        if _plain_if(node) is None and node.type != "if_statement":
            return None
        condition = node.child_by_field_name("condition")
        value = condition.child_by_field_name("value") if condition is not None else None
        if node.parent.type != "compound_statement" or value is None or len(condition.children) != 3:
            return None
        if value.type in ("declaration", "condition_declaration") or any(c.type == "constexpr" for c in node.children):
            return None
        name = self.new_name(b"test")
        head = b"const bool " + name + b" = " + self.text(value) + b"; "
        return head + self.plain(node, {condition.id: b"(" + name + b")"})


class Declare(Rewriter):
    def rewritten(self, node: Node) -> bytes | None:
        if node.type != "declaration" or node.parent.type != "compound_statement":
            return None
        made = node.child_by_field_name("declarator")
        if made is None or made.type != "init_declarator" or len(node.named_children) != 2:
            return None
        name, value = made.child_by_field_name("declarator"), made.child_by_field_name("value")
        head = node.text[: made.start_byte - node.start_byte]
        if name is None or name.type != "identifier" or value is None or NEVER_APART.search(head):
            return None
        if value.type in ("initializer_list", "argument_list", "lambda_expression"):
            return None
        return head + name.text + b"; " + name.text + b" = " + self.text(value) + b";"


class Assign(Rewriter):
    def rewritten(self, node: Node) -> bytes | None:
        if node.type == "update_expression" and node.parent.type in ("expression_statement", "for_statement"):
            counted = node.child_by_field_name("argument")
            return counted.text + (b" += 1" if b"++" in node.text else b" -= 1")
        if node.type != "assignment_expression" or node.parent.type != "expression_statement":
            return None
        operator = node.child_by_field_name("operator").text
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if len(operator) < 2 or operator == b"==" or b"++" in left.text or b"--" in left.text or b"(" in left.text:
            return None
        return left.text + b" = " + left.text + b" " + operator[:-1] + b" (" + self.text(right) + b")"


class While(Rewriter):
    def rewritten(self, node: Node) -> bytes | None:
        if node.type != "for_statement" or re.search(rb"\b(?:continue|case|default)\b", node.text):
            return None
        before = node.prev_sibling
        if before is not None and before.type.startswith("preproc"):
            return None
        begin, test = node.child_by_field_name("initializer"), node.child_by_field_name("condition")
        step, body = node.child_by_field_name("update"), node.child_by_field_name("body")
        if begin is None or test is None or step is None or b"\n" in node.text[: body.start_byte - node.start_byte]:
            return None
        first = self.text(begin) + (b"" if begin.type == "declaration" else b";")
        inner = self.text(body)
        inner = inner[1:-1] if body.type == "compound_statement" else b" " + inner + b" "
        return b"{ " + first + b" while (" + self.text(test) + b") {" + inner + self.text(step) + b"; } }"


class Dereference(Rewriter):
    """Of functions that run on the device: what the host subscripts may be a class."""

    def rewritten(self, node: Node) -> bytes | None:
        if node.type == "function_definition":
            body = node.child_by_field_name("body")
            head = node.text[: body.start_byte - node.start_byte] if body is not None else b""
            return None if DEVICE.search(head) else node.text
        if node.type != "subscript_expression":
            return None
        array, indices = node.child_by_field_name("argument"), node.child_by_field_name("indices")
        if indices is None or len(indices.named_children) != 1:
            return None
        return b"(*(" + self.text(array) + b" + (" + self.text(indices.named_children[0]) + b")))"


class Brace(Rewriter):
    def rewritten(self, node: Node) -> bytes | None:
        fields = {"if_statement": ("consequence",), "for_statement": ("body",), "while_statement": ("body",)}
        bodies = [node.child_by_field_name(name) for name in fields.get(node.type, ())]
        bodies = [body for body in bodies if body is not None and body.type.endswith("_statement")]
        plain = [body for body in bodies if body.type != "compound_statement"]
        return self.plain(node, {body.id: b"{ " + self.text(body) + b" }" for body in plain}) if plain else None


class Dimensions(Rewriter):
    def rewritten(self, node: Node) -> bytes | None:
        if node.type != "expression_statement" or node.parent.type != "compound_statement" or b"\n" in node.text:
            return None
        call = node.named_children[0] if node.named_children else None
        given = next((c for c in call.children if c.type == "kernel_call_syntax"), None) if call is not None else None
        if given is None or len(given.named_children) < 2:
            return None
        grid, block = given.named_children[:2]
        if b"{" in grid.text + block.text:
            return None
        names = self.new_name(b"grid"), self.new_name(b"block")
        head = b"const dim3 " + names[0] + b"(" + grid.text + b"), " + names[1] + b"(" + block.text + b"); "
        start = node.start_byte
        return (
            head
            + node.text[: grid.start_byte - start]
            + names[0]
            + b", "
            + names[1]
            + node.text[block.end_byte - start :]
        )


class Alias(Rewriter):
    """Of functions that run on the device."""

    def rewritten(self, node: Node) -> bytes | None:
        is_int = node.type == "primitive_type" and node.text == b"int" and node.parent.type != "sized_type_specifier"
        return b"int32_t" if is_int else None


def _constants(text: bytes) -> bytes:
    """Macros that are numbers, where the preprocessor asks nothing of them."""

    def constant(found: re.Match[bytes]) -> bytes:
        name, value, comment = found.groups()
        if re.search(rb"^#[ \t]*(?:if|ifdef|ifndef|elif|undef|pragma)\b.*\b" + name + rb"\b", text, re.MULTILINE):
            return found.group()
        return b"constexpr int " + name + b" = " + value + b";" + (b"  " + comment if comment else b"")

    return DEFINED.sub(constant, text)


def _renamed(text: bytes) -> bytes:
    """Parameters and local variables lose what their names say; names that are members of something stay."""
    names, members, waiting = dict[bytes, bytes](), set[bytes](), [parser().parse(text).root_node]
    while waiting:
        node = waiting.pop()
        waiting += reversed(node.children)
        if node.type in ("field_identifier", "type_identifier", "namespace_identifier"):
            members.add(node.text)
        if node.type in ("parameter_declaration", "declaration") and not node.has_error:
            if node.type == "declaration" and node.parent.type == "translation_unit":
                continue
            for declared in node.children_by_field_name("declarator"):
                while declared is not None and declared.type != "identifier":
                    if declared.type in ("function_declarator", "structured_binding_declarator"):
                        declared = None
                        break
                    inner = declared.child_by_field_name("declarator")
                    declared = (
                        inner
                        or next((c for c in declared.named_children if "declarator" in c.type), None)
                        or next((c for c in declared.named_children if c.type == "identifier"), None)
                    )
                if declared is not None:
                    names.setdefault(declared.text, b"v%d" % len(names))
    chosen = {name: new for name, new in names.items() if name not in members and new not in text}
    if not chosen:
        return text
    pattern = re.compile(
        rb"(?<![\w.])(?<!->)(?:" + b"|".join(sorted(map(re.escape, chosen), key=len, reverse=True)) + rb")\b"
    )
    lines = text.split(b"\n")
    return b"\n".join(
        line if line.lstrip().startswith(b"#") else pattern.sub(lambda found: chosen[found.group()], line)
        for line in lines
    )


_OF_TREE: dict[str, type[Rewriter]] = {
    "mirror": Mirror, "swap": Swap, "negate": Negate, "nest": Nest, "leave": Leave, "name-test": NameTest,
    "declare": Declare, "assign": Assign, "while": While, "dereference": Dereference, "brace": Brace,
    "dimensions": Dimensions, "alias": Alias,
}  # fmt: skip
_OF_TEXT: dict[str, Callable[[bytes], bytes]] = {"constant": _constants, "rename": _renamed}
KINDS = (*_OF_TREE, *_OF_TEXT)


def rewritten(text: str, kind: str) -> str:
    """The text in other words; the same text if there is nothing of this kind in it."""
    data = text.encode("utf-8", "surrogatepass")
    if kind in _OF_TEXT:
        new = _OF_TEXT[kind](data)
    else:
        root = parser().parse(data).root_node
        new = data[: root.start_byte] + _OF_TREE[kind]().text(root) + data[root.end_byte :]
    return new.decode("utf-8", "surrogatepass")
