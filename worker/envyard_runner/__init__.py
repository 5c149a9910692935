"""The runner: performs leased runs in a sandbox on a GPU machine. May import envyard."""
