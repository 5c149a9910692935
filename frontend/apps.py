"""Django app configuration of the pages."""

from django.apps import AppConfig


class FrontendConfig(AppConfig):
    """Templates, static files and template tags."""

    name = "frontend"
