"""A finding says what happens in a run of the program: the values of a witness that the walk made up are not told."""

from __future__ import annotations

from pathlib import Path

from cudalint.engine import ScanOptions, scan

VIEW = """struct View {
  float *data;
  int rank, sizes[2];
  __host__ __device__ View(float *data, int rows, int cols) : data(data), rank(2), sizes{rows, cols} {}
  __host__ __device__ int stride(int r) const {
    int product = 1;
    for (int i = r + 1; i < rank; i++) product *= sizes[i];
    return product;
  }
};
__global__ void clear(View view) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col < view.sizes[%d]) view.data[row * view.stride(0) + col * view.stride(1)] = 0.0f;
}
void run(int rows, int cols) {
  if (rows <= 0 || cols <= 0 || rows > 4096 || cols > 4096) return;
  float *data;
  cudaMalloc(&data, sizeof(float) * rows * cols);
  clear<<<dim3((cols + 127) / 128, rows), 128>>>(View(data, rows, cols));
}
"""


def test_the_launch_and_the_access_are_those_that_a_run_has_seen(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(VIEW % 0)
    result = scan(ScanOptions(paths=(str(path),), project_root=str(tmp_path), jobs=1, select=("IDX101",)))
    (finding,) = result.findings
    witness = finding.witness
    assert witness is not None and witness.block is not None and witness.thread is not None
    rows, cols = (witness.values[f"run:{name}"] for name in ("rows", "cols"))
    col = witness.block[0] * witness.launch.block[0] + witness.thread[0]
    assert col < rows and witness.index == witness.block[1] * cols + col >= rows * cols == witness.extent
    assert finding.message == "write past the end of `view.data`"
    assert f"writes view.data[{witness.index}], extent {witness.extent}" in (finding.trigger or "")


def test_a_program_that_stays_inside_has_no_finding(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(VIEW % 1)
    result = scan(ScanOptions(paths=(str(path),), project_root=str(tmp_path), jobs=1, select=("IDX101",)))
    assert not result.findings


# The length of the last tile is what is left of the row, of which the walk knows nothing behind the first round.
TILES = """__global__ void rows(const float *a, const float *b, float *out, int n) {
  const int tile = 64;
  __shared__ float row[4 * tile];
  const int lane = threadIdx.x %% 32, warp = threadIdx.x / 32, first = (blockIdx.x * 4 + warp) * n;
  int length = tile;
  float sum = 0;
  for (int start = 0; start < n; start += 64) {
    if (n - start < length) length = n - start;
    for (int i = lane; i < length; i += 32)
      row[warp * tile + i] = a[first + start + i];
    __syncwarp();
    for (int i = 0; i < length; i++)
      sum += row[warp * tile + i] * b[(start + i) * 32 + lane];
    %s
  }
  out[(blockIdx.x * 4 + warp) * 32 + lane] = sum;
}
void run(const float *a, const float *b, float *out, int m, int n) { rows<<<m / 4, 128>>>(a, b, out, n); }
"""


def test_a_race_is_told_with_the_pair_that_the_run_has_seen(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(TILES % "")
    result = scan(ScanOptions(paths=(str(path),), project_root=str(tmp_path), jobs=1, select=("SYN101",)))
    (finding,) = result.findings
    witness = finding.witness
    assert witness is not None and finding.evidence.value == "emulated"
    one, other = witness.threads
    assert {(one.kind, one.line), (other.kind, other.line)} == {("write", 10), ("read", 13)}
    assert one.block == other.block and one.thread[0] // 32 == other.thread[0] // 32 != one.thread[0]
    assert one.index == other.index == witness.index
    assert witness.index is not None and witness.index // 64 == one.thread[0] // 32
    assert "the read at line 13" in finding.message and f"row[{witness.index}]" in (finding.trigger or "")


def test_a_race_that_a_barrier_of_the_warp_prevents_is_no_finding(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(TILES % "__syncwarp();")
    result = scan(ScanOptions(paths=(str(path),), project_root=str(tmp_path), jobs=1, select=("SYN101",)))
    assert not result.findings
