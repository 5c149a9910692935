"""The `hub` command and client library: publish, find, install and pin RL environments.

Imports no Django and no Celery; only `messaging`, for hub and runner, imports Celery.
"""

__version__ = "0.1.0"
