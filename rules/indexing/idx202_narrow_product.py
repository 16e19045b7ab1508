"""A product of sizes is computed in 32 bits although in ordinary use it is larger, and then addresses or sizes memory.

Bad:
    int offset = token * hidden;   x[offset + i] = 0;             // 2^18 tokens of 2^14 values
    size_t bytes = rows * cols * sizeof(float);                   // rows * cols has wrapped before it is widened
    int64_t at = (image * C + channel) * N + i;                   // kept in 64 bits after it has wrapped
    int total = batch * tokens * hidden;   if (i < total) ...     // the guard compares with what has wrapped
Good:
    size_t offset = (size_t)token * hidden;
    size_t bytes = sizeof(float) * rows * cols;

Limits: a pattern in the text, so that it also speaks of templates without an instance and of host code. How large a size
gets is read from its name; sizes whose names say nothing, rows and columns of a tensor in a kernel that computes nothing
in 64 bits, arrays of more than 16 GiB (2^31 elements of 16 bytes), and values loaded from memory, are left to
`--profile audit`, unless the file computes the same product, or another one with that size, in 64 bits, or device code keeps
a product of several sizes, or a sum with one, there. Shared memory and indices of host arrays are left out, and so are
products by constants, which names such as `TILE_ROWS` and `kNumRows` say, and those of a factor that is cast to a type of
indices that is not there (`IdxT(row) * n`). A bound that is kept in a variable is told where one of its sizes counts rows,
tokens or samples, and where the function itself works out what is compared with it. A product that the host keeps in 64 bits is
told where its own checks let sizes pass for which it wraps.
"""

from collections.abc import Iterator
from itertools import groupby
from math import log2

from cudalint.analysis.overflow.narrow_products import LIMITS, NarrowProduct, narrow_products
from cudalint.analysis.text.magnitude import factor_of, magnitude, names_of, product_of
from cudalint.finding import LEADS_TO, SAME_PRODUCT, Confidence, Evidence, Finding, Fix, Level, Related
from cudalint.ir.syntax import Outline
from cudalint.rule import Context, Rule, Subject

RULE = Rule("IDX202", "narrow-product", Level.WARNING, Subject.TEXT, "a product of sizes overflows 32 bits")


def check(subject: Outline, context: Context) -> Iterator[Finding]:
    """One finding for each function and set of factors: the product that wraps first, the others related."""
    ordered = sorted(narrow_products(subject), key=_root)
    for _, same in groupby(ordered, key=_root):
        members = sorted(same, key=lambda p: (_RANK[_confidence(p)], -factor_of(p.bound), p.expression.start))
        yield _finding(members[0], members[1:])


def _root(product: NarrowProduct) -> tuple[int, tuple[str, ...]]:
    return product.function.body.start, names_of(product.bound)


def _finding(product: NarrowProduct, others: list[NarrowProduct]) -> Finding:
    text = " ".join(product.expression.text.split())
    sizes, limit = " * ".join(names_of(product.bound)), log2(LIMITS[product.kind])
    factor, large = factor_of(product.bound), product_of(product.bound)
    large = f"{factor:.0f} * {large}" if factor > 1 and factor.is_integer() else large
    related = [Related(span, f"the {product.sink} that it makes") for span in product.uses]
    related += [Related(span, LEADS_TO) for span in product.reached]
    related += [Related(other.expression.span, SAME_PRODUCT) for other in others]
    return Finding(
        code=RULE.code,
        name=RULE.name,
        level=RULE.level,
        message=f"`{text[:80]}` is computed in 32 bits",
        span=product.expression.span,
        root=f"product:{sizes}",
        confidence=_confidence(product),
        evidence=Evidence.PATTERN,
        kernel=product.function.name if product.function.role == "kernel" else None,
        function=product.function.name,
        condition=f"{large} exceeds 2^{limit:.0f} in ordinary use; it is used as {_USED[product.sink]}",
        related=tuple(related),
        fix=Fix("cast the first factor to size_t or int64_t"),
    )


def _confidence(product: NarrowProduct) -> Confidence:
    """High where the names of the sizes alone say that they are large, or the file takes care of what is alike.

    A share of the work is multiplied by the number of blocks before it is divided by it: three sizes suffice.
    """
    if product.home:
        return Confidence.HIGH
    if product.size.contents and product.sibling is None:
        return Confidence.LOW
    if (product.plain or product.beyond) and product.sibling is None:
        return Confidence.MEDIUM
    stated = magnitude(product.size, stated=True) > LIMITS[product.kind]
    whole = product.sink == "quotient" and sum("Idx" not in name for name in names_of(product.bound)) >= 3
    told = stated or whole or product.tokens or product.sibling is not None
    return Confidence.HIGH if told else Confidence.MEDIUM


_RANK = {Confidence.HIGH: 0, Confidence.MEDIUM: 1, Confidence.LOW: 2}
_USED = {
    "index": "an index",
    "offset": "a pointer offset",
    "size": "a size",
    "bound": "the bound of an index",
    "quotient": "a share of the work",
}
