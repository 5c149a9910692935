"""Reports of users to staff, and the journal pages. May import the catalog."""
