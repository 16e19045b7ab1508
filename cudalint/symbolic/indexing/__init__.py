"""What is asked of single accesses beside their bounds: overflow, alignment, rows, elements that nothing sets, lost work."""
