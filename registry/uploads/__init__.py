"""Accept wheels: checks, staged objects, READMEs. May import publishers, attestations, the
catalog, quotas and storage."""
