"""The Django project: settings, urls, the Celery app, system checks. Glue only."""
