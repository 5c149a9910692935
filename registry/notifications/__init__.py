"""What happened to environments, for feeds, notifications and webhooks; reads the journal."""
