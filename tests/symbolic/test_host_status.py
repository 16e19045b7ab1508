"""Functions that say whether they have filled what they were given: whoever goes on has read it."""

from __future__ import annotations

from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts

START = """
#include <cstdio>
__global__ void scale(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
struct Header { int kind, packed, width; };
int load(const char *path, int *width) {
  Header header;
  FILE *file = fopen(path, "rb");
  if (!file) return 1;
  fread(&header, sizeof(Header), 1, file);
  if (header.kind != 7) return 2;
  if (header.packed) return 3;
  *width = header.width;
  return 0;
}
"""


def facts(main: str) -> list[str]:
    """Of the only contract, behind them what is open."""
    unit = translate(SourceFile("0.cu", "/0.cu", START + "int main() { " + main + " }\n"), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    missing = [f"open: {m.subject}" for m in contract.missing if m.subject in ("grid", "n")]
    return [fact.text for fact in contract.facts] + missing


CALL = 'int width; int status = load("a.bmp", &width); float *d; cudaMalloc(&d, 4096); '
LAUNCH = "scale<<<width / 64, 64>>>(d, 5);"


def test_who_goes_on_after_success_only_has_what_was_read() -> None:
    assert facts(CALL + "if (status) return 1; " + LAUNCH)[0] == "grid = header.width / 64, block = 64"


def test_one_of_the_failures_does_not_decide_what_was_read() -> None:
    assert "open: grid" in facts(CALL + "if (status == 1) return 1; " + LAUNCH)


def test_who_goes_on_in_any_case_may_have_read_nothing() -> None:
    assert "open: grid" in facts(CALL + LAUNCH)


def test_a_comparison_decides_the_choices_that_it_excludes() -> None:
    chosen = "int n = atoi(argv); int mode = n < 0 ? 3 : n > 9 ? 4 : 5; int size = n < 0 ? 1 : n > 9 ? 2 : n; "
    rest = "float *d; cudaMalloc(&d, 4096); {} scale<<<1, 64>>>(d, size);"
    assert "n = n" in facts('const char *argv = getenv("N"); ' + chosen + rest.format("if (mode < 5) return 1;"))
    assert "n = n" not in facts('const char *argv = getenv("N"); ' + chosen + rest.format("if (mode < 4) return 1;"))
