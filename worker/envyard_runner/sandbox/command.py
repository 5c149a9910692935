"""The bubblewrap command of one run: all that the sandbox can see.

Inside: the host's /usr read-only, a venv at /venv with the wheel's own files beside it, a program's
package below /app, sized tmpfs at /tmp and /dev/shm, and a made-up /etc.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from envyard_runner.sandbox.endpoints import PORTS

VENV = "/venv"
ENVIRONMENT = f"{VENV}/environment"  # under sys.prefix, where pickling by reference looks
APP = "/app"  # a folder that a trainer may well have; it holds one package, named by two of these
PACKAGE_NAMES = (
    ("rollout", "train", "env", "task", "agent", "episode", "policy", "sample"),
    ("host", "node", "loop", "actor", "pool", "engine", "server", "process"),
)
FIRST_FD = 256
USER_ID = 1000  # inside; the host's uid is another one for every run
USER, HOME = "sandbox", "/tmp"  # of user and machine inside, and the user's home  # noqa: S108
HOSTS = "127.0.0.1 localhost\n::1 localhost\n"
NSSWITCH = "passwd: files\ngroup: files\nhosts: files\n"
# Clients of a judge: no key, and whatever model they name.
GATEWAY = f"http://127.0.0.1:{PORTS['gateway']}"
JUDGE_VARIABLES = {
    "OPENAI_BASE_URL": f"{GATEWAY}/v1",
    "OPENAI_API_BASE": f"{GATEWAY}/v1",  # litellm, and older clients
    "ANTHROPIC_BASE_URL": GATEWAY,
    "PRIME_INFERENCE_URL": f"{GATEWAY}/v1",
    "OPENROUTER_API_BASE": f"{GATEWAY}/v1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
}
# Clients of a data set hub: no request but those of the mirror, which waits for whole files.
DATA_VARIABLES = {
    "HF_ENDPOINT": f"http://127.0.0.1:{PORTS['data']}",
    "HF_HOME": "/tmp/hf",  # noqa: S108 - inside the sandbox
    "HF_HUB_DISABLE_XET": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_UPDATE_CHECK": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_DISABLE_SYMLINKS_WARNING": "1",
    "HF_HUB_DOWNLOAD_TIMEOUT": "300",
    "HF_HUB_ETAG_TIMEOUT": "300",
    "HF_UPDATE_DOWNLOAD_COUNTS": "0",
    "DO_NOT_TRACK": "1",
}
# Clients of other hosts: by CONNECT at the proxy, which alone looks names up.
PROXY_VARIABLES = {
    **dict.fromkeys(("HTTPS_PROXY", "https_proxy"), f"http://127.0.0.1:{PORTS['proxy']}"),
    **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost"),
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
}
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
CERTIFICATE_VARIABLES = dict.fromkeys(
    ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"), CERTIFICATES
)
# What a version's variables do not replace in its own process.
OWN_VARIABLES = frozenset(
    {"PATH", "HOME", "PYTHONPATH", "PYTHONUNBUFFERED"}.union(
        JUDGE_VARIABLES, DATA_VARIABLES, PROXY_VARIABLES, CERTIFICATE_VARIABLES
    )
)
# What the kernel shows of the machine and no program of a run needs: each is covered where it is.
HOST_FILES = """
cmdline config.gz diskstats interrupts iomem ioports kallsyms key-users keys latency_stats modules
mtrr partitions sched_debug swaps timer_list sys/kernel/random/boot_id
""".split()  # noqa: SIM905 - one per line would hide what belongs together
HOST_FOLDERS = "acpi asound bus driver dynamic_debug fs irq pressure scsi tty".split()  # noqa: SIM905
# Bubblewrap's own process: it has the first of the two filters only, and its memory is its user's.
BUBBLEWRAP_PROCESS = "/proc/1"


@dataclass(frozen=True, slots=True)
class Base:
    """The interpreter that runs start from: its path, the prefix to bind, and its X.Y version.

    `release` is the whole version, such as 3.11.2; `platform` decides which wheels it takes, such
    as cpython-311-x86_64-linux-gnu-2.36.
    """

    python: Path
    prefix: Path
    version: str
    platform: str
    release: str

    @property
    def site_packages(self) -> str:
        """Where the environment's files are inside the sandbox."""
        return f"{VENV}/lib/python{self.version}/site-packages"


def moved_up(fd: int) -> int:
    """The same open file under the first free number from FIRST_FD on: numbers are visible inside,
    and must not reveal what else this runner has open."""
    try:
        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, FIRST_FD)
    finally:
        os.close(fd)


def package_name(*taken: Path | None) -> str:
    """A random name for the program's package, of which none of these folders has a module.

    A name that were always the same would tell an environment that it is evaluated.
    """
    names = ["_".join(words) for words in itertools.product(*PACKAGE_NAMES)]
    folders = [folder for folder in taken if folder is not None]
    free = [
        name
        for name in names
        if not any((folder / f"{name}{end}").exists() for folder in folders for end in ("", ".py"))
    ]
    return secrets.choice(free or names)


class MemoryFiles:
    """Anonymous files handed to bubblewrap by descriptor, so that no path names their content."""

    def __init__(self) -> None:
        self.fds: list[int] = []

    def add(self, content: bytes) -> str:
        """A descriptor at the start of `content`, as text; open until `close`."""
        fd = moved_up(os.memfd_create("envyard", os.MFD_CLOEXEC))
        self.fds.append(fd)
        with os.fdopen(fd, "wb", closefd=False) as file:
            file.write(content)
        os.lseek(fd, 0, os.SEEK_SET)
        return str(fd)

    def close(self) -> None:
        """Close all of them; the child holds its own copies."""
        while self.fds:
            os.close(self.fds.pop())


@dataclass(frozen=True, slots=True)
class View:
    """The inputs of one sandbox."""

    base: Base
    site: Path
    environment: Path | None
    app: Path  # holds the program's package, of the name `package`
    package: str
    user: str
    tmp_bytes: int
    writable: Path | None
    variables: Mapping[str, str]
    programs: Mapping[str, Path]  # by their names in the venv's bin folder
    certificates: bytes
    folders: Mapping[str, Path]  # by their names in the venv

    @property
    def folder(self) -> str:
        """The folder of the program's package inside."""
        return f"{APP}/{self.package}"

    @property
    def home(self) -> str:
        """The user's home and first working folder."""
        return HOME if self.user == USER else f"/home/{self.user}"


def arguments(view: View, memory: MemoryFiles) -> list[str]:
    """Bubblewrap's options, given through --args so that /proc/1/cmdline shows no host path.

    Order matters: mounts happen as listed, and the remounts must come last.
    """
    return [
        *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent"),
        *("--new-session", "--hostname", view.user, "--cap-drop", "ALL"),
        *("--uid", str(USER_ID), "--gid", str(USER_ID)),
        *_variables(view),
        *("--size", str(view.tmp_bytes), "--tmpfs", "/tmp"),  # noqa: S108 - inside the sandbox
        *_system(view.base),
        *_venv(view, memory),
        *("--ro-bind", str(view.app), APP),
        *_user(view, memory),
        *_file(memory, "/etc/hosts", HOSTS.encode()),
        *_file(memory, "/etc/nsswitch.conf", NSSWITCH.encode()),
        *(_file(memory, CERTIFICATES, view.certificates) if view.certificates else ()),
        *_proc(memory),
        *("--dev", "/dev"),
        # Shared maps of /dev/zero are memory that no resident-set count sees.
        *("--dev-bind", "/dev/null", "/dev/zero"),
        *("--size", str(view.tmp_bytes), "--tmpfs", "/dev/shm"),  # noqa: S108
        *("--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"),
        *("--chdir", view.home),
    ]


def _variables(view: View) -> list[str]:
    certificates = CERTIFICATE_VARIABLES if view.certificates else {}
    path = f"{VENV}/bin:{view.base.site_packages}/bin:{ENVIRONMENT}/bin:/usr/bin:/bin"
    return [
        "--clearenv",
        *(option for pair in view.variables.items() for option in ("--setenv", *pair)),
        *("--setenv", "PATH", path),
        *("--setenv", "HOME", view.home),
        *(option for pair in JUDGE_VARIABLES.items() for option in ("--setenv", *pair)),
        *(option for pair in DATA_VARIABLES.items() for option in ("--setenv", *pair)),
        *(option for pair in PROXY_VARIABLES.items() for option in ("--setenv", *pair)),
        *(option for pair in certificates.items() for option in ("--setenv", *pair)),
    ]


def _user(view: View, memory: MemoryFiles) -> list[str]:
    """The only user, and its home where that is a folder of its own."""
    passwd = f"{view.user}:x:{USER_ID}:{USER_ID}::{view.home}:/bin/sh\n"
    options = _file(memory, "/etc/passwd", passwd.encode())
    options += _file(memory, "/etc/group", f"{view.user}:x:{USER_ID}:\n".encode())
    if view.home != HOME:
        options += ["--size", str(view.tmp_bytes), "--tmpfs", view.home]
    return options


def _system(base: Base) -> list[str]:
    options = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "lib", "lib32", "lib64", "sbin"):
        path = Path("/") / name
        if path.is_symlink():
            options += ["--symlink", f"usr/{name}", f"/{name}"]
        elif path.is_dir():
            options += ["--ro-bind", str(path), str(path)]
    if not base.prefix.is_relative_to("/usr"):
        options += ["--ro-bind", str(base.prefix), str(base.prefix)]
    return options


def _proc(memory: MemoryFiles, host: Path = Path("/proc")) -> list[str]:
    """The sandbox's own /proc without what names the machine, and without bubblewrap's process.

    Its memory could be written through /proc/1/mem: it has the same user, and code of the
    environment's in there would make the calls that only the second filter refuses.
    """
    options = ["--proc", "/proc"]
    for name in HOST_FILES:
        if (host / name).is_file():
            options += _file(memory, f"/proc/{name}", b"")
    folders = [f"/proc/{name}" for name in HOST_FOLDERS if (host / name).is_dir()]
    for folder in (*folders, BUBBLEWRAP_PROCESS):
        options += ["--perms", "0555", "--size", "4096", "--tmpfs", folder]
        options += ["--remount-ro", folder]
    return options


def _venv(view: View, memory: MemoryFiles) -> list[str]:
    """A real venv: site-packages follow the standard library, the host's packages stay out."""
    settings = f"home = {view.base.python.parent}\ninclude-system-site-packages = false\n"
    options: list[str] = []
    for name in ("python", "python3", f"python{view.base.version}"):
        options += ["--symlink", str(view.base.python), f"{VENV}/bin/{name}"]
    options += [*_file(memory, f"{VENV}/pyvenv.cfg", settings.encode())]
    for path, inside in ((view.site, view.base.site_packages), (view.environment, ENVIRONMENT)):
        if path is not None:
            bind = "--bind" if path == view.writable else "--ro-bind"
            options += [bind, str(path), inside]
    for name, program in view.programs.items():
        options += ["--ro-bind", str(program), f"{VENV}/bin/{name}"]
    for name, folder in view.folders.items():
        options += ["--ro-bind", str(folder), f"{VENV}/{name}"]
    return options


def _file(memory: MemoryFiles, path: str, content: bytes) -> list[str]:
    return ["--perms", "0444", "--ro-bind-data", memory.add(content), path]
