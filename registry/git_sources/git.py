"""Run git on a stranger's repository: https alone, bounded, and without any work tree.

Nothing is checked out, so that no filter, hook, link or submodule of the repository takes effect.
Only `fetch` may use the network; it follows no redirect.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from envyard.messaging.parent import die_with_parent

CPU_SECONDS = 120
MEMORY_BYTES = 4 << 30
MESSAGE = 300
# The operator's proxies and authorities; libcurl takes them from the environment.
PASSED = ("http_proxy", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY", "all_proxy")
OPTIONS = {
    "http.followRedirects": "false",
    "protocol.version": "2",
    "credential.helper": "",
    "core.askPass": "",
    "core.bigFileThreshold": "1m",  # larger objects are read as streams, not into memory
    "fetch.unpackLimit": "1",  # one pack file, whose size the kernel bounds
    "gc.auto": "0",
    "maintenance.auto": "false",
    "pack.threads": "1",
}


class GitFailed(Exception):
    """git ended with an error or was killed at a limit; the message is its last line."""


class TooLarge(Exception):
    """A file that git writes would be larger than the limit."""


@dataclass(frozen=True, slots=True)
class Git:
    """A bare repository in `folder`; no file that git writes there is larger than `file_bytes`."""

    folder: Path
    file_bytes: int
    deadline: float

    @classmethod
    def create(cls, folder: Path, *, file_bytes: int, deadline: float) -> Git:
        """A new, empty one; commands are killed at the `deadline` of the monotonic clock."""
        folder.mkdir()
        git = cls(folder, file_bytes, deadline)
        git.run("init", "--bare", "--quiet", "--template=", "--object-format=sha1", ".")
        return git

    def fetch(self, address: str, *arguments: str) -> None:
        """Fetch from an https address; raises GitFailed."""
        fixed = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head")
        self.run("fetch", *fixed, *arguments, protocols="https", address=address)

    def run(
        self,
        *arguments: str,
        protocols: str = "none",
        address: str = "",
        stdin: Path | None = None,
    ) -> Path:
        """Run one command and return the file with its output, until the next; raises GitFailed
        and TooLarge.

        `address` becomes the remote `origin` of this one call, so that it is never an argument.
        """
        output, errors = self.folder / "output", self.folder / "errors"
        command = ["git", *(part for pair in self._options(address) for part in ("-c", pair))]
        remote = ["--end-of-options", "origin"] if address else []
        with (
            output.open("wb") as out,
            errors.open("wb") as err,
            (stdin or Path(os.devnull)).open("rb") as source,
        ):
            process = subprocess.Popen(
                [*command, *_placed(arguments, remote)],
                cwd=self.folder,
                env=_environment(self.folder, protocols),
                stdin=source,
                stdout=out,
                stderr=err,
                start_new_session=True,
                preexec_fn=_limits(self.file_bytes),
            )
            try:
                code = process.wait(max(0.0, self.deadline - time.monotonic()))
            except BaseException as error:
                _kill(process)
                if isinstance(error, subprocess.TimeoutExpired):
                    raise GitFailed("it took too long") from None
                raise
        if code:
            raise _failure(code, errors, self.file_bytes)
        return output

    def _options(self, address: str) -> list[str]:
        options = dict(OPTIONS)
        if address:
            options["remote.origin.url"] = address
        if certificates := os.environ.get("SSL_CERT_FILE"):
            options["http.sslCAInfo"] = certificates
        return [f"{name}={value}" for name, value in options.items()]


def installed() -> bool:
    """Whether the program is on the PATH."""
    return shutil.which("git") is not None


def _placed(arguments: tuple[str, ...], remote: list[str]) -> list[str]:
    """The remote behind the options and before the refs."""
    first_ref = next((n for n, text in enumerate(arguments) if n and text[:1] != "-"), None)
    at = len(arguments) if first_ref is None else first_ref
    return [*arguments[:at], *remote, *arguments[at:]]


def _environment(home: Path, protocols: str) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": str(home),
        "LC_ALL": "C",
        "GIT_DIR": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": protocols,
        "GIT_NO_REPLACE_OBJECTS": "1",
        **{name: os.environ[name] for name in PASSED if name in os.environ},
    }


def _limits(file_bytes: int) -> Callable[[], None]:
    def limit() -> None:
        die_with_parent(signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))

    return limit


def _kill(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _failure(code: int, errors: Path, file_bytes: int) -> Exception:
    sizes = (path.stat().st_size for path in errors.parent.rglob("*") if path.is_file())
    if max(sizes) >= file_bytes:  # whichever of git's processes was killed by it
        return TooLarge(f"git needs a file of more than {file_bytes >> 20} MB (HUB_GIT_MB)")
    text = errors.read_bytes()[:65536].decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip()]
    line = next((line for line in lines if line.startswith(("fatal:", "error:"))), "")
    line = line or (lines[-1] if lines else f"git ended with {code}")
    return GitFailed("".join(c if c.isprintable() else " " for c in line)[:MESSAGE])
