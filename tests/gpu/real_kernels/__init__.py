"""Kernels of public repositories with hand-written hints: what the emulator leaves, the GPU has to leave."""
