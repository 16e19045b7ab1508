"""Launches that cannot work for ordinary sizes, or not as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from cudalint.analysis.launch.allowed_beyond import allowed_beyond
from cudalint.analysis.launch.clamped_sides import clamped_beyond
from cudalint.analysis.launch.constructed_sizes import largest_constructed
from cudalint.analysis.launch.handed_launches import is_handed_on
from cudalint.analysis.launch.kept_sides import is_one_of_two_ways, is_part_of_a_bound
from cudalint.analysis.launch.named_sizes import are_related, names_behind, sizes_named
from cudalint.analysis.launch.optin_questions import asks_for_optin, is_bounded_by_optin
from cudalint.analysis.launch.sides_of_block import largest_by_block
from cudalint.analysis.text.launch_text import plain_name, text_launches, wrapped_launches
from cudalint.analysis.text.magnitude import (
    ROW,
    SMALL,
    VAGUE,
    Size,
    called,
    counts_tokens,
    factor_of,
    in_tiles,
    largest_term,
    magnitude,
    names_of,
    roles_of,
)
from cudalint.analysis.text.scopes import Scope, uncast
from cudalint.analysis.text.sizes import Sizes
from cudalint.analysis.text.text_program import Program, TextLaunch, program_of
from cudalint.ir.syntax import Outline, Syntax, TextFunction

GRID_YZ = 65_535
MOST_ROWS = GRID_YZ + 1  # ordinary sizes are powers of two
BLOCK = 1024
SHARED_BYTES = 48 * 1024
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_GRID_GUARD = re.compile(r"65_?53[56]|maxGridSize|USHRT_MAX|UINT16_MAX|MAX_?GRID|max_?grid|0x(0000)?[fF]{4}\b")
BLOCK_GUARD = re.compile(
    r"\b1024\b|maxThreadsPerBlock|MAX_?THREADS|max_?threads|MAX_?BLOCK|OccupancyMax", re.IGNORECASE
)
_SHARED_GUARD = re.compile(
    r"MaxDynamicSharedMemorySize|MAX_DYNAMIC_SHARED_SIZE_BYTES|sharedMemPerBlock|SHARED_MEMORY_LIMIT|PreferredShared"
)
_RAISED = re.compile(r"MaxDynamicSharedMemorySize|MAX_DYNAMIC_SHARED_SIZE_BYTES")
_THREADS = re.compile(
    r"^(k?(n|num_?)?threads?(_?per_?block|_?count|_num)?|block_?(size|dims?)?|dimBlock|tpb|nthreads)$", re.I
)
_BLOCKS = re.compile(r"^(grid(_?(size|dims?))?|dimGrid|(n|num_?|k)?blocks(_?per_?grid|_?num)?|nblocks)$", re.I)


_REMAINDER = re.compile(r"%|remainder|aligned|multiple|divisib", re.IGNORECASE)
_WORDS = re.compile(r"vocab", re.IGNORECASE)
_ROUNDED = re.compile(r"(ceil|floor|round|trunc|rint|l?lrint|l?lround|abs|sqrt)f?$")  # of <cmath>
_WHOLE = re.compile(r"(.+)\.numel\(\)")
_LAST = re.compile(r"(.+)\.size\((?:-1|\1\.dim\(\)-1)\)")
_NOT_DATA = re.compile(r"thread|block|tile|warp|wg|group|tpb", re.IGNORECASE)
_A_PART = re.compile(r"thread|block|tile|warp|group|tpb|grid|dim3|^n[bt][xyz]$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WrongLaunch:
    """`place` is the expression that is wrong; `stated`: names alone say that it is."""

    launch: TextLaunch
    place: Syntax
    text: str
    stated: bool


def tall_grids(outline: Outline) -> Iterator[WrongLaunch]:
    """A side y or z of a grid that a number of rows decides: more than 65535 are an invalid launch."""
    program = program_of(outline)
    for launch in chain(text_launches(program), wrapped_launches(program)):
        asked = _asked_sides(launch, program.scope(launch.function))
        if asked is None:
            continue
        sizes = Sizes(program, launch.function, launch.node.start)
        for side, axis in zip(launch.grid[1:], "yz"):
            if side is None or axis in asked or _is_at_most(GRID_YZ, side, sizes):
                continue
            if _is_decided_elsewhere(side, program.scope(launch.function), program):
                continue
            if _is_side_of_square(side, launch, program) or (largest_by_block(side, launch) or MOST_ROWS) < MOST_ROWS:
                continue
            counted = _counted(side, program.scope(launch.function))
            size = in_tiles(sizes.of(counted))
            strided = _is_count(counted) and _is_strided_over(axis, launch, program)
            capped = bool(set(asked) & set("yz"))
            clamped = clamped_beyond(GRID_YZ, side, program.scope(launch.function), sizes.caps)
            clamped = clamped or largest_constructed(size, launch.function, outline) > GRID_YZ
            clamped = clamped or allowed_beyond(MOST_ROWS, side, launch, program, sizes.caps)
            if clamped or magnitude(size) > (MOST_ROWS / 4 if strided else GRID_YZ if capped else MOST_ROWS):
                if is_one_of_two_ways(side, launch, program) or is_part_of_a_bound(side, launch, program):
                    continue
                named = magnitude(size, stated=True) > MOST_ROWS and not _are_rows_of_words(side, launch)
                beside = capped and not _is_scaled_side(size)
                flat = _are_rows_of_tensor(size, program.scope(launch.function))
                stated = clamped or (not size.contents and (named or beside or strided or flat))
                yield WrongLaunch(launch, side, f"grid.{axis} = {_short(side)}", stated)


def _counted(side: Syntax, scope: Scope) -> Syntax:
    """`const int blocks_y = rows;` are as many as the rows, whatever the name says."""
    values = scope.values.get(side.text, []) if side.kind == "identifier" and side.text not in scope.grown else []
    value = uncast(values[0]) if len(values) == 1 and _BLOCKS.match(side.text.rstrip("_xyz")) else side
    return value if _is_count(value) else side


def _is_decided_elsewhere(side: Syntax, scope: Scope, program: Program) -> bool:
    """`blocks_for((rows + 7) / 8)` of another file makes a number of blocks of it, and may keep that within the limit."""
    values = scope.values.get(side.text, []) if side.kind == "identifier" and side.text not in scope.grown else []
    call = uncast(values[0]) if len(values) == 1 else uncast(side)
    callee, arguments = call.child("function"), call.child("arguments")
    if call.kind != "call_expression" or callee is None or arguments is None or len(arguments.children) != 1:
        return False
    name = callee.text.partition("<")[0].rpartition("::")[2]
    if callee.kind == "field_expression" or arguments.children[0].kind != "binary_expression" or _ROUNDED.match(name):
        return False
    return all(function.name.rpartition("::")[2] != name for function in program.outline.functions)


def _is_count(node: Syntax) -> bool:
    """A size of the data as it is given, and no number of blocks."""
    if node.kind == "call_expression":
        return re.search(r"([sS]ize|dim|shape|extent)\w*\(\w*\)$", node.bare) is not None
    return node.kind in ("identifier", "field_expression") and _A_PART.search(node.text) is None


def _is_strided_over(axis: str, launch: TextLaunch, program: Program) -> bool:
    """The kernel goes on with steps of this side of the grid: it is written for more than a grid has there."""
    start = re.compile(rf"\bblockIdx\s*\.\s*{axis}\b")
    step = re.compile(rf"\+=\s*gridDim\s*\.\s*{axis}\b")
    for kernel in _launched(launch, program):
        for node in kernel.body.walk():
            begin, update = node.child("initializer"), node.child("update")
            if node.kind == "for_statement" and begin is not None and update is not None:
                if start.search(begin.text) and step.search(update.text):
                    return True
    return False


def _is_scaled_side(size: Size) -> bool:
    """A side that tiles cover, times what no name says the size of: a factor, by which images get larger."""
    term = largest_term(size)
    roles = roles_of(term)
    return VAGUE in roles and ROW not in roles and len(names_of(term)) > 1 and factor_of(term) < 1


def _are_rows_of_tensor(size: Size, scope: Scope) -> bool:
    """`x.numel() / x.size(-1)` are as many as all sides but the last one have together, whatever their number is."""
    for _, powers in largest_term(size):
        whole = [match[1] for name, power in powers if power == 1 and (match := _WHOLE.fullmatch(name))]
        lasts = [match[1] for name, power in powers if power == -1 and (match := _LAST.fullmatch(name))]
        if whole and whole == lasts and len(powers) == len(whole) + len(lasts):
            return not any(_is_side_compared(tensor, scope) for tensor in whole)
    return False


def _is_side_compared(tensor: str, scope: Scope) -> bool:
    """`TORCH_CHECK(x.size(0) <= 1024)`: the function asks how long another side than the last one is."""
    side = re.compile(rf"{re.escape(tensor)}\.size\(\d+\)")
    for node in scope.function.body.walk():
        if node.kind == "binary_expression" and node.op in ("<", "<=", ">", ">=", "=="):
            for one, other in (node.children, node.children[::-1]):
                values = scope.values.get(one.text, ()) if one.kind == "identifier" else ()
                asked = values[0].bare if len(values) == 1 else one.bare
                if side.fullmatch(asked) and _is_limit(other, scope):
                    return True
    return False


def _is_limit(node: Syntax, scope: Scope) -> bool:
    return node.text != "0" and (node.kind == "number_literal" or node.text in scope.outline.constants)


def _are_rows_of_words(side: Syntax, launch: TextLaunch) -> bool:
    """Another side goes along the words of a vocabulary: what is called a row, and no token, is that of one sequence of a batch."""
    others = (other for other in launch.grid if other is not None and other is not side)
    tokens = any(counts_tokens(part.text) for part in side.walk() if part.kind == "identifier")
    return not tokens and any(_WORDS.search(other.text) for other in others)


def _asked_sides(launch: TextLaunch, scope: Scope) -> str | None:
    """The sides whose own expressions or comparisons speak of the limit; None where the function does so otherwise."""
    text = _COMMENT.sub(" ", launch.function.body.text)
    if _GRID_GUARD.search(text) is None:
        return ""
    asked = "".join(
        axis for side, axis in zip(launch.grid, "xyz") if side is not None and _GRID_GUARD.search(side.text)
    )
    for other in _checks_of_others(launch, scope):  # before the sides, whose names these hold
        text = text.replace(other.text, "")
    for side in launch.grid:
        text = text if side is None else text.replace(side.text, "")
    return asked if _GRID_GUARD.search(text) is None else None


def _checks_of_others(launch: TextLaunch, scope: Scope) -> Iterator[Syntax]:
    """Comparisons with the limit of sizes that have nothing to do with the sides y and z: `cols <= 65536`."""
    told = set[str]().union(*(names_behind(side, scope) for side in launch.grid[1:] if side is not None))
    for node in launch.function.body.walk():
        if node.kind == "binary_expression" and node.op in ("<", "<=", ">", ">=") and _GRID_GUARD.search(node.text):
            named = sizes_named(node)
            if named and not any(map(_GRID_GUARD.search, named)) and not are_related(told, named):
                yield node


def _is_side_of_square(side: Syntax, launch: TextLaunch, program: Program) -> bool:
    """The kernel multiplies the size with itself: its arrays would have 2^32 elements before the grid ends."""
    return any(
        re.search(rf"\b{re.escape(name)}\s*\*\s*{re.escape(name)}\b", kernel.body.text)
        for kernel in _launched(launch, program)
        for name in _given(side, kernel, launch, program)
    )


def _given(side: Syntax, kernel: TextFunction, launch: TextLaunch, program: Program) -> list[str]:
    """The parameters of the kernel that are passed the expression."""
    parameters = program.scope(kernel).parameters
    return [name for name, argument in zip(parameters, launch.arguments) if name and argument.text == side.text]


def _is_at_most(limit: int, node: Syntax, sizes: Sizes) -> bool:
    """Checks, clamps or callers in the text keep the value within the limit."""
    cap = sizes.caps.of(node)
    return cap is not None and cap <= limit


def wide_blocks(outline: Outline) -> Iterator[WrongLaunch]:
    """Sizes of data as sides of a block: more than 1024 threads are an invalid launch."""
    program = program_of(outline)
    for launch in text_launches(program):
        guarded, elsewhere = _of_branches(launch)
        if BLOCK_GUARD.search(guarded):
            continue
        sizes = Sizes(program, launch.function, launch.node.start)
        written = [side for side in launch.block if side is not None]
        sides = _shared_out([_copied(side, program.scope(launch.function)) for side in written], launch, program)
        known, stated = 1.0, 1.0
        for side in _factors(sides):
            cap = sizes.caps.of(side) or float("inf")
            known *= max(1.0, min(cap, magnitude(sizes.of(side))))
            stated *= max(1.0, min(cap, magnitude(sizes.of(side), stated=True)))
        fixed = all(side.kind == "number_literal" for side in sides)
        if known > BLOCK and not fixed and any(_is_data(side, launch, program) for side in sides):
            text = " * ".join(_short(side) for side in sides)
            meant = stated > BLOCK or _is_written_for_a_grid(launch, program)
            meant = meant or any(_is_capped_in(elsewhere, side) or _is_strided(side, launch, program) for side in sides)
            yield WrongLaunch(
                launch, written[0], f"the block has {text} threads", meant and not _is_chosen(sides, launch)
            )


def _is_chosen(sides: list[Syntax], launch: TextLaunch) -> bool:
    """`dim3(width, half, SLICES)` in a template of SLICES: whoever calls it chooses how many of them the width allows."""
    return len(sides) > 1 and any(side.text in launch.function.template for side in sides)


def _copied(side: Syntax, scope: Scope) -> Syntax:
    """`const int threads = hidden;` are as many as the size, whatever the name says."""
    values = scope.values.get(side.text, []) if side.kind == "identifier" and side.text not in scope.grown else []
    return values[0] if len(values) == 1 and values[0].kind == "identifier" else side


def _factors(sides: list[Syntax]) -> list[Syntax]:
    """`n / heads` threads for each of `heads` are n at most."""
    found = list(sides)
    for side in sides:
        whole, parts = side.child("left"), side.child("right")
        if side.kind != "binary_expression" or side.op != "/" or whole is None or parts is None:
            continue
        beside = next((other for other in found if other is not side and other.text == parts.text), None)
        if beside is not None:
            found = [whole if each is side else each for each in found if each is not beside]
    return found


def _shared_out(sides: list[Syntax], launch: TextLaunch, program: Program) -> list[Syntax]:
    """`rows = 256 / columns` beside the columns: 256 threads at most, which are shared out between the two sides."""
    scope = program.scope(launch.function)
    for side in sides:
        values = scope.values.get(side.text, []) if side.text not in scope.grown else []
        value = values[0] if len(values) == 1 else side
        whole, parts = value.child("left"), value.child("right")
        beside = [each for each in sides if each is not side and parts is not None and each.text == parts.text]
        if value.op == "/" and whole is not None and beside:
            return [whole if each is side else each for each in sides if each is not beside[0]]
    return sides


def _of_branches(launch: TextLaunch) -> tuple[str, str]:
    """The function's text without the branches beside that of the launch, and those branches."""
    body, place = launch.function.body, launch.node.start
    beside: list[Syntax] = []
    for node in body.walk():
        if node.kind == "if_statement" and node.start < place < node.end:
            branches = [node.child("consequence"), node.child("alternative")]
            known = [branch for branch in branches if branch is not None]
            beside += [branch for branch in known if not branch.start <= place < branch.end] if len(known) == 2 else []
    text = body.text
    for branch in sorted(beside, key=lambda branch: -branch.start):
        text = text[: branch.start - body.start] + text[branch.end - body.start :]
    return text, "".join(branch.text for branch in beside)


def _is_capped_in(text: str, side: Syntax) -> bool:
    """`min(1024, n)`: another branch knows that the size may be larger than a block."""
    name = re.escape(side.text)
    return re.search(rf"\bmin(<\w+>)?\s*\([^;]*(\b1024\b[^;]*\b{name}\b|\b{name}\b[^;]*\b1024\b)", text) is not None


def _is_strided(side: Syntax, launch: TextLaunch, program: Program) -> bool:
    """The kernel walks through as many elements with steps of a block: it is written for more than one of them."""
    for kernel in _launched(launch, program):
        given = _given(side, kernel, launch, program)
        for node in kernel.body.walk() if given else ():
            start, condition, step = node.child("initializer"), node.child("condition"), node.child("update")
            if node.kind != "for_statement" or start is None or condition is None or step is None:
                continue
            strided = re.search(r"\+=\s*blockDim\s*\.\s*x$", step.text) and "threadIdx.x" in start.text
            if strided and any(re.search(rf"<\s*{re.escape(name)}$", condition.text) for name in given):
                return True
    return False


def _is_written_for_a_grid(launch: TextLaunch, program: Program) -> bool:
    """One block whose every side is a size, and a kernel that adds up blocks and compares: it was meant for many."""
    single = all(side is None or side.text == "1" for side in launch.grid) and launch.grid[0] is not None
    sides = [side for side in launch.block if side is not None and side.text != "1"]
    kernels = [f for f in program.outline.functions if f.role == "kernel" and f.name == launch.kernel]
    if not single or len(kernels) != 1 or not all(_is_data(side, launch, program) for side in sides):
        return False
    text = kernels[0].body.text
    places = (
        rf"blockIdx\.{axis}\s*\*\s*blockDim\.{axis}|blockDim\.{axis}\s*\*\s*blockIdx\.{axis}"
        for axis in "xyz"[: len(sides)]
    )
    return "if" in text and all(re.search(place, text) for place in places)


def _is_data(side: Syntax, launch: TextLaunch, program: Program) -> bool:
    """A bare size, not one that was computed for the block."""
    if side.kind == "identifier":
        scope = program.scope(launch.function)
        values = scope.values.get(side.text, [])
        if not values and side.text in scope.types and side.text not in scope.parameters:
            return False  # what `std::tie` gives it, or a call through its address
        bare = not values or values[-1].kind in ("field_expression", "subscript_expression", "call_expression")
        return bare and _NOT_DATA.search(side.text) is None
    return side.kind in ("field_expression", "subscript_expression") and _NOT_DATA.search(side.text) is None


def unset_shared_limits(outline: Outline) -> Iterator[WrongLaunch]:
    """More than 48 KiB of dynamic shared memory in a function that never raises the limit."""
    program = program_of(outline)
    raised = _RAISED.search(outline.root.text) is not None
    for launch in text_launches(program):
        if launch.shared is None or is_handed_on(launch, program):
            continue
        text = launch.function.body.text
        opted = not raised and is_bounded_by_optin(launch, program)
        if not opted and (_SHARED_GUARD.search(text) or asks_for_optin(launch)):
            continue
        sizes = Sizes(program, launch.function, launch.node.start)
        if _is_at_most(SHARED_BYTES, launch.shared, sizes):
            continue
        if opted and launch.shared.kind != "number_literal":
            yield WrongLaunch(launch, launch.node, f"{_short(launch.shared)} bytes of shared memory", True)
            continue
        size = sizes.of(launch.shared)
        written = sizes.of(_only_value(launch.shared.text, program.scope(launch.function)) or launch.shared)
        counts_blocks = _counts_blocks(written, launch)
        known = not names_of(largest_term(written))
        size = written if counts_blocks or known else size  # whatever a name such as `smem` says of it
        fixed = not names_of(largest_term(size)) and magnitude(size) > SHARED_BYTES and not raised
        beside = magnitude(written) > SHARED_BYTES and raised and _is_raised_for_as_many(launch, program)
        if fixed or beside:
            yield WrongLaunch(launch, launch.node, f"{_short(launch.shared)} bytes of shared memory", True)
        elif magnitude(size) > SHARED_BYTES and not roles_of(largest_term(size)) <= {SMALL}:
            stated = raised or magnitude(size, stated=True) > SHARED_BYTES or _holds_a_row(size, launch, program)
            yield WrongLaunch(
                launch, launch.node, f"{_short(launch.shared)} bytes of shared memory", stated or counts_blocks
            )


def _is_raised_for_as_many(launch: TextLaunch, program: Program) -> bool:
    """Another function of the file computes as many bytes, and raises the limit of its kernel for them."""
    value = None if launch.shared is None else _only_value(launch.shared.text, program.scope(launch.function))
    if value is None or not any(part.kind == "identifier" for part in value.walk()):
        return False
    for function in program.outline.functions:
        if function is not launch.function and _RAISED.search(function.body.text):
            if any(value.bare == other.bare for values in program.scope(function).values.values() for other in values):
                return True
    return False


def _counts_blocks(size: Size, launch: TextLaunch) -> bool:
    """The bytes grow with a size that has a block for each of its elements: such a size is as large as it likes."""
    sides = {side.text for side in launch.grid if side is not None and side.kind == "identifier"}
    return magnitude(size) > SHARED_BYTES and not sides.isdisjoint(names_of(largest_term(size)))


def _holds_a_row(size: Size, launch: TextLaunch, program: Program) -> bool:
    """The bytes grow with a size that the kernel multiplies with its block's number: each block keeps a row, however long."""
    largest = largest_term(size)
    for kernel in _launched(launch, program):
        scope = program.scope(kernel)
        rows = [name for name in names_of(largest) if name in scope.parameters]
        for node in kernel.body.walk() if rows else ():
            left, right = node.child("left"), node.child("right")
            if node.kind != "binary_expression" or node.op != "*" or left is None or right is None:
                continue
            for place, row in ((left, right), (right, left)):
                values = scope.values.get(place.text, [place])
                if row.text in rows and len(values) == 1 and re.fullmatch(r"blockIdx\s*\.\s*[xyz]", values[0].text):
                    return magnitude(called(size, row.text, "row_dim"), stated=True) > SHARED_BYTES
    return False


def _launched(launch: TextLaunch, program: Program) -> list[TextFunction]:
    """The kernels that a launch may mean: by name, or by the variable that holds one."""
    values = program.scope(launch.function).values.get(launch.kernel, [])
    names = {launch.kernel, *(plain_name(value.text) for value in values)}
    return [f for f in program.outline.functions if f.role == "kernel" and f.name in names]


def swapped_configurations(outline: Outline) -> Iterator[WrongLaunch]:
    """`k<<<threads, blocks>>>`: by their names the two are in the wrong order."""
    for launch in text_launches(program_of(outline)):
        if launch.node.child("function") is None or len(launch.written) < 2:
            continue
        grid, block = launch.written[0], launch.written[1]
        if _THREADS.match(grid.text) and _BLOCKS.match(block.text):
            yield WrongLaunch(launch, launch.node, f"<<<{grid.text}, {block.text}>>>", True)


# --- quotients ---------------------------------------------------------------------------------------------------------


def truncated_grids(outline: Outline) -> Iterator[WrongLaunch]:
    """A side of a grid is a quotient by a number that is worked out there: it loses the rest, and it may be zero."""
    program = program_of(outline)
    for launch in text_launches(program):
        scope = program.scope(launch.function)
        for side, axis in zip(launch.grid, "xyz"):
            value = side if side is None or side.kind != "identifier" else _only_value(side.text, scope)
            if side is None or value is None or not _is_truncated(value, launch.function, scope):
                continue
            yield WrongLaunch(launch, value, f"grid.{axis} = {_short(value)}", True)


def _only_value(name: str, scope: Scope) -> Syntax | None:
    values = scope.values.get(name, [])
    return values[0] if len(values) == 1 and name not in scope.grown else None


def _is_truncated(value: Syntax, function: TextFunction, scope: Scope) -> bool:
    """`size / count`, where nothing in the function looks at remainders, and the kernel's block has no part in it."""
    divisors: list[Syntax] = []
    while value.kind == "binary_expression" and value.op == "/":
        left, right = value.child("left"), value.child("right")
        if left is None or right is None:
            return False
        divisors.append(right)
        value = left
    size = value.kind in ("identifier", "field_expression") and _only_value(value.text, scope) is None
    if not divisors or not size or _REMAINDER.search(function.body.text):
        return False
    return any(_is_worked_out(divisor, scope) for divisor in divisors)


def _is_worked_out(divisor: Syntax, scope: Scope) -> bool:
    """A variable that is a quotient itself, such as the rows that fit a block: it follows the data."""
    values = scope.values.get(divisor.text, []) if divisor.kind == "identifier" else []
    return any(node.op == "/" for value in values for node in value.walk())


def _short(node: Syntax) -> str:
    return " ".join(node.text.split())[:60]
