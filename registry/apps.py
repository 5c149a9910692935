"""Django app configuration of the domain."""

from django.apps import AppConfig


class RegistryConfig(AppConfig):
    """One app, one line of migrations, for all slices."""

    name = "registry"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the permission rules and the usage of every slice."""
        import registry.accounts.permissions
        import registry.catalog.permissions
        import registry.catalog.usage
        import registry.git_sources.usage
        import registry.publishers.permissions
        import registry.runs.permissions
        import registry.self_reported.permissions
        import registry.self_reported.usage
        import registry.sources.usage
        import registry.webhooks.permissions  # noqa: F401 - importing a module registers its entries
