"""Who may come in: passwords, cookies, codes, and what every answer of the server carries."""
