"""Django app configuration of the domain."""

from django.apps import AppConfig


class RegistryConfig(AppConfig):
    """One app, one line of migrations, for all slices."""

    name = "registry"
    default_auto_field = "django.db.models.BigAutoField"
