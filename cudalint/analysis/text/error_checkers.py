"""Functions of the file that are given what a call of the runtime returns, and do no more than look at it.

inline void require(cudaError_t rc, const char* op) { if (rc != cudaSuccess) throw std::runtime_error(op); }
"""

from __future__ import annotations

import re
from functools import lru_cache

from cudalint.analysis.text.called_functions import that_come_to
from cudalint.analysis.text.text_program import PROGRAMS_KEPT
from cudalint.ir.syntax import Outline

_RESULT = re.compile(r"\b(cudaError_t|cudaError|hipError_t|CUresult)\b")
_DOES_MORE = re.compile(r"sync|wait|join|query|reset|memcpy|<<<", re.IGNORECASE)


@lru_cache(maxsize=PROGRAMS_KEPT)
def error_checkers(outline: Outline) -> frozenset[str]:
    """Their last names; a name of which one function does more, or calls one that does, is left out."""
    looking, others = set[str](), set(that_come_to(_DOES_MORE, outline))
    for function in outline.functions:
        given = function.parameters[0].text if function.parameters else ""
        looks = _RESULT.search(given) is not None and _DOES_MORE.search(function.body.text) is None
        (looking if looks else others).add(function.name.rpartition("::")[2])
    return frozenset(looking - others)
