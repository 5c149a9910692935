"""Dependencies from git repositories that the operator allows: each version's commits, and the
archives made of them. May import the catalog, quotas and storage."""
