"""What calls do to the order of threads and to the memory that they are given, told from their names alone."""

from __future__ import annotations

import re

VOTE = re.compile(
    r"^(\w*::)*(any|all|ballot|shfl|shuffle|__(all|any|ballot|match_all|match_any|shfl(_up|_down|_xor)?|reduce_\w+)_sync)$"
)
BARRIER = re.compile(r"sync|barrier|bar_|arrive|wait|fence|block_?(reduce|scan|sort|load|store|radix)", re.IGNORECASE)
OF_WARP = re.compile(
    r"^(\w+::)*(__syncwarp|\w*warp_?(all_?)?(reduc|scan|prefix|inclusive|exclusive)\w*|\w*(mma|matrix|Matrix)\w*_sync|(warp|tile)\w*\.sync)$",
    re.IGNORECASE,
)
FENCE = re.compile(r"^__threadfence(_system)?$")  # of what one thread does, for those who read a flag of its
WHOLE_BARRIER = re.compile(r"^__syncthreads(_and|_or|_count)?$")
COLLECTIVE = re.compile(
    r"reduc|scan|sort|block|tile|load|store|copy|gemm|mma|cta|warp|group|exchange|broadcast|gather|scatter|stage|flush|process|run",
    re.IGNORECASE,
)
VOTES = re.compile(r"__(all|any|ballot|match|shfl|reduce)\w*_sync")
BARRIER_MACRO = re.compile(r"[A-Z_]*(SYNC|BARRIER)[A-Z_]*")
ATOMIC = re.compile(r"^(\w*::)*[a-z_]*atomic_?(add|sub|max|min|or|and|xor|exch|cas|inc|dec|mul)\w*$", re.IGNORECASE)
GROUPS = re.compile(
    r"^(\w*(thread|group|block|grid|meta_group)_(rank|size|index|dim)|num_(threads|blocks)|size|this_(thread_block|thread|grid|cluster)|tiled_partition"
    r"|coalesced_threads|(labeled|binary)_partition|zeros|ones|constant|clock(64)?|cudaGridDependencySynchronize"
    r"|cudaTriggerProgrammaticLaunchCompletion)$"
)
VECTOR_MOVE = re.compile(r"^(__)?(ld|st|[Ll]oad|[Ss]tore)(_?(vec|shared|128|64|32|16|\d)\w*|cs|cg|ca|nc)?$")
OF_GROUP = re.compile(r"^(cg|cooperative_groups)::(reduce|(inclusive|exclusive)_scan)$")
WHOLE_GROUP = re.compile(r"block|cta|grid|cluster", re.IGNORECASE)
TILE = re.compile(r"tile|warp", re.IGNORECASE)
METHOD_MOVE = re.compile(r"^(cast_)?(load|store)(_from|_to)?$")
MOVES = re.compile(
    r"^((cast_|load_|store_)?(load|store)(_from|_to|_global\w*)?|(\w+_)?mem(cpy|set)(_\d+)?)$",
    re.IGNORECASE,
)
HARMLESS = re.compile(
    r"^(::|std::|cuda::std::)?(__\w+|\w+_cast\s*<.*>|f?(min|max|abs)f?|(a|l)?(round|floor|ceil|trunc|rint|sqrt|rsqrt|exp|log|pow|sin|cos|tan"
    r"|tanh|fma|atan2?|log1p|exp2|log2|fmod|hypot|erf|isnan|isinf|signbit|copysign)f?|make_\w+|printf|assert|sizeof|T|DType|float|int"
    r"|unsigned|double|half|size_t|u?int\d+_t|ldg|numeric_limits.*|(\w+::)*(lowest|max|min|infinity|zero|one)|size|data|begin|end|get"
    r"|is_\w+|\w*(clamp|swap|select|div_up|ceil_?div|cdiv|log2|load|ldg|op|Op|functor|compare|cmp|_iter|Iter|_step|Step)|step\w*)$",
    re.DOTALL,
)
TEMPLATE = re.compile(r"(?<=\w)\s*<[^<>]*>")


def plain_name(name: str) -> str:
    """The name of a function without namespaces and template arguments."""
    while (shorter := TEMPLATE.sub("", name)) != name:
        name = shorter
    return name.partition("<")[0].rpartition("::")[2]
