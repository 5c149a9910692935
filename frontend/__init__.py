"""Server-rendered pages over the registry: no models, no rules of its own."""
