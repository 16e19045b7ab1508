"""Which questions about the last place are told, and which the loop around them may answer with yes."""

import pytest

from cudalint.analysis.guards.missed_lasts import missed_lasts
from cudalint.frontend.outline import outline
from cudalint.source import SourceFile

SOURCE = """__global__ void k(const int *begins, int *out, int n, int total) {
  for (int i = threadIdx.x; HEAD; i += blockDim.x) {
    BODY
  }
}
"""


@pytest.mark.parametrize(
    ("head", "body", "told"),
    [
        ("i < n", "out[i] = i == n ? total : begins[i + 1];", 1),
        ("i < n", "out[i] = i != n ? begins[1 + i] : total;", 1),
        ("n > i && out[i] == 0", "if (i == n) out[i] = total; else out[i] = begins[i + 1];", 1),
        ("i <= n", "out[i] = i == n ? total : begins[i + 1];", 0),
        ("i < n", "out[i] = i == n - 1 ? total : begins[i + 1];", 0),
        ("i < n", "out[i] = i == total ? total : begins[i + 1];", 0),
        ("i < n", "out[i] = i == n ? total : begins[i];", 0),
        ("i < n", "i++; out[i] = i == n ? total : begins[i + 1];", 0),
        ("i < n", "i = out[i]; out[i] = i == n ? total : begins[i + 1];", 0),
    ],
)
def test_the_last_place_is_not_met(head: str, body: str, told: int) -> None:
    text = SOURCE.replace("HEAD", head).replace("BODY", body)
    assert len(list(missed_lasts(outline(SourceFile("k.cu", "/k.cu", text))))) == told
