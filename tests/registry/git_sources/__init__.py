"""Dependencies from git repositories, fetched from a git host on loopback."""
