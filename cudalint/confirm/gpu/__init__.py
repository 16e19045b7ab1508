"""Plans on a GPU: read, run in a process of its own between guard bands, judged. Needs NumPy and CuPy only."""
