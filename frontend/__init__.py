"""Server-rendered pages: templates, static files, views. No models."""
