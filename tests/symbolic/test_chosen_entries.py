"""Entries of small arrays that callers choose: open where they are chosen, taken for granted behind that."""

from __future__ import annotations

from pathlib import Path

from cudalint.engine import ScanOptions, scan
from cudalint.finding import Reason, Verdict

ROWS = """
struct Rows { long long dims[4]; long long strides[4]; float* ptr; };
struct Sums { long long dims[4]; long long strides[4]; const float* ptr; };
__global__ void bcast(Rows out, Sums tmp, int dim, unsigned blocks_x, unsigned blocks_y, unsigned lim) {
    const int zid = blockIdx.x / blocks_x, wid = blockIdx.y / blocks_y;
    const int xid = (blockIdx.x - blocks_x * zid) * blockDim.x + threadIdx.x;
    const int yid = blockIdx.y - blocks_y * wid;
    int ids[4] = {xid, yid, zid, wid};
    const float* t = tmp.ptr + ids[3] * tmp.strides[3] + ids[2] * tmp.strides[2] + ids[1] * tmp.strides[1] + ids[0];
    const int at = ids[dim];
    ids[dim] = ids[dim] * blockDim.y * lim + threadIdx.y;
    float* o = out.ptr + ids[3] * out.strides[3] + ids[2] * out.strides[2] + ids[1] * out.strides[1] + ids[0];
    const int id = ids[dim];
    bool valid = ids[0] < out.dims[0] && ids[1] < out.dims[1] && ids[2] < out.dims[2] && ids[3] < out.dims[3];
    if (!valid) return;
    if (at == 0) return;
    float acc = *(t - tmp.strides[dim]);
    for (int k = 0, i = id; k < lim && i < out.dims[dim]; k++, i += blockDim.y) {
        *o = *o + acc;
        o += blockDim.y * out.strides[dim];
    }
}
"""


def test_what_a_stride_beyond_its_array_leads_to_is_no_finding_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(ROWS)
    result = scan(ScanOptions(paths=(str(tmp_path / "k.cu"),), cache=False, jobs=1))
    assert not result.findings
    where = {line: text for line, text in enumerate(ROWS.splitlines(), 1) if "[dim]" in text}
    verdicts = {
        where[o.span.line].strip(): (o.verdict, o.reason)
        for kernel in result.kernels
        for o in kernel.obligations
        if o.kind.endswith("dimension") and o.span.line in where
    }
    assert verdicts["const int at = ids[dim];"] == (Verdict.UNKNOWN, Reason.UNTIED_EXTENT)
    assert verdicts["float acc = *(t - tmp.strides[dim]);"] == (Verdict.SAFE, Reason.PRECONDITION)
