"""A throw-away S3 server that is a real one: Ceph's object gateway, from Debian's packages.

One monitor, one store in memory and the gateway, in a folder of their own, with cephx: a gateway
without it never answers. Each dies with this process. About twenty seconds to start.
"""

import json
import shutil
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from hub.supervisor import die_with_parent

PROGRAMS = ("radosgw", "ceph-mon", "ceph-osd")
START_SECONDS = 120
CONF = """
[global]
fsid = {fsid}
mon host = v2:127.0.0.1:{mon}/0
keyring = {home}/keyring
run dir = {home}
admin socket =
log file = {home}/$name.log
pid file =
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
ms bind port min = {low}
ms bind port max = {high}
auth allow insecure global id reclaim = false
mon allow pool size one = true
mon max pg per osd = 4000
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
[mon.a]
mon data = {home}/mon
[osd.0]
osd data = {home}/osd
osd objectstore = memstore
memstore device bytes = 1073741824
[client.rgw]
rgw data = {home}/rgw
rgw frontends = beast endpoint=127.0.0.1:{gateway}
rgw enable usage log = false
rgw thread pool size = 32
"""


@dataclass(frozen=True, slots=True)
class Ceph:
    """Where it listens, the keys of the one user it has, and the folder of its settings."""

    endpoint: str
    access_key_id: str
    secret_access_key: str
    home: Path

    def gateway(self, port: int) -> list[str]:
        """The command of another gateway to the same objects."""
        where = f"--rgw-frontends=beast endpoint=127.0.0.1:{port}"
        return _command(self.home, "radosgw", "-n", "client.rgw", where, "-f")


def missing() -> list[str]:
    """The programs that are not installed."""
    return [name for name in PROGRAMS if shutil.which(name) is None]


@contextmanager
def server() -> Iterator[Ceph]:
    """Run one; what it keeps goes with it."""
    home = Path(mkdtemp(prefix="envyard-ceph-"))
    ports = dict(zip(("mon", "gateway", "low"), _free_ports(3), strict=True))
    fsid = str(uuid.uuid4())
    conf = CONF.format(fsid=fsid, home=home, high=ports["low"] + 20, **ports)
    (home / "ceph.conf").write_text(conf)
    with ExitStack() as at_the_end:
        at_the_end.callback(shutil.rmtree, home, ignore_errors=True)
        _monitor(home, fsid, ports["mon"], at_the_end)
        _store(home, at_the_end)
        _start(home, at_the_end, "radosgw", "-n", "client.rgw")
        keys = json.loads(
            _run(home, "radosgw-admin", "user", "create", "--uid=hub", "--display-name=hub")
        )["keys"][0]
        _wait(lambda: _listens(ports["gateway"]), home)
        yield Ceph(
            f"http://127.0.0.1:{ports['gateway']}", keys["access_key"], keys["secret_key"], home
        )


def _monitor(home: Path, fsid: str, port: int, at_the_end: ExitStack) -> None:
    """Its first keyring already holds everybody's keys."""
    everything = ("--cap", "mon", "allow *", "--cap", "osd", "allow *", "--cap", "mgr", "allow *")
    keyring = str(home / "keyring")
    _run(home, "ceph-authtool", "--create-keyring", keyring, "--gen-key", "-n", "mon.", *everything)
    for name in ("client.admin", "client.rgw", "osd.0"):
        _run(home, "ceph-authtool", keyring, "--gen-key", "-n", name, *everything)
    address = f"[v2:127.0.0.1:{port}]"
    monmap = str(home / "monmap")
    _run(home, "monmaptool", "--create", "--fsid", fsid, "--addv", "a", address, monmap)
    for folder in ("mon", "osd", "rgw"):
        (home / folder).mkdir()
    _run(home, "ceph-mon", "--mkfs", "-i", "a", "--monmap", monmap, "--keyring", keyring)
    _start(home, at_the_end, "ceph-mon", "-i", "a")


def _store(home: Path, at_the_end: ExitStack) -> None:
    store = str(uuid.uuid4())
    _run(home, "ceph", "--connect-timeout", "30", "osd", "new", store)
    _run(home, "ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", store, "--no-mon-config")
    _start(home, at_the_end, "ceph-osd", "-i", "0")


def _command(home: Path, program: str, *words: str) -> list[str]:
    conf = [] if program in ("ceph-authtool", "monmaptool") else ["-c", str(home / "ceph.conf")]
    return [program, *conf, *words]


def _run(home: Path, program: str, *words: str) -> str:
    done = subprocess.run(
        _command(home, program, *words), capture_output=True, text=True, timeout=START_SECONDS
    )
    if done.returncode:
        raise RuntimeError(f"{program} failed: {done.stderr or done.stdout}")
    return done.stdout


def _start(home: Path, at_the_end: ExitStack, program: str, *words: str) -> None:
    with (home / f"{program}.out").open("wb") as out:
        running = subprocess.Popen(
            _command(home, program, *words, "-f"),
            stdout=out,
            stderr=out,
            preexec_fn=lambda: die_with_parent(signal.SIGKILL),
        )
    at_the_end.callback(running.wait, 30)
    at_the_end.callback(running.kill)  # nothing of it is worth a clean end


def _wait(ready: Callable[[], bool], home: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not ready():
        if time.monotonic() > deadline:
            logs = "\n".join(file.read_text()[-2000:] for file in sorted(home.glob("*.log")))
            raise RuntimeError(f"the gateway did not start in {START_SECONDS} s\n{logs}")
        time.sleep(0.1)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _free_ports(count: int) -> list[int]:
    with ExitStack() as probes:
        sockets = [probes.enter_context(socket.socket()) for _ in range(count)]
        for probe in sockets:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in sockets]
