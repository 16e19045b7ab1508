"""The text of inline assembly: its operands and instructions."""

from __future__ import annotations

import pytest

from cudalint.frontend.lowering.ptx import Does, Instruction, does, parse


@pytest.mark.parametrize(
    ("text", "outputs", "inputs", "instructions"),
    [
        ('asm("mov.u32 %0, %%laneid;" : "=r"(x));', 1, 0, [("mov.u32", ("%0", "%%laneid"))]),
        ('asm volatile("membar.gl;" ::: "memory")', 0, 0, [("membar.gl", ())]),
        (
            'asm("ld.global.v2.f32 {%0, %1}, [%2+8];" : "=f"(a), "=f"(b) : "l"(f(p, 1)))', 2, 1,
            [("ld.global.v2.f32", ("{%0, %1}", "[%2+8]"))],
        ),
        (
            'asm("{\\n\\t.reg .pred p;\\n\\t" "setp.ne.s32 p, %1, 0;\\n\\t" "@p mov.s32 %0, 1;\\n}" : "+r"(a) : "r"(b))', 1, 1,
            [(".reg", (".pred p",)), ("setp.ne.s32", ("p", "%1", "0")), ("mov.s32", ("%0", "1"))],
        ),
        ('asm("add.s32 %[d], %[a], 1;" : [d] "=r"(d) : [a] "r"(a))', 1, 1, [("add.s32", ("%0", "%1", "1"))]),
        ('asm("L1: bra.uni L1; // again\\n" "mov.b64 {%0, %1}, %2;" : "=r"(a), "=r"(b) : "l"(c))', 2, 1,
         [("bra.uni", ("L1",)), ("mov.b64", ("{%0, %1}", "%2"))]),
        ('asm("mov.b32 %0, %1; // not:\\n"  // here: this\n  : "=r"(a)  /* and (that) */ : "r"(b))', 1, 1,
         [("mov.b32", ("%0", "%1"))]),
    ],
)  # fmt: skip
def test_operands_and_instructions(
    text: str, outputs: int, inputs: int, instructions: list[tuple[str, tuple[str, ...]]]
) -> None:
    made = parse(text)
    assert made is not None
    assert (len(made.outputs), len(made.inputs)) == (outputs, inputs)
    assert [(i.opcode, i.operands) for i in made.instructions] == instructions


def test_a_template_that_is_no_literal_is_not_read() -> None:
    assert parse('asm("ld." TYPE " %0, [%1];" : "=r"(a) : "l"(p))') is None


@pytest.mark.parametrize(
    ("opcode", "kind"),
    [
        ("fma.rn.f32", Does.PURE), (".reg", Does.PURE), ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", Does.COLLECTIVE),
        ("ld.global.nc.u32", Does.MEMORY), ("mbarrier.try_wait.parity.b64", Does.ORDER), ("exit", Does.EXIT),
        ("setmaxnreg.inc.sync.aligned.u32", Does.NOTHING), ("call.uni", Does.UNKNOWN), ("frobnicate", Does.UNKNOWN),
    ],
)  # fmt: skip
def test_the_table(opcode: str, kind: Does) -> None:
    assert does(Instruction(opcode, ())) is kind


def test_the_predicate_of_an_instruction() -> None:
    made = parse('asm("setp.ne.s32 p, %0, 0; @!p bar.sync 0; @%p st.global.u32 [%1], %0;" :: "r"(a), "l"(b))')
    assert made is not None
    assert [(i.opcode, i.predicate) for i in made.instructions[1:]] == [("bar.sync", "@!p"), ("st.global.u32", "@%p")]
