"""The REST API: views, authentication, permissions and pagination. May import every slice."""
