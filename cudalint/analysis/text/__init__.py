"""What the text of a file says of its names, sizes, guards, threads and launches: what the text rules share."""
