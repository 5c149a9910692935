"""Users, organisations, tokens, runners and the registry of permissions. May import events,
errors and prepared."""
