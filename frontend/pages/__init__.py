"""Views and forms, one module per page; may import registry and the modules of frontend."""
