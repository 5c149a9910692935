"""The runner's settings: one typed object read once from environment variables.

A bad value stops the runner at start: ConfigError names the variable, the value and the rule.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from envyard_runner.data.source import DataSource
from envyard_runner.index_settings import index_environment
from envyard_runner.limits import Limits
from envyard_runner.model.available import AvailableModels
from envyard_runner.model.endpoint import Endpoint

SYSTEM_HOME = Path("/var/lib/envyard-runner")
# The first is the usual one: the newest, but for those that many dependencies lack wheels for.
PYTHON_VERSIONS = ("3.13", "3.12", "3.11", "3.14", "3.15", "3.16")
MEBIBYTE = 1 << 20
REPOSITORIES = re.compile(r"[\w.*?!\[\]-]{1,96}(?:/[\w.*?!\[\]-]{1,96})?", re.ASCII)
DATA_HOSTS = "*.hf.co,*.huggingface.co"  # where the public hub stores large files


class ConfigError(ValueError):
    """A setting cannot be used; the message names it and what to write instead."""


@dataclass(frozen=True, slots=True)
class Config:
    """Where things are and how much a run may take; holds the only secrets a runner has.

    `python` is the base interpreter of a run, `pythons` all that runs may have (empty: `python`
    alone), `limits` the maximum that a hub may request,
    `concurrency` the most rollouts at once while the model's server has capacity, `free_bytes`
    what must be free below `home` before a run is taken, `data_source` the hub of data sets that
    runs may read, of which `data_bytes` are kept and a run reads `data_run_bytes`, `hosts_allowed`
    whether runs may reach hosts that their hub approved, with `hosts_bytes` both ways, `nltk_data`
    a folder for environments that depend on NLTK, `benchmarks` one of lists that tasks are
    compared with, `cgroup` a
    delegated cgroup v2 folder (None: look at the runner's own), `index_environment` the variables
    of uv for its package index and certificates.
    """

    hub_url: str
    home: Path
    python: Path
    bwrap: Path
    uv: Path
    token: str | None = field(default=None, repr=False)
    pythons: tuple[Path, ...] = ()
    broker_url: str | None = field(default=None, repr=False)
    model_url: str | None = None
    model: str | None = None
    model_key: str | None = field(default=None, repr=False)
    judge_url: str | None = None
    judge_model: str | None = None
    judge_key: str | None = field(default=None, repr=False)
    concurrency: int = 16
    limits: Limits = field(default_factory=Limits)
    venv_cache_bytes: int = 20 << 30
    data_source: DataSource | None = None
    data_bytes: int = 50 << 30
    data_run_bytes: int = 2 << 30
    nltk_data: Path | None = None
    benchmarks: Path | None = None
    hosts_allowed: bool = False
    hosts_bytes: int = 256 << 20
    build_bytes: int = 20 << 30  # that the disk may lose while one venv is built
    free_bytes: int = 1 << 30
    cgroup: Path | None = None
    index_environment: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Config:
        """Read every setting; raises ConfigError at the first bad one."""
        pythons = _pythons(environ)
        return cls(
            hub_url=_url(environ, "HUB_URL", "http://127.0.0.1:8000"),
            home=_home(environ),
            python=pythons[0],
            pythons=pythons,
            bwrap=_program(environ, "RUNNER_BWRAP", shutil.which("bwrap") or "/usr/bin/bwrap"),
            uv=_program(environ, "RUNNER_UV", _default_uv()),
            token=secret(environ, "HUB_RUNNER_TOKEN"),
            broker_url=secret(environ, "HUB_BROKER_URL"),
            model_url=_url(environ, "HUB_MODEL_URL", "") or None,
            model=environ.get("HUB_MODEL") or None,
            model_key=secret(environ, "HUB_MODEL_KEY"),
            judge_url=_url(environ, "RUNNER_JUDGE_URL", "") or None,
            judge_model=environ.get("HUB_JUDGE_MODEL") or None,
            judge_key=secret(environ, "RUNNER_JUDGE_KEY"),
            concurrency=_number(environ, "RUNNER_CONCURRENCY", 16),
            limits=_limits(environ),
            data_source=_data_source(environ),
            data_bytes=_number(environ, "RUNNER_DATA_MB", 50 << 10) * MEBIBYTE,
            data_run_bytes=_number(environ, "RUNNER_DATA_RUN_MB", 2 << 10) * MEBIBYTE,
            nltk_data=_folder(environ, "RUNNER_NLTK_DATA"),
            benchmarks=_folder(environ, "RUNNER_BENCHMARKS"),
            hosts_allowed=_flag(environ, "RUNNER_HOSTS", default=False),
            hosts_bytes=_number(environ, "RUNNER_HOSTS_MB", 256) * MEBIBYTE,
            venv_cache_bytes=_number(environ, "RUNNER_VENV_CACHE_MB", 20 << 10) * MEBIBYTE,
            free_bytes=_number(environ, "RUNNER_FREE_MB", 1 << 10) * MEBIBYTE,
            cgroup=Path(environ["RUNNER_CGROUP"]) if environ.get("RUNNER_CGROUP") else None,
            index_environment=index_environment(environ),
        )

    @property
    def runs(self) -> Path:
        """One folder per running sandbox."""
        return self.home / "runs"

    @property
    def builds(self) -> Path:
        """One folder per venv being built."""
        return self.home / "builds"

    @property
    def model_servers(self) -> Path:
        """One folder per model that `hub-runner model` serves on this machine."""
        return self.home / "models"

    def models(self) -> AvailableModels:
        """The models that runs of this machine may ask."""
        address = Endpoint(self.model_url, self.model_key) if self.model_url else None
        return AvailableModels(self.model_servers, address, self.model or "")

    @property
    def data(self) -> Path:
        """The files of data sets by sha256, shared by the runners of this machine."""
        return self.home / "data"

    @property
    def venvs(self) -> Path:
        """One folder per built venv, named by its key."""
        return self.home / "venvs"


def secret(environ: Mapping[str, str], name: str) -> str | None:
    """The value of NAME, or what the file named by NAME_FILE holds; both at once is an error."""
    value, file = environ.get(name), environ.get(f"{name}_FILE")
    if value and file:
        raise ConfigError(f"{name} and {name}_FILE are both set; keep one of them")
    if not file:
        return value or None
    try:
        return Path(file).read_text(encoding="utf-8").strip() or None
    except OSError as error:
        raise ConfigError(f"{name}_FILE={file} cannot be read: {error.strerror}") from error


def default_pythons() -> list[Path]:
    """The system interpreters, from Python 3.11 on, that every user of the machine may run."""
    pythons: dict[str, Path] = {}
    for folder in ("/usr/bin", "/usr/local/bin"):
        for version in PYTHON_VERSIONS:
            path = Path(folder) / f"python{version}"
            if path.exists() and unreadable(path.resolve()) is None:
                pythons.setdefault(version, path)
    return [pythons[version] for version in PYTHON_VERSIONS if version in pythons]


def _pythons(environ: Mapping[str, str]) -> tuple[Path, ...]:
    """RUNNER_PYTHONS or RUNNER_PYTHON, else what the system has; never empty."""
    listed, single = environ.get("RUNNER_PYTHONS"), environ.get("RUNNER_PYTHON")
    if listed and single:
        raise ConfigError("RUNNER_PYTHONS and RUNNER_PYTHON are both set; keep one of them")
    if not listed:
        usual = default_pythons() or [Path("/usr/bin/python3")]
        return (_program(environ, "RUNNER_PYTHON", str(usual[0])),) if single else tuple(usual)
    paths = [path.strip() for path in listed.split(",") if path.strip()]
    if not paths:
        raise ConfigError(f"RUNNER_PYTHONS={listed} names no interpreter; write paths, with commas")
    return tuple(_program({"RUNNER_PYTHONS": path}, "RUNNER_PYTHONS", path) for path in paths)


def unreadable(file: Path) -> Path | None:
    """None when every user can read `file`, else the folder or file in the way."""
    if blocked := blocked_folder(file.absolute().parent):
        return blocked
    return None if file.stat().st_mode & stat.S_IROTH else file


def blocked_folder(folder: Path) -> Path | None:
    """None when every user can walk to and into `folder`, else the first folder in the way."""
    folder = folder.absolute()
    for path in (*reversed(folder.parents), folder):
        if not path.stat().st_mode & stat.S_IXOTH:
            return path
    return None


def _home(environ: Mapping[str, str]) -> Path:
    if environ.get("RUNNER_HOME"):
        return Path(environ["RUNNER_HOME"]).absolute()
    home = (Path(environ.get("HUB_HOME") or ".hub") / "runner").absolute()
    if os.geteuid() != 0:
        return home
    existing = next(parent for parent in home.parents if parent.exists())
    return home if blocked_folder(existing) is None else SYSTEM_HOME


def _data_source(environ: Mapping[str, str]) -> DataSource | None:
    """The data set hub of RUNNER_DATA_URL; None where that is unset."""
    url = _url(environ, "RUNNER_DATA_URL", "")
    if not url:
        return None
    source = DataSource(
        url=url,
        token=secret(environ, "RUNNER_DATA_TOKEN"),
        allowed=_repositories(environ, "RUNNER_DATA_ALLOW"),
        hosts=_names(environ, "RUNNER_DATA_HOSTS", DATA_HOSTS),
    )
    if problem := source.insecure(plain_http=environ.get("RUNNER_DATA_PLAIN_HTTP") == "1"):
        raise ConfigError(problem)
    return source


def _folder(environ: Mapping[str, str], name: str) -> Path | None:
    """An existing folder by its absolute path; None where the setting is empty."""
    if not environ.get(name):
        return None
    folder = Path(environ[name])
    if not folder.is_absolute() or not folder.is_dir():
        raise ConfigError(f"{name}={folder} is no folder; write the absolute path of one")
    return folder


def _repositories(environ: Mapping[str, str], name: str) -> tuple[str, ...]:
    """A list of patterns of repositories with commas; all of them where the setting is empty."""
    patterns = _names(environ, name, "*")
    for pattern in patterns:
        if not REPOSITORIES.fullmatch(pattern):
            raise ConfigError(
                f"{name}: {pattern!r} is no pattern of repositories; write OWNER/NAME or OWNER/*, "
                "with commas between them"
            )
    return patterns


def _names(environ: Mapping[str, str], name: str, default: str) -> tuple[str, ...]:
    """A list of patterns with commas."""
    return tuple(part.strip() for part in (environ.get(name) or default).split(",") if part.strip())


def _default_uv() -> str:
    beside = Path(sys.executable).with_name("uv")
    return str(beside) if beside.exists() else shutil.which("uv") or str(beside)


def _program(environ: Mapping[str, str], name: str, default: str) -> Path:
    value = environ.get(name)
    if value and not os.access(value, os.X_OK):
        raise ConfigError(f"{name}={value} is not a program that can be started")
    return Path(value or default).absolute()


def _url(environ: Mapping[str, str], name: str, default: str) -> str:
    value = environ.get(name) or default
    if value and not value.startswith(("http://", "https://")):
        raise ConfigError(f"{name}={value} must start with http:// or https://")
    return value.rstrip("/")


def _flag(environ: Mapping[str, str], name: str, *, default: bool) -> bool:
    value = environ.get(name)
    if not value:
        return default
    if value not in ("yes", "no"):
        raise ConfigError(f"{name}={value} must be yes or no")
    return value == "yes"


def _number(environ: Mapping[str, str], name: str, default: int) -> int:
    value = environ.get(name)
    if not value:
        return default
    if not value.isascii() or not value.isdigit() or int(value) == 0:
        raise ConfigError(f"{name}={value} must be a whole number above 0")
    return int(value)


def _limits(environ: Mapping[str, str]) -> Limits:
    usual = Limits()
    return Limits(
        wall_seconds=_number(environ, "RUNNER_WALL_SECONDS", int(usual.wall_seconds)),
        cpu_seconds=_number(environ, "RUNNER_CPU_SECONDS", usual.cpu_seconds),
        memory_bytes=_number(environ, "RUNNER_MEMORY_MB", usual.memory_bytes // MEBIBYTE)
        * MEBIBYTE,
        pids=_number(environ, "RUNNER_PIDS", usual.pids),
        files=_number(environ, "RUNNER_FILES", usual.files),
        file_bytes=_number(environ, "RUNNER_FILE_MB", usual.file_bytes // MEBIBYTE) * MEBIBYTE,
        tmp_bytes=_number(environ, "RUNNER_TMP_MB", usual.tmp_bytes // MEBIBYTE) * MEBIBYTE,
        log_bytes=_number(environ, "RUNNER_LOG_MB", usual.log_bytes // MEBIBYTE) * MEBIBYTE,
        events_bytes=_number(environ, "RUNNER_EVENTS_MB", usual.events_bytes // MEBIBYTE)
        * MEBIBYTE,
        judge_calls=_number(environ, "RUNNER_JUDGE_CALLS", usual.judge_calls),
        judge_tokens=_number(environ, "RUNNER_JUDGE_TOKENS", usual.judge_tokens),
    )
