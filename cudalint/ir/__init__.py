"""The intermediate language: `nodes` is the grammar, `types` the types."""

from cudalint.ir.nodes import *  # noqa: F403
from cudalint.ir.types import *  # noqa: F403
