"""CUDA in the strings of Python files: what is found, what text the compiler would get, and where each part was written."""

from __future__ import annotations

import textwrap
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cudalint.frontend.python_strings import EmbeddedSource, embedded_sources
from cudalint.frontend.syntax import index
from cudalint.source import SourceFile, Span

KERNEL = "__global__ void k(float *x) { x[threadIdx.x] = 0; }"


def found(text: str) -> tuple[EmbeddedSource, ...]:
    return embedded_sources(SourceFile("a.py", "/a.py", textwrap.dedent(text)))


def code(text: str) -> str:
    """The text of the only unit, without the lines that move it down."""
    (unit,) = found(text)
    return unit.source.text.strip("\n")


def written_at(unit: EmbeddedSource, part: str) -> str:
    """What the Python file holds where the unit's text holds `part`."""
    text = unit.source.text
    start = text.index(part)
    line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
    span = unit.places().span(Span("a.py", line, column, line, column + len(part)))
    lines = unit.host.text.split("\n")
    assert span.line == span.end_line
    return lines[span.line - 1][span.column - 1 : span.end_column - 1]


@pytest.mark.parametrize(
    "call",
    [
        "cp.RawKernel(src, 'k')",
        "cp.RawKernel(code=src, name='k')",
        "RawModule(code=src)",
        "cupy.RawModule(code=src, options=('-std=c++17',))",
        "load_inline(name='e', cpp_sources='', cuda_sources=src, functions=['f'])",
        "torch.utils.cpp_extension.load_inline('e', '', [src])",
        "SourceModule(src)",
        "pycuda.compiler.SourceModule(src, no_extern_c=True)",
        "nvrtc.nvrtcCreateProgram(str.encode(src), b'a.cu', 0, [], [])",
        "open('a.cu', 'w').write(src)",
        "compile_somehow(src)",
        "print(1)",
    ],
)
def test_a_source_is_found_however_it_is_compiled(call: str) -> None:
    (unit,) = found(f"src = '''{KERNEL}'''\n{call}\n")
    assert [k.name for k in index(unit.source).kernels] == ["k"]


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("'#define N 4\\n' + BODY", f"#define N 4\n{KERNEL}"),
        ("f'#define N {4 * 2}\\n{BODY}'", f"#define N 8\n{KERNEL}"),
        ("f'#define N {n}\\n{BODY}'", f"#define N py_n\n{KERNEL}"),
        ("'#define N %d\\n%s' % (4, BODY)", f"#define N 4\n{KERNEL}"),
        ("'#define N {n}\\n{0}'.format(BODY, n=4)", f"#define N 4\n{KERNEL}"),
        ("BODY.replace('float', 'double')", KERNEL.replace("float", "double")),
        ("BODY.replace('float', dtype)", KERNEL.replace("float", "py_dtype")),
        ("string.Template('#define N $n\\n$body').substitute(n=4, body=BODY)", f"#define N 4\n{KERNEL}"),
        ("'\\n'.join(['#define N 4', BODY])", f"#define N 4\n{KERNEL}"),
        ("textwrap.dedent('    ' + BODY)", KERNEL),
        ("{'a': BODY}['a']", KERNEL),
        ("head('4') + BODY", f"#define N 4\n{KERNEL}"),
        ("Holder.text", KERNEL),
    ],
)
def test_constant_parts_are_put_together(expression: str, wanted: str) -> None:
    text = (
        f"BODY = '{KERNEL}'\ndef head(n):\n    return '#define N ' + n + '\\n'\n"
        f"class Holder:\n    text = BODY\ndef make(n, dtype):\n    return cp.RawKernel({expression}, 'k')\n"
    )
    assert code(text) == wanted


def test_a_source_that_reaches_the_compiler_through_a_function_is_settled_by_its_callers() -> None:
    text = f"""
        def build(source, n):
            return load_inline(name="e", cpp_sources="", cuda_sources="#define N " + str(n) + "\\n" + source)
        class Model:
            def __init__(self):
                self.source = '{KERNEL}'
            def load(self):
                return build(self.source, 3)
        """
    assert code(text).endswith(f"#define N 3\n{KERNEL}")


def test_the_sources_of_load_inline_are_one_unit_in_the_order_cuda_then_cpp() -> None:
    text = f"load_inline(name='e', cpp_sources='void g() {{ f(); }}', cuda_sources=['{KERNEL}', 'void f() {{}}'])"
    assert code(text).endswith(f"{KERNEL}\nvoid f() {{}}\nvoid g() {{ f(); }}")


@pytest.mark.parametrize(
    ("text", "part", "written"),
    [
        (f"s = '''\n{KERNEL}\n'''", "x[threadIdx.x]", "x[threadIdx.x]"),
        (f"s = '// a\\n\\t{KERNEL}'", "x[threadIdx.x]", "x[threadIdx.x]"),
        (f"s = ('// a\\n'\n     '{KERNEL}')", "x[threadIdx.x]", "x[threadIdx.x]"),
        (f"s = '// é\\u00e9\\n' '{KERNEL}'", "x[threadIdx.x]", "x[threadIdx.x]"),
        (f"ä = 1; s = '{KERNEL}'", "x[threadIdx.x]", "x[threadIdx.x]"),
        (f"n = 3\ns = f'#define N {{n}}\\n' + r'''{KERNEL}'''", "x[threadIdx.x]", "x[threadIdx.x]"),
        (f"s = '{KERNEL}'.replace('float', 'double')\ncp.RawKernel(s, 'k')", "double", "double"),
        (f"s = '''\\\n{KERNEL}\r\n'''", "x[threadIdx.x]", "x[threadIdx.x]"),
    ],
)
def test_every_character_keeps_its_place(text: str, part: str, written: str) -> None:
    (unit,) = found(text)
    assert written_at(unit, part) == written


def test_lines_of_a_plain_string_keep_their_numbers() -> None:
    (unit,) = found(f"import x\n\ns = '''\n{KERNEL}\n'''\n")
    assert unit.source.text.split("\n")[3] == KERNEL


def test_what_is_filled_in_at_run_time_is_named_after_its_expression() -> None:
    (unit,) = found(
        f"def f(self):\n    return f'#define N {{self.n + 1}}\\n{KERNEL.replace('{', '{{').replace('}', '}}')}'\n"
    )
    assert "#define N py_self_n_1" in unit.source.text


def test_options_of_the_call_count() -> None:
    (unit,) = found(f"load_inline('e', '', '{KERNEL}', extra_cuda_cflags=['-DN=4', '-O3', '-std=c++20', '-I', 'inc'])")
    assert (unit.defines, unit.includes, unit.std) == (("N=4",), ("inc",), "c++20")


def test_name_expressions_are_instances() -> None:
    (unit,) = found(
        "cp.RawModule(code='template <class T> __global__ void k(T *x) { x[0] = 0; }', "
        "name_expressions=[f'k<{t}>' for t in ('float', 'double')])"
    )
    assert "(void)&k<float>; (void)&k<double>;" in unit.source.text


def test_an_elementwise_kernel_has_its_loop_and_the_name_in_its_place() -> None:
    (unit,) = found("f = cp.ElementwiseKernel('T x, raw float32 t', 'T y', 'y = x + t[i % 4]', 'shifted')")
    (kernel,) = index(unit.source).kernels
    assert kernel.name == "shifted"
    assert written_at(unit, "t[i % 4]") == "t[i % 4]"
    assert "extent(_raw_x) = n" in unit.source.text
    assert "extent(_raw_t)" not in unit.source.text


def test_what_an_elementwise_kernel_states_beside_its_expression_is_in_its_place() -> None:
    (unit,) = found(
        "cp.ElementwiseKernel('raw I at, raw T t', 'T y', 'y = t[at[i % at.size()]] * k / _ind.size()', 'f', "
        "preamble='#define A 1', loop_prep='const T k = A', after_loop='int done = 1')"
    )
    text = unit.source.text
    order = ["typedef int I;", "typedef float T;", "#define A 1", "extern", "const T k = A", "for (", "int done = 1"]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert "t[at[i % _size_at]] * k / n" in text
    assert "extent(at) = _size_at" in text


def test_an_operation_has_an_n_of_its_own() -> None:
    (unit,) = found("cp.ElementwiseKernel('T x', 'T y', 'const T n { i - _ind.size() }; y = n * x', 'f')")
    assert "const T n { i - _n }; y = n * x" in unit.source.text


def test_a_reduction_kernel_has_its_three_steps() -> None:
    (unit,) = found("cp.ReductionKernel('T x', 'T y', 'x * x', 'a + b', 'y = sqrt(a)', '0', 'norm')")
    (kernel,) = index(unit.source).kernels
    assert kernel.name == "norm"
    places = [unit.source.text.index(part) for part in ("x * x", "a + b", "y = sqrt(a)")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    "text",
    [
        f"'''Explains how {KERNEL} works.'''",
        "s = 'the __global__ qualifier'",
        "s = '__global__ void k(float *x);'",
        "",
        "def f(:\n",
        "\0",
        "s = '''never closed",
        "f'{{{'",
        "(" * 3000,
    ],
)
def test_prose_declarations_and_broken_files_hold_no_source(text: str) -> None:
    assert found(text) == ()


def test_a_file_of_python_2_is_searched_for_strings() -> None:
    (unit,) = found(f"print 'a'\nsource = '''{KERNEL}'''\nmod = SourceModule(source)\n")
    assert written_at(unit, "x[threadIdx.x]") == "x[threadIdx.x]"


def test_a_file_of_data_is_searched_for_strings() -> None:
    table = "x = [" + "1234567, " * 300_000 + "]\n"
    (unit,) = found(f"{table}source = '{KERNEL}'\n")
    assert written_at(unit, "x[threadIdx.x]") == "x[threadIdx.x]"


@pytest.mark.parametrize(
    "text",
    [
        "s = '''" + "__global__ " * 50_000 + "'''",
        "s = '''__global__ void k() {" + "/* " * 100_000,
        "x = f'''" + "{" * 50_000 + "'''",
        "RawKernel(" * 3_000,
        "s = '''__global__ void k(int n) " + "( " * 50_000 + "{ }'''",
    ],
)
def test_a_file_is_read_in_linear_time(text: str) -> None:
    start = time.process_time()
    found(text)
    assert time.process_time() - start < 5


def test_a_source_that_an_unknown_function_changes_says_so() -> None:
    (unit,) = found(f"cp.RawKernel(rewritten('{KERNEL}'), 'k')")
    assert unit.through == ("rewritten()",)


def test_nothing_of_the_file_runs() -> None:
    assert code(f"open('/nonexistent/x').read()\nraise SystemExit\ns = '{KERNEL}'") == KERNEL


PIECES = [
    "\n", " ", "s", "=", "+", "%", "(", ")", "[", "]", "{", "}", ",", ":", "f'", "'", '"', "\'\'\'", "r\'\'\'", "\\\\",
    "\\n", "{n}", "{{",
    "def f(s):", "    ", "return s", "class A:", "for s in x:", "if s:", "import cupy", "f(s)", ".format(", ".replace(",
    "cupy.RawKernel(s, 'k')", "load_inline(cuda_sources=[s])", "ElementwiseKernel('T x', 'T y', s)", KERNEL, "é", "\r\n", "\t", "#",
    "lambda s: s", "[s for s in s]", "**s", "*s", "s.get_function('k')(s, s, s)", "A.s", "self.s = s", "__global__", "print s",
]  # fmt: skip


def test_a_long_sum_of_strings_is_read() -> None:
    lines = " + ".join(["'// a\\n'"] * 700)
    assert code(f"cp.RawKernel({lines} + '{KERNEL}', 'k')").endswith(KERNEL)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_no_text_crashes_and_every_place_lies_in_the_file(text: str) -> None:
    for unit in found(text):
        assert len(unit.at) == len(unit.source.text)
        assert all(-1 <= at < len(unit.host.text) for at in unit.at)
        for kernel in index(unit.source).kernels:
            span = unit.places().span(kernel.span)
            assert 1 <= span.line <= span.end_line <= unit.host.text.count("\n") + 1
