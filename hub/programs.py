"""Commands and environments of the four programs of a hub on one machine."""

import os
import sys
from pathlib import Path

from django.conf import settings

from hub.supervisor import Child

PROGRAMS = Path(sys.executable).parent
WORKER = "hub.gunicorn_worker.Worker"
# Prefixes of variables that no runner gets: credentials of database and storage, signing key.
SECRETS = (
    "DATABASE_URL",
    "PG",
    "HUB_SECRET_KEY",
    "HUB_S3_",
    "HUB_EMAIL_URL",
    "HUB_CACHE_URL",
    "AWS_",
)


def local_url() -> str:
    """The URL of the hub for programs on this machine, independent of its public URL."""
    everywhere = ("0.0.0.0", "::")  # noqa: S104
    host = "127.0.0.1" if settings.HUB_BIND in everywhere else settings.HUB_BIND
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.HUB_PORT}"


def environment() -> dict[str, str]:
    """The environment of every child: the own variables, with defaults of settings filled in."""
    no_proxy = ",".join(filter(None, (os.environ.get("NO_PROXY", ""), "127.0.0.1", "localhost")))
    return {
        **os.environ,
        "PATH": f"{PROGRAMS}:{os.environ.get('PATH', os.defpath)}",
        "NO_PROXY": no_proxy,
        "no_proxy": no_proxy,
        "PYTHONUNBUFFERED": "1",
        "DJANGO_SETTINGS_MODULE": "hub.settings",
        "HUB_HOME": str(settings.HUB_HOME),
        "HUB_BROKER_URL": settings.CELERY_BROKER_URL,
    }


def environment_without_credentials() -> dict[str, str]:
    """The environment without the hub's credentials, for the runner and for `hub push`."""
    return {name: value for name, value in environment().items() if not name.startswith(SECRETS)}


def children(*, logs: Path, runner_token: str) -> list[Child]:
    """Web, hub worker, clock and, where there is a token for it, one runner."""
    variables = environment()
    runners = environment_without_credentials()
    runners |= {"HUB_URL": local_url(), "HUB_RUNNER_TOKEN": runner_token}
    runner = [str(PROGRAMS / "hub-runner"), "start"]
    programs = [
        # A stopping runner returns its run to the hub, so web has to outlive it.
        Child("web", _web(), variables, logs / "web.log", outlives="runner"),
        Child("worker", _worker(), variables, logs / "worker.log"),
        Child("clock", _clock(), variables, logs / "clock.log"),
    ]
    if runner_token:
        # Sandboxes have other users, which read files of the runner.
        programs.append(Child("runner", runner, runners, logs / "runner.log", umask=0o022))
    return programs


def _web() -> list[str]:
    return [
        *(sys.executable, "-m", "gunicorn", "hub.wsgi:application"),
        *("--bind", f"{settings.HUB_BIND}:{settings.HUB_PORT}"),
        *("--worker-class", WORKER, "--workers", "2", "--threads", "8"),
        *("--timeout", "120", "--graceful-timeout", "5", "--no-control-socket"),
        # Longer than clients keep idle connections: they must not send on a closed one.
        *("--keep-alive", "30"),
    ]


def _worker() -> list[str]:
    return [
        *(sys.executable, "-m", "celery", "--app", "hub.celery", "worker"),
        *("--queues", "hub", "--hostname", "hub@%h", "--concurrency", "2"),
        *("--without-gossip", "--without-mingle", "--without-heartbeat"),
        *("--loglevel", "INFO"),
    ]


def _clock() -> list[str]:
    return [
        *(sys.executable, "-m", "celery", "--app", "hub.celery", "beat"),
        *("--pidfile", "", "--loglevel", "INFO"),
    ]
