"""How a class is known by its answers: one idea a file."""
