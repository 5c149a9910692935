"""The `hub` command against a hub in this process: these tests need Django and a database."""
