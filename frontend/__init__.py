"""Server-rendered pages, templates and static files; may import registry and envyard.contract."""
