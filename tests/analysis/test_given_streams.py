"""The stream that a forgotten launch should have gone to."""

from __future__ import annotations

import pytest

from cudalint.analysis.launch.given_streams import other_streams
from cudalint.frontend.outline import outline
from cudalint.source import SourceFile

SOURCE = """
__global__ void count(int *n) { atomicAdd(n, 1); }
void counted(Resources const &res, int *n, cudaStream_t copies) {
  cudaStream_t stream = get_cuda_stream(res);
  Loader loader(res, n, copies);
  OTHER
  count<<<1, 32>>>(n);
}
"""


@pytest.mark.parametrize(
    ("other", "stream"),
    [
        ("loader.start();", "stream"),
        ("count<<<1, 32, 0, stream>>>(n);", "stream"),
        ("count<<<1, 32, 0, copies>>>(n);", "copies"),
    ],
)
def test_the_stream_of_the_work_is_named(other: str, stream: str) -> None:
    (wrong,) = other_streams(outline(SourceFile("k.cu", "/k.cu", SOURCE.replace("OTHER", other))))
    assert wrong.text == f"`count` runs on the default stream, not on `{stream}`"
