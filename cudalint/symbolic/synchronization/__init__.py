"""Two threads: races, the order of accesses, barriers that not all reach, warps and locks."""
