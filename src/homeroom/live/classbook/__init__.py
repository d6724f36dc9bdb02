"""The state of a class, computed from its events, and what the pages show of it."""
