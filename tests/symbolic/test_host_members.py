"""Members of objects that somebody else made: what they are asked twice, and what a loop makes of them."""

from __future__ import annotations

import pytest

from cudalint.contract import Contract, Extent, Geometry, Origin
from cudalint.finding import Verdict
from cudalint.frontend.translate import ParseOptions, translate
from cudalint.source import SourceFile
from cudalint.symbolic.analyse import analyse
from cudalint.symbolic.host import launch_contracts
from cudalint.term import Term, free_symbols

HEAD = """
#include <cuda_runtime.h>
struct Image {
  int rows() const; int cols() const; int at(int i) const; int next(); void resize(int n);
  int rows_, n, m;
};
__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
struct Album { Image *first; };
int asked(const Image &image);
void sort(Album &album);
Image *make();
int length(const Album &album);
int total;
"""


def contracts(body: str, given: str = "Image &image") -> tuple[Contract, ...]:
    text = f"{HEAD}\nvoid run({given}) {{ float *x; {body} }}"
    (found,) = launch_contracts(translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit).values()
    return found


def extent_and_grid(contract: Contract) -> tuple[set[Term], set[Term]]:
    """What the size of `x` is made of, and the number of blocks."""
    sizes = [f.what.size for f in contract.facts if isinstance(f.what, Extent)]
    grids = [f.what.grid[0] for f in contract.facts if isinstance(f.what, Geometry)]
    assert sizes and grids and all(g is not None for g in grids)
    return set(free_symbols(*sizes)), set(free_symbols(*(g for g in grids if g is not None)))


@pytest.mark.parametrize("asked", ["image.cols()", "image.at(1)", "image.rows()"])
def test_an_object_that_is_asked_again_tells_the_same(asked: str) -> None:
    (contract,) = contracts(f"cudaMalloc(&x, 4 * {asked}); k<<<{asked}, 1>>>(x, {asked});")
    size, grid = extent_and_grid(contract)
    assert size == grid and not contract.missing


@pytest.mark.parametrize(
    ("first", "between", "then"),
    [
        ("image.cols()", "image.resize(7);", "image.cols()"),
        ("image.cols()", "", "image.rows()"),
        ("image.at(1)", "", "image.at(2)"),
        ("image.next()", "", "image.next()"),
        ("asked(image)", "", "asked(image)"),
    ],
)
def test_what_may_have_changed_is_another_number(first: str, between: str, then: str) -> None:
    (contract,) = contracts(f"cudaMalloc(&x, 4 * {first}); {between} k<<<{then}, 1>>>(x, 1);")
    size, grid = extent_and_grid(contract)
    assert size.isdisjoint(grid)


@pytest.mark.parametrize(("call", "same"), [("sort(album);", False), ("length(album);", True)])
def test_a_call_may_write_what_its_argument_points_to(call: str, same: bool) -> None:
    (contract,) = contracts(
        f"Image *image = album.first; cudaMalloc(&x, 4 * image->n); {call} k<<<image->n, 1>>>(x, 1);", "Album &album"
    )
    size, grid = extent_and_grid(contract)
    assert (size == grid) is same


def test_a_method_gives_the_member_of_its_name() -> None:
    (contract,) = contracts("cudaMalloc(&x, 4 * image.rows_); k<<<image.rows(), 1>>>(x, 1);")
    size, grid = extent_and_grid(contract)
    assert size == grid


@pytest.mark.parametrize(
    ("given", "number", "change"),
    [
        ("Image &image", "image.n", "image.n += 3;"),
        ("Image *image", "image->n", "image->n *= 2;"),
        ("Image image", "image.n", "image.n += 3;"),
        ("int m", "total", "total += m;"),
        ("Image &image", "image.n", "image.resize(7);"),
        ("Image &image", "image.cols()", "image.resize(7);"),
    ],
)
def test_what_a_loop_writes_is_not_what_it_was_before(given: str, number: str, change: str) -> None:
    later, first = contracts(
        f"cudaMalloc(&x, 4 * {number}); while ({number} < 100) {{ k<<<{number}, 1>>>(x, 1); {change} }}", given
    )
    size, grid = extent_and_grid(later)
    assert size.isdisjoint(grid)
    size, grid = extent_and_grid(first)
    assert size == grid


@pytest.mark.parametrize(
    "loop",
    [
        "while (image.m < 9) { k<<<image.n, 1>>>(x, 1); image.m++; }",
        "for (int i = 0; i < m; i++) make()->resize(i); k<<<image.n, 1>>>(x, 1);",
        "for (int i = 0; i < 99; i++) { Image own; own.resize(i); } k<<<image.n, 1>>>(x, 1);",
    ],
)
def test_what_a_loop_leaves_alone_is_what_it_was_before(loop: str) -> None:
    (contract,) = contracts(f"cudaMalloc(&x, 4 * image.n); {loop}", "Image image, int m")
    size, grid = extent_and_grid(contract)
    assert size == grid


VIEWS = """
template <class T> struct Data { T *data; };
template <class T> struct Step : Data<T> {
  size_t step;
  __host__ __device__ T &at(int y, int x) const { return ((T *)((char *)this->data + y * step))[x]; }
};
template <class T> struct Image : Step<T> { int cols, rows; };
__global__ void invert(Image<float> image, int border) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (GUARD) image.at(y, x) = 1;
}
void run(Image<float> image, int border) {
  dim3 block(32, 8), grid((image.cols + 31) / 32, (image.rows + 7) / 8);
  invert<<<grid, block>>>(image, border);
}
"""


@pytest.mark.parametrize(
    ("guard", "verdict"),
    [
        ("x < image.cols && y < image.rows", Verdict.SAFE),
        ("x < image.cols && y <= image.rows", Verdict.UNKNOWN),
        ("x < image.rows && y < image.cols", Verdict.UNKNOWN),
    ],
)
def test_rows_that_a_struct_describes_lie_a_step_apart(guard: str, verdict: Verdict) -> None:
    text = VIEWS.replace("GUARD", guard)
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    (((kernel, (contract,))),) = launch_contracts(unit).items()
    (extent,) = [f for f in contract.facts if isinstance(f.what, Extent)]
    assert extent.origin is Origin.INFERRED and extent.text == "image.data = image.rows rows of image.step bytes"
    obligations = analyse(unit, unit.functions[kernel], contract).obligations
    assert [o.verdict for o in obligations if o.kind == "bounds" and o.access == "write"] == [verdict]


BLOBS = """
template <class T> class Blob {
 public:
  int count() const { return count_; }
  const T *gpu_data() const; T *mutable_gpu_data(); const T *gpu_diff() const; void Reshape(int n);
 private:
  int count_;
};
__global__ void add(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += x[i];
}
void run(Blob<float> *in, Blob<float> *out) {
  const float *x = in->SOURCE();
  CHANGE
  add<<<(in->count() + 255) / 256, 256>>>(x, out->mutable_gpu_data(), in->count());
}
"""


@pytest.mark.parametrize(
    ("source", "change", "safe"),
    [("gpu_data", "", True), ("gpu_diff", "", True), ("gpu_data", "in->Reshape(3);", False)],
)
def test_a_blob_has_memory_for_the_elements_that_it_counts(source: str, change: str, safe: bool) -> None:
    text = BLOBS.replace("SOURCE", source).replace("CHANGE", change)
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    (((kernel, (contract,))),) = launch_contracts(unit).items()
    obligations = analyse(unit, unit.functions[kernel], contract).obligations
    verdicts = {o.verdict for o in obligations if o.kind == "bounds" and o.object is not None and o.object.name == "x"}
    assert (verdicts == {Verdict.SAFE}) is safe


@pytest.mark.parametrize("job", ["Job job; Job *at = &job;", "Job *at = given;"])
@pytest.mark.parametrize(
    ("call", "kept"),
    [
        ("create(&at->handle);", True),
        ("create((handle_t *)(void **)&at->handle);", True),
        ("clear(&at->handle, sizeof(Job));", False),
        ("clear((char *)&at->handle, sizeof(Job));", False),
        ("change(at);", False),
    ],
)
def test_a_call_that_gets_the_address_of_one_member_changes_no_other(job: str, call: str, kept: bool) -> None:
    text = f"""
    typedef struct handle_s *handle_t;
    struct Job {{ handle_t handle; float *x; int n; }};
    int create(handle_t *handle); void clear(void *from, unsigned long bytes); void change(Job *job);
    __global__ void k(float *x, int n) {{ if (threadIdx.x < n) x[threadIdx.x] = 0; }}
    void run(Job *given, int m) {{
        {job} at->n = m; cudaMalloc(&at->x, m * 4); {call} k<<<1, 256>>>(at->x, at->n);
    }}
    """
    unit = translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    assert ("x = cudaMalloc(4*m bytes)" in [fact.text for fact in contract.facts]) is kept
    assert ("n = m" in [fact.text for fact in contract.facts]) is kept


@pytest.mark.parametrize(
    ("member", "method", "kept"),
    [
        ("int count;", "void tell() const", True),
        ("const int count;", "void tell()", True),
        ("const int &count;", "void tell()", True),
        ("int count;", "void tell()", False),
        ("mutable int count;", "void tell() const", False),
    ],
)
def test_what_is_not_understood_in_a_method_leaves_its_constant_members(member: str, method: str, kept: bool) -> None:
    text = f"""
    struct Job {{
      {member}
      Job(const int &n) : count(n) {{}}
      {method} {{ unheard_of::look(count)->tell(); }}
    }};
    __global__ void k(float *x, int n) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }}
    void run(int n) {{
      float *x;
      Job job(n);
      cudaMalloc(&x, 4 * n);
      job.tell();
      k<<<(job.count + 127) / 128, 128>>>(x, n);
    }}
    """
    (found,) = launch_contracts(translate(SourceFile("k.cu", "/k.cu", text), ParseOptions(), "/").unit).values()
    size, grid = extent_and_grid(found[0])
    assert (size == grid) == kept
