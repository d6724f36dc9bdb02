"""Access control: credentials, passwords, limits on attempts and connections, middleware."""
