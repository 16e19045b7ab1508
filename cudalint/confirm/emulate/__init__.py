"""The emulator: the IR run over all threads of a launch at once, on NumPy arrays, under shadow memory."""
