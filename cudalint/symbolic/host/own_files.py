"""Files that a program names itself: whoever runs it does not choose what it reads from them.

char* path = find_file("lake.img", argv[0]);  FILE* file = fopen(path, "rb");  fread(&header, sizeof header, 1, file);
"""

from __future__ import annotations

from cudalint import ir
from cudalint.symbolic.host.names import simple_name
from cudalint.symbolic.host.values import APPROXIMATE, Address, Text, Value, addresses
from cudalint.symbolic.host_vocabulary import words


class OwnFiles:
    """What is known of one walk from `main`: names that are made of literals alone, and what is read from files so named."""

    def __init__(self, root: ir.Function) -> None:
        arguments = root.params[1].var.name if root.name == "main" and len(root.params) > 1 else ""
        self.program = f"main:{arguments}" if arguments else ""  # its first element, by which the program was called
        self._named: dict[str, str] = {}  # texts and open files, by the literal that names the file
        self._others: set[str] = set()  # objects that something else was read into
        self.read: dict[str, str] = {}  # objects by the file that their entries come from

    def note(self, stmt: ir.Call, args: list[Value], result: Value | None) -> None:
        """A call that makes a name of names, opens a file, or reads from one."""
        if simple_name(stmt.function) in words().inputs:
            self._note_read(args)
        else:
            self.note_made([arg.type for arg in stmt.args], args, result)

    def note_made(self, types: list[ir.Type], args: list[Value], result: Value | None) -> None:
        """What is made of these arguments."""
        made = [a.object.name for a in addresses(result) if a.object is not None] if result is not None else []
        literal = self._literal(types, args) if made else ""
        if literal:
            self._named.update(dict.fromkeys(made, literal))

    def _literal(self, types: list[ir.Type], args: list[Value]) -> str:
        """The literal that a file is named by, where nothing but such names is given, and the program's own."""
        found = ""
        for type_, value in zip(types, args):
            if not isinstance(type_, ir.Pointer):
                continue
            said = self._said(value)
            if type_.element not in (ir.INT8, ir.UINT8) or (not said and not self._is_program(value)):
                return ""
            found = found or said
        return found

    def _said(self, value: Value) -> str:
        return value.said if isinstance(value, Text) else self._known(value)

    def _known(self, value: Value) -> str:
        """The literal behind a text that the program has made, or an open file."""
        found = {self._named.get(a.object.name, "") for a in addresses(value) if a.object is not None}
        return found.pop() if len(found) == 1 else ""

    def _is_program(self, value: Value) -> bool:
        """The first argument, also behind a call that has taken its options out of them."""
        if not isinstance(value, Address) or value.object is None:
            return False
        name = value.object.name.removeprefix(APPROXIMATE)
        return bool(self.program) and name.partition("#")[0] == self.program

    def _note_read(self, args: list[Value]) -> None:
        literal = next(filter(None, map(self._known, args)), "")
        into = {a.object.name for arg in args for a in addresses(arg) if a.object is not None}
        for name in into - self._named.keys():
            if not literal or self.read.get(name, literal) != literal:
                self._others.add(name)
            if name in self._others:
                self.read.pop(name, None)
            else:
                self.read[name] = literal
