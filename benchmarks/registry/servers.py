"""The hub and its peers, each serving the same wheels, started as its documentation recommends."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urljoin

import requests

from benchmarks.registry import machine, process
from benchmarks.registry.material import BIG, NEEDY, Material, name
from tests.registry.uploads.forms import form_of

ROOT = Path(__file__).parents[2]
USER, PASSWORD = "bench", "Bench-1234-marks"
JSON = "application/vnd.pypi.simple.v1+json"
Auth = tuple[str, str]


@dataclass
class Server:
    """One running server; `index` ends in a slash, `serves_json` where PEP 691's JSON is served."""

    label: str
    index: str
    processes: list[machine.Program]
    upload: str = ""
    auth: Auth | None = None
    headers: dict[str, str] = field(default_factory=dict)
    serves_json: bool = True

    @property
    def roots(self) -> list[int]:
        """The processes whose trees serve it."""
        return [program.pid for program in self.processes]

    def wheel_urls(self, environment: str = BIG) -> list[str]:
        """The URLs of the environment's wheels, from its page."""
        page = f"{self.index}{environment}/"
        html = requests.get(page, headers={"Accept": "text/html"}, timeout=20).text
        return [urljoin(page, url) for url in re.findall(r'href="([^"#]+\.whl)', html)]

    def stop(self) -> None:
        """Stop its processes."""
        for program in self.processes:
            machine.stop(program)


def clean() -> dict[str, str]:
    """Our environment without the settings of hubs and installers."""
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("HUB_", "DATABASE_", "PIP_"))
    }
    return environment | {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1", "PYTHONPATH": str(ROOT)}


# --- the hub ---------------------------------------------------------------------------------
def hub(scratch: Path, material: Material, *, database: str = "") -> tuple[Server, Path]:
    """Web as `make run` starts it, on SQLite or on that PostgreSQL; and the folder of its files."""
    port = machine.free_port()
    environ = _settings(scratch, port, database)
    seeding = subprocess.run(
        [sys.executable, "-m", "benchmarks.registry.seed", *map(str, material.seed)],
        env=environ,
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
    )
    seeded = json.loads(seeding.stdout.splitlines()[-1])
    web = machine.start(process.COMMAND, log=scratch / "hub.log", port=port, environ=environ)
    base = f"http://127.0.0.1:{port}"
    server = Server("hub", f"{base}/{USER}/simple/", [web], f"{base}/legacy/{USER}/")
    server.auth = ("__token__", seeded["token"])
    return server, scratch / "hub/files"


def _settings(scratch: Path, port: int, database: str) -> dict[str, str]:
    environ = clean() | {
        "HUB_HOME": str(scratch / "hub"),
        "HUB_PORT": str(port),
        "HUB_NEW_NAMES_PER_HOUR": "1000000",
        "HUB_UPLOADS_PER_HOUR": "1000000",
        "HUB_QUEUED_VERSIONS": "1000000",
        "HUB_LOG_LEVEL": "WARNING",
    }
    return environ | ({"DATABASE_URL": database} if database else {})


def hub_behind_nginx(scratch: Path, files: Path, *, database: str = "") -> Server:
    """The site of deploy/nginx-http.conf with our ports and folders, in front of a separate web
    process with HUB_ACCEL; the figures include both."""
    port, behind = machine.free_port(), machine.free_port()
    environ = _settings(scratch, behind, database) | {"HUB_ACCEL": "true"}
    web = machine.start(process.COMMAND, log=scratch / "behind.log", port=behind, environ=environ)
    site = (ROOT / "deploy/nginx-http.conf").read_text()
    site = site.replace("listen 80;", f"listen 127.0.0.1:{port};")
    site = site.replace("server_name hub.example.org;", "server_name 127.0.0.1;")
    site = site.replace("/var/lib/envyard/files", str(files))
    site = site.replace("127.0.0.1:8000", f"127.0.0.1:{behind}")
    nginx = _nginx(scratch / "proxy", site, port)
    return Server("hub behind nginx", f"http://127.0.0.1:{port}/{USER}/simple/", [nginx, web])


# --- nginx alone -----------------------------------------------------------------------------
STATIC = """
map $http_accept $form {{ default html; "~application/vnd.pypi.simple.v1.json" json; }}
server {{
    listen 127.0.0.1:{port};
    root {root};
    types {{ application/vnd.pypi.simple.v1+json json; text/html html; }}
    location / {{ try_files ${{uri}}index.$form $uri =404; add_header Vary Accept; }}
}}
"""


def nginx_static(scratch: Path, app: Server, files: Path) -> Server:
    """The limit: the hub's own pages and wheel as plain files in a folder."""
    root, port = scratch / "static", machine.free_port()
    shutil.copytree(files / "index" / USER, root / USER / "simple")
    for page in (root / USER / "simple").rglob("*.gz"):
        page.unlink()
    for environment in (BIG, NEEDY, name(0), name(1), name(2)):
        for url in app.wheel_urls(environment):
            file = root / "files" / url.partition("/files/")[2]
            file.parent.mkdir(parents=True)
            file.write_bytes(requests.get(url, timeout=20).content)
            metadata = requests.get(f"{url}.metadata", timeout=20).content
            file.with_name(f"{file.name}.metadata").write_bytes(metadata)
    nginx = _nginx(scratch / "nginx", STATIC.format(port=port, root=root), port)
    return Server("nginx static", f"http://127.0.0.1:{port}/{USER}/simple/", [nginx])


NGINX = """
daemon off; worker_processes 2; pid {home}/pid; error_log {home}/errors; {user}
events {{ worker_connections 1024; }}
http {{
    default_type application/octet-stream; access_log off; sendfile on; tcp_nopush on;
    keepalive_requests 1000000;
    client_body_temp_path {home}/body; proxy_temp_path {home}/proxied; fastcgi_temp_path {home}/f;
    uwsgi_temp_path {home}/u; scgi_temp_path {home}/s;
    {site}
}}
"""


def _nginx(home: Path, site: str, port: int) -> machine.Program:
    home.mkdir()
    config = home / "nginx.conf"
    user = "user root;" if os.geteuid() == 0 else ""  # the scratch folder is private
    config.write_text(NGINX.format(home=home, site=site, user=user))
    command = [shutil.which("nginx") or "/usr/sbin/nginx", "-p", str(home), "-c", str(config)]
    command += ["-e", str(home / "errors")]
    return machine.start(command, log=home / "log", port=port, environ=clean())


# --- the peers -------------------------------------------------------------------------------
def pypiserver(scratch: Path, material: Material, programs: Path) -> Server:
    """gunicorn with four workers and a password file, as its README recommends."""
    wheels, port = scratch / "pypiserver", machine.free_port()
    wheels.mkdir()
    for path in material.seed:
        shutil.copy(path, wheels)
    digest = base64.b64encode(hashlib.sha1(PASSWORD.encode()).digest()).decode()
    passwords = scratch / "htpasswd"
    passwords.write_text(f"{USER}:{{SHA}}{digest}\n")
    app = f"pypiserver:app(roots=['{wheels}'], password_file='{passwords}', disable_fallback=True)"
    command = [str(programs / "gunicorn"), "-w4", "-b", f"127.0.0.1:{port}", app]
    process = machine.start(command, log=scratch / "pypi.log", port=port, environ=clean())
    base = f"http://127.0.0.1:{port}/"
    server = Server("pypiserver", f"{base}simple/", [process], base, (USER, PASSWORD))
    server.serves_json = False
    return server


def devpi(scratch: Path, material: Material, programs: Path) -> Server:
    """One private index without bases, a login token for uploads."""
    home, port = scratch / "devpi", machine.free_port()
    subprocess.run(
        [programs / "devpi-init", "--serverdir", home, "--no-root-pypi", "--root-passwd", PASSWORD],
        env=clean(),
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    command = [str(programs / "devpi-server"), "--serverdir", str(home), "--port", str(port)]
    process = machine.start(command, log=scratch / "devpi.log", port=port, environ=clean())
    base = f"http://127.0.0.1:{port}"
    login = {"user": "root", "password": PASSWORD}
    token = requests.post(f"{base}/+login", json=login, timeout=120).json()["result"]["password"]
    secret = base64.b64encode(f"root:{token}".encode()).decode()
    server = Server("devpi", f"{base}/root/dev/+simple/", [process], f"{base}/root/dev/")
    server.headers = {"X-Devpi-Auth": secret}
    stage = {"type": "stage", "bases": [], "volatile": False}
    requests.put(
        f"{base}/root/dev", json=stage, headers=server.headers, timeout=120
    ).raise_for_status()
    for path in material.seed:
        post(server, path, form_of(path.read_bytes())).raise_for_status()
    return server


def post(server: Server, path: Path, form: dict[str, list[str]]) -> requests.Response:
    """Upload one wheel as twine does."""
    with path.open("rb") as file:
        return requests.post(
            server.upload,
            data=form,
            files={"content": (path.name, file)},
            auth=server.auth,
            headers=server.headers,
            timeout=120,
        )


def addresses(server: Server) -> dict[str, tuple[str, str, str]]:
    """Each kind of request: address, Accept header and another header."""
    page = f"{server.index}{name(0)}/"
    requests_by_kind = {
        "root index, HTML": (server.index, "text/html", ""),
        "environment, HTML": (page, "text/html", ""),
        "environment, JSON": (page, JSON, ""),
        "wheel of 100 KB": (server.wheel_urls()[0], "*/*", ""),
    }
    if not server.serves_json:
        del requests_by_kind["environment, JSON"]
    if server.label == "hub":
        etag = requests.get(page, headers={"Accept": JSON}, timeout=20).headers["ETag"]
        header = f"If-None-Match: {etag}"
        requests_by_kind["environment, JSON, cached (304)"] = (page, JSON, header)
    return requests_by_kind


def needy(server: Server) -> tuple[str, str]:
    """The requirement to install, and its index."""
    return NEEDY, server.index
