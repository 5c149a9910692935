"""Cannot be imported."""

raise SystemExit("no such library")
