"""Views and forms, one module per page; may import registry, envyard.contract and the modules of
frontend."""
