"""The Django project: settings, URLs, Celery app and system checks; may import everything."""
