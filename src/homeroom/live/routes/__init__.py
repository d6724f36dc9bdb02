"""What can be asked of the server, by whom, and what it answers."""
