"""Source archives beside wheels, and wheels sent to signed addresses. May import uploads, quotas
and storage."""
