"""What the calls of one walk have in common: the buffers by their names, and the variable that receives a result."""

from __future__ import annotations

from cudalint import ir
from cudalint.symbolic.host.evaluate import Evaluator
from cudalint.symbolic.host.names import pointee_of
from cudalint.symbolic.host.state import State
from cudalint.symbolic.host.values import Address, HostObject, Value
from cudalint.symbolic.host.world import World


class Site:
    def __init__(self, world: World, evaluator: Evaluator) -> None:
        self.world, self.evaluator = world, evaluator
        self.buffers: dict[str, HostObject] = {}
        self.result = ""  # the variable that receives the call's result

    def buffer_name(self, name: str) -> str:
        """Names of allocations are unique in a walk."""
        label = name if ":" in name else self.evaluator.named(name)
        if label not in self.buffers:
            self.buffers[label] = HostObject(label, "allocation")
            return label
        return f"{label}#{self.world.count()}"

    def buffers_of(self, storage: str) -> list[HostObject]:
        """One buffer, by each of the sizes that it was seen with."""
        return [buffer for buffer in self.buffers.values() if buffer.name == storage]

    def fresh_tensor(self, stmt: ir.Call, name: str) -> str:
        return self.evaluator.named(f"{name}#{self.world.count()}")

    def storage(self, stmt: ir.Call, name: str) -> str:
        return self.evaluator.named(f"{self.result or name}#{self.world.count()}")


def behind(stmt: ir.Call, position: int, arg: Value, state: State) -> Value:
    """The value of an argument that is passed by reference."""
    pointee = pointee_of(stmt.args[position].type)
    by_reference = isinstance(stmt.args[position].type, ir.Pointer) and isinstance(pointee, ir.Int)
    return state.read(arg, pointee) if by_reference and isinstance(arg, Address) else arg
