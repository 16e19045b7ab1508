"""cudalint finds CUDA kernels that go wrong silently and proves the others where it can."""

__version__ = "0.1.0"
