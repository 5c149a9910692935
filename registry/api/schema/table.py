"""Every operation of the REST API, under its method and path."""

from __future__ import annotations

from registry.api.schema import (
    about_environments,
    about_locks,
    about_moderation,
    about_runners,
    about_runs,
    about_trials,
)

OPERATIONS = (
    about_environments.OPERATIONS
    | about_locks.OPERATIONS
    | about_runs.OPERATIONS
    | about_runners.OPERATIONS
    | about_moderation.OPERATIONS
    | about_trials.OPERATIONS
)
