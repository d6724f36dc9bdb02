"""``python -m homeroom``: the command, where it is not on the path."""

from homeroom.cli import main

if __name__ == "__main__":
    main()
