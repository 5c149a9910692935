"""The simple index of owners, as stored pages and as answered by the app. May import the catalog,
attestations and storage."""
