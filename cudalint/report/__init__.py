"""One module per format: data in, text out. Nothing here reads a file, a clock or the environment."""
