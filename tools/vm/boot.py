#!/usr/bin/env python3
"""Run a command on a virtual machine with systemd and cgroup v2.

    tools/vm/boot.py [--user] [--seconds N] [--property NAME=VALUE ...] -- COMMAND...

The machine is user-mode Linux: Debian's kernel as a program, without privileges or hardware
support. It sees the files of the host below a layer in memory that takes all writes; the command
is a service with the delegation of the runner's unit (deploy/systemd). With --user it runs as an
ordinary user. The exit code is the command's, or 77 with a reason if the machine is unavailable.
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
UNIT = ROOT / "deploy" / "systemd" / "envyard-runner.service"
UNAVAILABLE = 77
MEMORY = "3000M"
MODULES = ("overlay", "crc-ccitt", "ipv6")  # in the order of their needs
PACKAGES = ("user-mode-linux", "busybox-static")
EXIT = "the command ended with "
TARGET = "[Unit]\nDefaultDependencies=no\nWants=envyard-tests.service\n"
SERVICE = """
[Unit]
DefaultDependencies=no
[Service]
Type=oneshot
WorkingDirectory={root}
Environment=HOME=/tmp
ExecStart=-/bin/sh -c {command}
ExecStopPost=+/bin/systemctl poweroff --force --force
StandardOutput=tty
StandardError=tty
TTYPath=/dev/tty0
"""


class Unavailable(Exception):
    """The machine is unavailable; the message is the reason."""


def main() -> int:
    """Boot, show what the command writes, and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--user", action="store_true")
    parser.add_argument("--seconds", type=int, default=1800)
    parser.add_argument("--property", action="append", default=[], help="a line of the service")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    try:
        return boot(unpacked_kernel(), options)
    except Unavailable as error:
        sys.stderr.write(f"the machine with cgroup v2 cannot be had: {error}\n")
        return UNAVAILABLE


def unpacked_kernel() -> Path:
    """The folder with the kernel, its modules and busybox; fetched once into the user's cache."""
    if platform.machine() != "x86_64" or not shutil.which("apt-get"):
        raise Unavailable("user-mode Linux is taken from Debian's packages for x86-64")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    target = cache / "envyard" / "user-mode-linux"
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        command = ["apt-get", "download", *PACKAGES]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if result.returncode:
            raise Unavailable(f"{' '.join(command)}: {result.stderr.strip()}")
        files = Path(folder) / "files"
        for package in Path(folder).glob("*.deb"):
            subprocess.run(["dpkg", "-x", package, files], check=True)
        files.rename(target)
    return target


def boot(kernel: Path, options: argparse.Namespace) -> int:
    """Run the machine to its end, its words on our output."""
    with tempfile.TemporaryDirectory() as folder:
        initial = Path(folder) / "initrd"
        initial.write_bytes(archive(kernel, units(options)))
        command = [
            *("nice", str(kernel / "usr" / "bin" / "linux.uml"), f"mem={MEMORY}", "quiet"),
            *(f"initrd={initial}", f"uml_dir={folder}", "umid=envyard"),
            *("con=null", "con0=null,fd:1", "panic=-1", "nohz=off"),
        ]
        return _watched(command, options.seconds)


def _watched(command: list[str], seconds: int) -> int:
    limited, code = ["timeout", str(seconds), *command], 1
    with subprocess.Popen(limited, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as machine:
        for raw in machine.stdout or ():
            line = raw.decode("utf-8", "replace").rstrip("\r\n")
            if line.startswith(EXIT):
                code = int(line.removeprefix(EXIT))
            else:
                print(line, flush=True)
    return code


def units(options: argparse.Namespace) -> dict[str, str]:
    """The units of the machine: our own service, and nothing else."""
    service = SERVICE.format(
        root=ROOT, command=_quoted(f"{shlex.join(options.command)}; echo; echo {EXIT}$?")
    )
    delegated = [line for line in UNIT.read_text().splitlines() if line.startswith("Delegate")]
    properties = [*delegated, *options.property, *(["User=games"] if options.user else [])]
    return {
        "envyard.target": TARGET,
        "envyard-tests.service": f"{service}{''.join(f'{line}{chr(10)}' for line in properties)}",
    }


def _quoted(text: str) -> str:
    """One word for systemd, which has escapes and variables of its own."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'


def archive(kernel: Path, unit_texts: dict[str, str]) -> bytes:
    """The first files of the machine: a cpio archive (cpio(5), the new format)."""
    [modules] = (kernel / "usr/lib/uml/modules").iterdir()
    modules_by_name = {file.stem: file for file in modules.rglob("*.ko")}
    files = {
        "init": (0o755, (HERE / "init.sh").read_bytes()),
        "bin/busybox": (0o755, (kernel / "bin" / "busybox").read_bytes()),
        **{
            f"modules/{number}-{name}.ko": (0o644, modules_by_name[name].read_bytes())
            for number, name in enumerate(MODULES)
        },
        **{f"units/{name}": (0o644, text.encode()) for name, text in unit_texts.items()},
    }
    folders = ["bin", "dev", "lower", "modules", "root", "units", "upper"]
    entries = [(name, 0o40755, b"") for name in folders]
    entries += [(name, 0o100000 | mode, data) for name, (mode, data) in files.items()]
    entries += [("TRAILER!!!", 0, b"")]
    return b"".join(_entry(number, *entry) for number, entry in enumerate(entries, 1))


def _entry(number: int, name: str, mode: int, data: bytes) -> bytes:
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
    return head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4)


if __name__ == "__main__":
    raise SystemExit(main())
