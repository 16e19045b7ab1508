"""`python -m cudalint` is the command."""

from cudalint.cli.main import main

if __name__ == "__main__":
    main()
