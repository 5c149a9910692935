"""Accept wheels: checks, staged objects, READMEs. May import publishers, attestations and the
catalog."""
