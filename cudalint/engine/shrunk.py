"""Drawn launches that show a defect, made as small as they still show it, inside of the same contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from cudalint.confirm.shrink import Budget, Shrinker, launch_order, value_passes
from cudalint.contract import Contract
from cudalint.engine.draws import Draw, Launches
from cudalint.term import Flag, interval

RUNS = 16
STEPS = 3  # times those of the run that showed it


def smallest(
    draw: Draw, contract: Contract, shows: Callable[[Draw], tuple[bool, int]], steps: int,
    fixed: Mapping[str, int | str] = MappingProxyType({}), runs: int = RUNS,
) -> Draw:  # fmt: skip
    """The smallest launch that `shows` it, too; `steps` are those of the run of `draw`. Sizes do not become zero."""
    launches = Launches(contract, fixed)
    names = [str(symbol.parts[0]) for symbol in launches.free if symbol.parts[0] in draw.values]
    least = {str(symbol.parts[0]): interval(symbol)[0] for symbol in launches.free}
    flags = {str(symbol.parts[0]) for symbol in launches.free if isinstance(symbol, Flag)}

    def floor(name: str) -> int:
        bound = least[name]
        if name in flags:
            return 0
        return min(draw.values[name], 1 if bound is None else max(1, bound))

    shrinker = Shrinker(
        draw,
        lambda each: launch_order(launches.elements(each), each.shape, each.values),
        shows,
        Budget(runs, STEPS * max(1, steps)),
    )
    return shrinker.shrink(value_passes(names, launches.of, lambda each: each.values, floor))
