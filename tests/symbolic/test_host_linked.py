"""Launches and callers in another file of the project than the kernel."""

from __future__ import annotations

from cudalint.contract import Binding, Geometry
from cudalint.frontend.translate import ParseOptions, Surroundings, translate
from cudalint.source import SourceFile
from cudalint.symbolic.host import launch_contracts
from cudalint.symbolic.host.linked import Linked, declared_instances, undefined_calls
from cudalint.term import symbol

DECLARED = "__global__ void scale(float *x, int n);\n"
DEFINED = "__global__ void scale(float *y, const int count) { if (threadIdx.x < count) y[threadIdx.x] = 0; }\n"
CALLER = """
void run_scale(float *x, int n);
int main() { float *d; cudaMalloc(&d, 4096 * sizeof(float)); run_scale(d, 4096); }
"""


def texts(own: str, *others: str, asked: tuple[str, ...] = ("run_scale",)) -> list[list[str]]:
    """The facts of each contract of the only kernel of the first file."""
    around = Surroundings(asked=frozenset(asked))
    parsed = [
        translate(SourceFile(f"{i}.cu", f"/{i}.cu", text), ParseOptions(), "/", around if i else Surroundings()).unit
        for i, text in enumerate((own, *others))
    ]
    contracts = launch_contracts(parsed[0], tuple(parsed[1:]))
    assert len(contracts) <= 1
    return [[fact.text for fact in contract.facts] for each in contracts.values() for contract in each]


def test_a_declared_kernel_launched_elsewhere_gets_its_own_parameter_names() -> None:
    launch = DECLARED + "void run(int n) { float *d; cudaMalloc(&d, n * 4); scale<<<1, 64>>>(d, n); }\n"
    (facts,) = texts(DEFINED, launch)
    assert facts[:3] == ["grid = 1, block = 64", "y = cudaMalloc(4*n bytes)", "count = n"]


def test_a_declared_template_links_by_its_arguments() -> None:
    kernel = "template <int B> __global__ void scale(float *x) { x[B] = 0; }\n"
    own = (
        kernel
        + "template __global__ void scale<32>(float *);\nvoid keep() { (void)&scale<32>; scale<32><<<1, 1>>>(0); }\n"
    )
    other = "template <int B> __global__ void scale(float *x);\n"
    other += "void run(float *d) { scale<32><<<2, 32>>>(d); scale<64><<<4, 64>>>(d); }\n"
    geometries = sorted(facts[0] for facts in texts(own, other))
    assert geometries == ["grid = 1, block = 1", "grid = 2, block = 32"]


def test_a_caller_elsewhere_fixes_the_parameters() -> None:
    own = DEFINED + "void run_scale(float *x, int n) { scale<<<n / 64, 64>>>(x, n); }\n"
    (facts,) = texts(own, CALLER)
    assert facts[:3] == ["grid = 64, block = 64", "y = cudaMalloc(16384 bytes)", "count = 4096"]


def test_a_call_that_nothing_declares_links_by_its_name() -> None:
    own = DEFINED + 'extern "C" void run_scale(float *x, int n) { scale<<<n / 64, 64>>>(x, n); }\n'
    undeclared = "int main() { float *d; cudaMalloc(&d, 4096 * sizeof(float)); run_scale(d, 4096); }\n"
    (facts,) = texts(own, undeclared)
    assert facts[:3] == ["grid = 64, block = 64", "y = cudaMalloc(16384 bytes)", "count = 4096"]


def test_a_function_that_a_module_registers_is_an_entry_point_of_its_own() -> None:
    own = "#include <torch/extension.h>\n" + DEFINED
    own += "void run_scale(float *x, int n) { scale<<<n / 64, 64>>>(x, n); }\n"
    binding = """
    #include <torch/extension.h>
    void run_scale(float *x, int n);
    void fixed(at::Tensor x) { run_scale(x.data_ptr<float>(), 4096); }
    PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("fixed", &fixed, "scales"); }
    """
    (facts,) = texts(own, binding)
    assert facts[0] == "grid = 64, block = 64"
    assert not any("taken alone" in fact for fact in facts)


def test_without_a_caller_the_parameters_are_free() -> None:
    (facts,) = texts(DEFINED + "void run_scale(float *x, int n) { scale<<<n / 64, 64>>>(x, n); }\n")
    assert facts[0] == "grid = n / 64, block = 64"


def test_a_helper_elsewhere_is_walked() -> None:
    own = "int blocks_for(int);\n" + DEFINED + "void run(float *x, int n) { scale<<<blocks_for(n), 256>>>(x, n); }\n"
    helper = "int blocks_for(int n) { return (n + 255) / 256; }\n"
    (facts,) = texts(own, helper, asked=("blocks_for",))
    assert facts[0] == "grid = (n + 255) / 256, block = 256"


def test_a_kernel_of_the_same_name_in_another_file_is_another_kernel() -> None:
    other = DEFINED + "void mine(float *x) { scale<<<1, 1024>>>(x, 1); }\n"
    assert texts(DEFINED, other) == []


def test_two_functions_of_that_name_link_to_none() -> None:
    own = "int blocks_for(int);\n" + DEFINED + "void run(float *x, int n) { scale<<<blocks_for(n), 256>>>(x, n); }\n"
    one, two = "int blocks_for(int n) { return n; }\n", "\nint blocks_for(int n) { return n / 2; }\n"
    (facts,) = texts(own, one, two, asked=("blocks_for",))
    assert facts[0] == "grid = t.1, block = 256"


def test_templates_launched_elsewhere_say_which_instances_to_read() -> None:
    other = "template <class T, int B> __global__ void scale(T *x);\nvoid run(float *d) { scale<float, 64><<<2, 64>>>(d); }\n"
    launching = translate(SourceFile("1.cu", "/1.cu", other), ParseOptions(), "/").unit
    own = "template <class T, int B> __global__ void scale(T *x) { if (threadIdx.x < B) x[threadIdx.x] = 0; }\n"
    options = ParseOptions(instances=declared_instances((launching,)))
    unit = translate(SourceFile("0.cu", "/0.cu", own), options, "/").unit
    ((kernel, (contract,)),) = launch_contracts(unit, (launching,)).items()
    assert kernel == "scale<float, 64>(float *)"
    assert contract.facts[0].text == "grid = 2, block = 64"


def test_truth_values_and_enumerators_of_launches_elsewhere_are_read_as_such() -> None:
    head = "enum Mode { FULL, HALF };\ntemplate <bool Clear, Mode M, int B> __global__ void scale(float *x)"
    other = head + ";\nvoid run(float *d) { scale<true, HALF, -1><<<2, 64>>>(d); }\n"
    launching = translate(SourceFile("1.cu", "/1.cu", other), ParseOptions(), "/").unit
    own = head + " { if (Clear && M == HALF) x[threadIdx.x] = B; }\n"
    unit = translate(
        SourceFile("0.cu", "/0.cu", own), ParseOptions(instances=declared_instances((launching,))), "/"
    ).unit
    ((kernel, (contract,)),) = launch_contracts(unit, (launching,)).items()
    assert kernel.startswith("scale<") and contract.facts[0].text == "grid = 2, block = 64"


def test_a_function_of_other_parameter_types_is_another_one() -> None:
    own = DEFINED + "void run_scale(float *x, int n) { scale<<<n / 64, 64>>>(x, n); }\n"
    other = (
        "struct Buffer { int id; };\nvoid run_scale(Buffer *x, int n);\nint main() { Buffer b; run_scale(&b, 4096); }\n"
    )
    (facts,) = texts(own, other)
    assert facts[0] == "grid = n / 64, block = 64"


OVERLOADS = """
template <class T> struct Params { T *out; const T *bias; int n; };
void run_scale(const Params<float> &params);
void run_scale(const Params<double> &params);
"""


def test_of_overloads_elsewhere_the_one_that_takes_the_arguments_class_is_meant() -> None:
    own = OVERLOADS + DEFINED
    own += "void run_scale(const Params<float> &params) { scale<<<params.n / 64, 64>>>(params.out, params.n); }\n"
    own += "void run_scale(const Params<double> &params) { cudaMemset(params.out, 0, params.n); }\n"
    caller = "void run() {{ Params<{}> p; p.out = 0; p.bias = 0; p.n = 4096; run_scale(p); }}\n"
    (facts,) = texts(own, OVERLOADS + caller.format("float"))
    assert facts[0] == "grid = 64, block = 64"
    (facts,) = texts(own, OVERLOADS + caller.format("double"))
    assert facts[0] == "grid = params.n / 64, block = 64"


def test_overloads_that_both_have_to_convert_link_to_none() -> None:
    own = DEFINED + "void run_scale(float *x, long n) { scale<<<n / 64, 64>>>(x, n); }\n"
    own += "void run_scale(float *x, short n) { scale<<<n / 64, 64>>>(x, n); }\n"
    assert {facts[0] for facts in texts(own, CALLER)} == {"grid = n / 64, block = 64"}


def test_a_caller_of_a_declared_template_means_that_instance() -> None:
    own = DEFINED + "template <int B> void run_scale(float *x, int n) { scale<<<n / B, B>>>(x, n); }\n"
    own += "template void run_scale<32>(float *, int);\ntemplate void run_scale<64>(float *, int);\n"
    other = "template <int B> void run_scale(float *x, int n);\nvoid main2(float *x) { run_scale<64>(x, 4096); }\n"
    assert sorted(facts[0] for facts in texts(own, other)) == ["grid = 64, block = 64", "grid = n / 32, block = 32"]


def test_a_product_of_sizes_is_followed_through_a_short_loop() -> None:
    own = (
        "#include <torch/extension.h>\n"
        + DEFINED
        + """
    void run_scale(at::Tensor x) {
      TORCH_CHECK(x.dim() == 3);
      int64_t outer = 1, inner = 1;
      for (int64_t i = 0; i < 2; ++i) outer *= x.size(i);
      for (int64_t i = 2; i < x.dim(); ++i) inner *= x.size(i);
      scale<<<outer, 64>>>(x.data_ptr<float>(), inner);
    }
    """
    )
    (facts,) = texts(own)
    assert facts[0] == "grid = x.size(0)*x.size(1), block = 64"
    assert "count = x.size(2)" in facts


def test_a_count_that_a_loop_makes_is_an_input_of_the_function_that_gets_it() -> None:
    own = (
        "#include <torch/extension.h>\n"
        + DEFINED
        + """
    void run_scale(at::Tensor x, int n) { scale<<<(n + 63) / 64, 64>>>(x.data_ptr<float>(), n); }
    void count(at::Tensor x, int &n) { n = 1; for (int i = 0; i < x.dim(); ++i) n *= x.size(i); }
    void entry(at::Tensor x) { int n; count(x, n); run_scale(x, n); }
    """
    )
    unit = translate(SourceFile("0.cu", "/0.cu", own), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    (bound,) = [f.what.value for f in contract.facts if isinstance(f.what, Binding) and f.what.parameter == "count"]
    assert bound == symbol("entry:n@0", -(1 << 31), (1 << 31) - 1)


def test_what_was_read_through_is_not_null() -> None:
    own = (
        DEFINED
        + """
    struct tensor { int type; int count; float *data; };
    void run_scale(tensor *x) {
      int n = x ? x->count : 0;
      if (x->type != 1) return;
      int m = x ? x->count : 0;
      scale<<<n, 64>>>(x->data, m);
    }
    """
    )
    unit = translate(SourceFile("0.cu", "/0.cu", own), ParseOptions(), "/").unit
    ((contract,),) = launch_contracts(unit).values()
    count = symbol("run_scale:x.count", -(1 << 31), (1 << 31) - 1)
    bound = [f.what.value for f in contract.facts if isinstance(f.what, Binding) and f.what.parameter == "count"]
    assert bound == [count]
    (geometry,) = [f.what for f in contract.facts if isinstance(f.what, Geometry)]
    assert geometry.grid[0] == count


BESIDE = """
__global__ void fill(int *x) { x[threadIdx.x] = 1; }
int total;
void prepare(int *sizes, int n) {
    int kept = 0;
    for (int i = 0; i < 4; ++i) { %s }
    sizes[0] = 256 + kept - kept;
    total = 4096;
}
void fill_first(int *sizes, int *x) { prepare(sizes, 4); fill<<<1, sizes[0]>>>(x); }
void run_scale(float *x, int n);
void both(int *flags) {
    int sizes[1] = {128};
    total = 64;
    float *d;
    cudaMalloc(&d, 4096);
    prepare(sizes, 3);
    run_scale(d, sizes[0]);
    if (total == 64) run_scale(d, 5);
}
"""


def around_a_helper(statements: int) -> list[list[str]]:
    own = DEFINED + "void run_scale(float *x, int n) { scale<<<1, 64>>>(x, n); }\n"
    return texts(own, BESIDE % ("if (n > i) kept += i * n; " * statements), asked=("run_scale", "both", "prepare"))


def test_a_call_that_leads_to_no_launch_is_followed_for_what_it_writes() -> None:
    (facts,) = around_a_helper(statements=2)
    assert "count = 256" in facts


def test_a_long_call_that_leads_to_no_launch_may_write_all_that_it_reaches() -> None:
    """What it got the address of, and every global variable."""
    contracts = around_a_helper(statements=1200)
    assert len(contracts) == 2  # the second launch is not excluded by what `total` was before the call
    assert not any("count = 256" in facts or "count = 128" in facts for facts in contracts)


def test_a_long_call_that_only_reads_what_it_gets_leaves_it_as_it_is() -> None:
    """Behind pointers to const, and where no function on the way stores to what is not its own."""
    reading = (
        "int prepare(const int *sizes, int n) { int kept = 0; %s return kept; }\n"
        "void both() { int sizes[1] = {128}; prepare(sizes, 3); float *d; cudaMalloc(&d, 4096); scale<<<1, 64>>>(d, sizes[0]); }"
    )
    long = "if (n > kept) kept += sizes[0] * n; " * 600
    (facts,) = texts(DEFINED + reading % long)
    assert "count = 128" in facts
    (facts,) = texts(DEFINED + reading % (long + "((int *)sizes)[0] = 5;"))
    assert "count = 128" not in facts
    (facts,) = texts(DEFINED + reading % (long + "memset((int *)sizes, 0, 4);"))
    assert "count = 128" not in facts


def test_launches_of_other_files_kernels_are_nobodys_sites() -> None:
    own = DEFINED + "void run_scale(float *x, int n) { scale<<<1, 64>>>(x, n); }\n"
    parsed = [
        translate(SourceFile(f"{i}.cu", f"/{i}.cu", text), ParseOptions(), "/").unit
        for i, text in enumerate((own, BESIDE % ""))
    ]
    linked = Linked(tuple(parsed))
    assert [linked.function(node).name for node in linked.hosts() if linked.sites(node)] == ["run_scale"]


def test_what_a_loop_over_objects_loses_comes_from_the_function_behind_it() -> None:
    """The geometry is lost on the way from the public function, not in `forward`."""
    own = """
struct node { int sizes[4]; float *data; node *source; };
__global__ void scale(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
void forward(node *dst) { scale<<<(dst->sizes[0] + 63) / 64, 64>>>(dst->data, dst->sizes[0]); }
"""
    graph = """
struct node { int sizes[4]; float *data; node *source; };
void forward(node *dst);
node *next_of(node *);
void compute(node *graph, int n) {
    node *at = graph;
    for (int i = 0; i < n; ++i) { at = next_of(at); forward(at); }
}
"""
    (facts,) = texts(own, graph, asked=("forward",))
    assert facts[0] == "grid = (dst.sizes + 63) / 64, block = 64"
    assert any("forward is taken alone" in fact for fact in facts)


def test_what_a_caller_elsewhere_has_prepared_is_known_at_the_launch() -> None:
    main = "void prepare(int); void run_scale();\nint main() { prepare(4096); run_scale(); }\n"
    around = Surroundings(asked=frozenset(("run_scale",)))
    other = translate(SourceFile("1.cpp", "/1.cpp", main), ParseOptions(), "/", around).unit
    own = (
        DEFINED
        + "static float *d; static int total;\n"
        + "void prepare(int n) { total = n; cudaMalloc(&d, n * sizeof(float)); }\n"
        + "void run_scale() { scale<<<total / 64, 64>>>(d, total); }\n"
    )
    options = ParseOptions(called=undefined_calls((other,)))
    unit = translate(SourceFile("0.cu", "/0.cu", own), options, "/").unit
    (contracts,) = launch_contracts(unit, (other,), program=True).values()
    assert [fact.text for fact in contracts[0].facts][:3] == [
        "grid = 64, block = 64",
        "y = cudaMalloc(16384 bytes)",
        "count = 4096",
    ]


def test_a_grid_and_an_argument_from_one_lost_value_stay_tied() -> None:
    text = DEFINED + "void start(dim3 grid, float *x, int n) { scale<<<grid, 128>>>(x, n); }\n"
    text += "void run(float area, float *x) { int n = (int)sqrtf(area); start(dim3(n / 128), x, n); }\n"
    (facts,) = texts(text)
    assert facts[:2] == ["grid = value / 128, block = 128", "count = value"]
    assert not any("taken alone" in fact for fact in facts)
