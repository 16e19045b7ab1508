"""Values, memory and outputs that nothing sets."""
