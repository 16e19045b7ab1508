"""Arrays, allocations and vectors that are shorter than what is taken of them."""
