"""A kernel takes a stride and never uses it, while all its arrays are addressed by one other stride.

Bad:
    copy(y, const x, y_stride, x_stride):   y[r * y_stride + c] = x[r * y_stride + c];
    add<<<...>>>(x, bias, x.numel(), x.size(1), hw):   if (i < total) x[i] += bias[i / hw];        // with no `% channels`
    struct View { float *data; int pitch, rows, cols;  float *row(int y) { return data + y * cols; } };  // nothing reads pitch
    fill: e.val[k * e.pitch + r] = v;      spmv: sum += e.val[k * e.rows + r];           // and nothing there reads e.pitch
Good:
    y[r * y_stride + c] = x[r * x_stride + c];
    if (i < total) x[i] += bias[i / hw % channels];

Limits: a pattern of names. The pitch of a view is told where its file allocates memory with a pitch, or rounds one up, and no
function of the device in that file reads it; views in headers are left out, as whoever includes them may read it, and so are
those whose pitch the host hands to copies or to BLAS, unless an allocation fills it in. Memory that is read by its rows is told
where the pitch is rounded up or allocated, and the reader does not know it: a member of the same struct, or what the next
launch of the function is given; not where the file compares the pitch with the length, or asks for lengths that are a multiple,
where the length is made of the pitch, or where a function of the file makes the objects of that launch without one.
"""

from collections.abc import Iterator
from dataclasses import replace

from cudalint.analysis.coordinates.launched_pitches import launched_pitches
from cudalint.analysis.coordinates.other_pitches import other_pitches
from cudalint.analysis.coordinates.running_digits import running_digits
from cudalint.analysis.coordinates.slips import unused_strides
from cudalint.analysis.coordinates.unread_pitches import unread_pitches
from cudalint.analysis.guards.guard_findings import guard_finding
from cudalint.finding import Finding, Level
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX109", "unused-stride", Level.WARNING, Subject.TEXT, "a stride that the kernel takes and never uses")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    for issue in unused_strides(subject):
        yield guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "address each array by its own stride")
    for issue in unread_pitches(subject):
        finding = guard_finding(issue, RULE.code, RULE.name, RULE.level, "", "multiply the row with the pitch")
        yield replace(finding, root=f"unread-pitch:{issue.function.name}:{issue.place.text[:80]}")
    for issue in (*other_pitches(subject), *launched_pitches(subject)):
        finding = guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "by the pitch", "multiply the row with the pitch"
        )
        yield replace(finding, root=f"unread-pitch:{issue.function.name}:{issue.place.text[:80]}")
    for issue in running_digits(subject):
        yield guard_finding(
            issue, RULE.code, RULE.name, RULE.level, "", "take the remainder by the size that is not read"
        )
