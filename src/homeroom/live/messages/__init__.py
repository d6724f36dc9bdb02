"""The shape of everything that is said between the pages and the server."""
