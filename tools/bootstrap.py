#!/usr/bin/env python3
"""Set up a fresh clone with the standard library alone: `bootstrap.py run|develop|test|benchmark`.

`run` installs the hub, `develop` also its development tools, `test` and `benchmark` in addition the
programs that some tests and the benchmark start.

A bare Debian has neither pip nor venv, so this fetches uv's wheel, checks its hash against the
one written below, and lets uv install exactly what uv.lock names into .venv. A stamp in .venv
names what was installed; while it matches, nothing is done.
"""

from __future__ import annotations

import ctypes
import hashlib
import html.parser
import io
import os
import platform
import re
import shutil
import ssl
import stat
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
UV_VERSION = "0.13.9"
# The manylinux wheels of that version, by machine: the index may be any mirror, the bytes may not.
UV_SHA256 = {
    "x86_64": "d7f459fe4fd247d830351c75686d3996ace3c6f3f728eb0e85a30b7ada0cef19",
    "aarch64": "5435c5ce14a56431208ca0996416d310f1598e8c2c8ba707688985a16bb82dbe",
}
INDEX = "https://pypi.org/simple"
MODES = ("run", "develop", "test", "benchmark")


class Stop(Exception):
    """The setup cannot continue; the message names the next step."""


def print_step(text: str) -> None:
    """One line of progress on stderr; stdout is the caller's."""
    print(f"setup: {text}", file=sys.stderr, flush=True)


# --- packages of the system -----------------------------------------------------------------


def has_library(name: str) -> bool:
    """Whether the system's loader finds that shared library."""
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def missing_packages() -> list[str]:
    """Debian's names of the missing system packages that the hub needs."""
    missing = []
    if not shutil.which("bwrap"):
        missing.append("bubblewrap")
    if not has_library("libseccomp.so.2"):
        missing.append("libseccomp2")
    paths = ssl.get_default_verify_paths()
    if not paths.cafile and not (paths.capath and any(Path(paths.capath).iterdir())):
        missing.append("ca-certificates")
    return missing


def install_packages(packages: list[str]) -> None:
    """Install them with apt-get where this user may, else stop with the command to type."""
    install = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    command = f"apt-get update && {' '.join(install)}"
    if not shutil.which("apt-get"):
        raise Stop(f"please install {' and '.join(packages)} with this system's package manager")
    if os.geteuid() == 0:
        rise = []
    elif (
        shutil.which("sudo")
        and not subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode
    ):
        rise = ["sudo", "-n"]
    else:
        shell = "sudo sh" if shutil.which("sudo") else "su"  # a bare Debian has no sudo
        raise Stop(
            "some system packages are missing; type this, then try again:\n\n"
            f"    {shell} -c '{command}'\n"
        )
    print_step(f"installing {', '.join(packages)} with apt-get")
    for step in (["apt-get", "update"], install):
        completed = subprocess.run(
            [*rise, "env", "DEBIAN_FRONTEND=noninteractive", *step],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    if completed.returncode:
        raise Stop(
            f"apt-get failed:\n{completed.stdout}\nType this, then try again:\n\n    {command}\n"
        )


def has_program(name: str) -> bool:
    """Whether it is on the PATH, or among the system's own that a user's PATH leaves out."""
    return bool(shutil.which(name) or shutil.which(name, path="/usr/sbin"))


SERVERS = {"nginx-light", "redis-server", "rabbitmq-server"}


def install_for_tests() -> None:
    """Fetch the programs that some tests need, once for each uv.lock.

    Where one cannot be had those tests are skipped.
    """
    stamp, synced = VENV / ".stamp-programs", (VENV / ".stamp-develop").read_text()
    if stamp.exists() and stamp.read_text() == synced:
        return
    needs = {
        "in a browser": {
            "chromium": has_program("chromium"),
            "libatomic1": has_library("libatomic.so.1"),  # Playwright's own program needs it
        },
        # These packages are named as their programs.
        "on S3": {name: has_program(name) for name in ("radosgw", "ceph-mon", "ceph-osd")},
        "of the site behind nginx": {"nginx-light": has_program("nginx")},
        "of faults on Redis": {"redis-server": has_program("redis-server")},
        "of faults on RabbitMQ": {"rabbitmq-server": has_program("rabbitmq-server")},
        "of runners in networks of their own": {"iproute2": has_program("ip")},
    }
    for tests, packages in needs.items():
        missing = [name for name, is_installed in packages.items() if not is_installed]
        try:
            if SERVERS & set(missing) and Path("/run/systemd/system").exists():
                raise Stop("its package would start a server here, which the user must decide")
            if missing:
                install_packages(missing)
        except Stop:
            words = " ".join(missing)
            command = f"apt-get install --no-install-recommends {words}"
            print_step(f"no {words} ({command}): tests {tests} are skipped")
    stamp.write_text(synced)


def install_for_benchmarks() -> None:
    """Fetch the programs that `make benchmark` runs; it cannot go on without them."""
    needs = {"wrk": has_program("wrk"), "nginx-light": has_program("nginx")}
    missing = [name for name, is_installed in needs.items() if not is_installed]
    if SERVERS & set(missing) and Path("/run/systemd/system").exists():
        words = " ".join(missing)
        raise Stop(
            f"the benchmark needs {words}, and nginx's package would start a server here; if you "
            f"want that, type: apt-get install --no-install-recommends {words}"
        )
    if missing:
        install_packages(missing)


# --- uv -------------------------------------------------------------------------------------


class Links(html.parser.HTMLParser):
    """The links of a simple index page (PEP 503), which every index and mirror serves."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = dict(attrs).get("href")
        if tag == "a" and href:
            self.found.append(href)


def fetch(url: str) -> bytes:
    """The body at `url`. SSL_CERT_FILE and the proxy variables are honoured by urllib itself."""
    request = urllib.request.Request(
        url, headers={"Accept": "application/vnd.pypi.simple.v1+html, text/html, */*;q=0.1"}
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            body: bytes = response.read()
            return body
    except (OSError, urllib.error.URLError) as error:
        raise Stop(f"cannot fetch {url} ({error}); UV_DEFAULT_INDEX names another index") from None


def index_url() -> str:
    """The package index this user has chosen."""
    for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"):
        if os.environ.get(name):
            return os.environ[name].rstrip("/")
    return INDEX


def download_uv(target: Path) -> None:
    """Put the pinned uv at `target`, after checking the wheel's hash."""
    machine = {"arm64": "aarch64", "amd64": "x86_64"}.get(platform.machine(), platform.machine())
    if sys.platform != "linux" or machine not in UV_SHA256:
        raise Stop(
            f"install uv {UV_VERSION} or later by hand: "
            f"no wheel of it is pinned for {sys.platform} {machine}"
        )
    page = f"{index_url()}/uv/"
    links = Links()
    links.feed(fetch(page).decode())
    wheel = re.compile(
        rf"/uv-{re.escape(UV_VERSION)}-[^/]*manylinux2014_{machine}[^/]*\.whl(#|\?|$)"
    )
    urls = [urllib.parse.urljoin(page, link) for link in links.found if wheel.search(link)]
    if not urls:
        raise Stop(
            f"{page} has no uv {UV_VERSION} for {machine}; UV_DEFAULT_INDEX names another index"
        )
    print_step(f"fetching uv {UV_VERSION}")
    body = fetch(urls[0].partition("#")[0])
    if (digest := hashlib.sha256(body).hexdigest()) != UV_SHA256[machine]:
        raise Stop(f"{urls[0]} has sha256 {digest}, expected {UV_SHA256[machine]}: not using it")
    target.parent.mkdir(exist_ok=True)
    partial = target.with_suffix(".partial")
    partial.write_bytes(zipfile.ZipFile(io.BytesIO(body)).read(f"uv-{UV_VERSION}.data/scripts/uv"))
    partial.chmod(0o755)
    partial.replace(target)


def find_uv() -> str:
    """A uv that is new enough: our own, the one on PATH, or a newly fetched one."""
    pinned = ROOT / ".tools" / f"uv-{UV_VERSION}"
    if pinned.exists():
        return str(pinned)
    if on_path := shutil.which("uv"):
        version_line = subprocess.run([on_path, "--version"], capture_output=True, text=True).stdout
        version = re.search(r"(\d+)\.(\d+)\.(\d+)", version_line)
        if version and tuple(map(int, version.groups())) >= tuple(map(int, UV_VERSION.split("."))):
            print_step(f"using {on_path} ({version_line.strip()})")
            return on_path
        print_step(f"{on_path} is older than {UV_VERSION}: not using it")
    download_uv(pinned)
    return str(pinned)


# --- the virtual environment ----------------------------------------------------------------


def readable_by_all(file: Path) -> bool:
    """Whether any user may execute `file`: no folder above it is closed to others."""
    real = file.resolve()
    return all(part.stat().st_mode & stat.S_IXOTH for part in (real, *real.parents))


def find_python() -> str:
    """A Python >= 3.11, the system's own first: the sandbox's users must be able to read it."""
    if sys.version_info < (3, 11):
        raise Stop(f"Python 3.11 or later is needed, this is {platform.python_version()}")
    names = [f"python3.{minor}" for minor in (11, 12, 13, 14)]
    candidates = [Path(folder, name) for folder in ("/usr/bin", "/usr/local/bin") for name in names]
    for candidate in (*candidates, Path(sys.executable)):
        if candidate.exists() and readable_by_all(candidate):
            return str(candidate)
    print_step(
        f"{sys.executable} is in a private folder: a runner under root will refuse to use it"
    )
    return sys.executable


def has_postgresql() -> bool:
    """Whether the distribution's PostgreSQL server is here, for the tests."""
    return bool(shutil.which("initdb") or list(Path("/usr/lib/postgresql").glob("*/bin/initdb")))


def sync(mode: str) -> None:
    """Make .venv hold what uv.lock names; nothing is done where its stamp matches."""
    inputs = [
        ROOT / "uv.lock",
        *(ROOT / part / "pyproject.toml" for part in (".", "cli", "worker")),
    ]
    locked = hashlib.sha256(b"".join(file.read_bytes() for file in inputs)).hexdigest()
    arguments = ["--all-extras"]  # a broker of either kind
    if mode == "run":
        arguments += ["--no-dev", "--inexact"]
    elif not has_postgresql():
        arguments += ["--group", "postgres"]
    stamp = VENV / f".stamp-{mode}"  # `run` or `develop`
    line = " ".join([locked, *arguments])
    if stamp.exists() and stamp.read_text() == line and (VENV / "bin/python").exists():
        return
    print_step("installing what uv.lock names into .venv")
    stamp.unlink(missing_ok=True)
    started = subprocess.run(
        [
            find_uv(),
            "sync",
            "--all-packages",
            "--frozen",
            "--python",
            find_python(),
            "--quiet",
            *arguments,
        ],
        cwd=ROOT,
        env={
            "UV_SYSTEM_CERTS": "1",  # a company's own authority is known to the system alone
            **os.environ,
            "UV_PYTHON_DOWNLOADS": "never",
            "UV_DEFAULT_INDEX": index_url(),
        },
    )
    if started.returncode:
        raise Stop("uv could not install the dependencies; its message is above")
    stamp.write_text(line)


def main(mode: str) -> int:
    """0 when everything is in place, 1 with a sentence when it is not."""
    try:
        if missing := missing_packages():
            install_packages(missing)
            if missing := missing_packages():
                raise Stop(f"{', '.join(missing)} still not found after apt-get installed it")
        sync("run" if mode == "run" else "develop")
        if mode == "test":
            install_for_tests()
        if mode == "benchmark":
            install_for_benchmarks()
    except Stop as stop:
        print(f"setup: {stop}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    if sys.argv[1:] not in ([mode] for mode in MODES):
        sys.exit(f"usage: bootstrap.py {'|'.join(MODES)}")
    sys.exit(main(sys.argv[1]))
