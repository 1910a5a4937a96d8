"""Lets `python -m feedback.cli` be the command, which is how `serve` starts its worker."""

from feedback.cli import main

if __name__ == "__main__":
    main()
