"""The messages between the pages and the server, declared once.

The server validates and returns these models, OpenAPI describes them, and the types of the pages
(``web/src/api/schema.ts``) are generated from that description.
"""
