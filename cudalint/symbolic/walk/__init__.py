"""The symbolic thread: its state, values, memory, loops and what it leaves behind."""
