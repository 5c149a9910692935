"""PEP 740 attestations of uploads, verified with sigstore. May import the catalog and
publishers."""
