"""Tries to reach by the proxy what nobody approved, and more than the run may."""

# ruff: noqa
# mypy: ignore-errors

import os
import socket
import ssl
import threading
import time
from urllib.parse import urlsplit

done = threading.Lock()
HOST = "api.exa.ai"
OPEN = 200  # connections at once, more than a sandbox has


def send(text):
    """A connection to the proxy after a request as it is written; raises where it is refused."""
    address = urlsplit(os.environ["HTTPS_PROXY"])
    opened = socket.create_connection((address.hostname, address.port), 60)
    opened.sendall(text.encode())
    answer = b""
    while b"\r\n\r\n" not in answer and (part := opened.recv(4096)):
        answer += part
    if not answer.startswith(b"HTTP/1.1 200 "):
        opened.close()
        raise PermissionError(answer.decode(errors="replace")[-200:].strip())
    return opened


def connect(target):
    return send(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n")


def hello(target, name):
    """An answer to a ClientHello for that name."""
    context = ssl._create_unverified_context()
    with connect(target) as opened, context.wrap_socket(opened, server_hostname=name) as tls:
        tls.sendall(b"x")
        return tls.recv(1)


def after_the_crowd():
    """A connection once those of the crowd are closed."""
    for _ in range(600):
        try:
            return connect(f"{HOST}:443")
        except PermissionError as error:
            if "too many" not in str(error):
                raise
            time.sleep(0.1)


def crowd():
    """Open connections without closing any, until one is refused."""
    opened = []
    try:
        for _ in range(OPEN):
            opened.append(connect(f"{HOST}:443"))
    except PermissionError as error:
        print(f"TRIED opened = {len(opened)}")
        raise
    finally:
        for each in opened:
            each.close()


def spend():
    """Exchange bytes without end."""
    context, spent = ssl._create_unverified_context(), 0
    try:
        with after_the_crowd() as opened, context.wrap_socket(opened, server_hostname=HOST) as tls:
            while True:
                tls.sendall(b"x" * 16384)
                received = 0
                while received < 16384:
                    part = tls.recv(16384)
                    if not part:
                        raise ConnectionError("closed")
                    received += len(part)
                spent += 2 * 16384
    except (ConnectionError, ssl.SSLError):
        print(f"TRIED spent = {spent}")
    return hello(f"{HOST}:443", HOST)


attempts = {
    "another port": lambda: connect(f"{HOST}:80"),
    "no port": lambda: connect(HOST),
    "an address": lambda: connect("93.184.216.34:443"),
    "metadata": lambda: connect("169.254.169.254:443"),
    "ipv6": lambda: connect("[::1]:443"),
    "decimal": lambda: connect("2130706433:443"),
    "localhost": lambda: connect("localhost:443"),
    "a private name": lambda: connect("private.exa.ai:443"),
    "one private address of two": lambda: connect("mixed.exa.ai:443"),
    "not approved": lambda: connect("evil.example.org:443"),
    "a name in front": lambda: connect(f"{HOST}.evil.example.org:443"),
    "user name": lambda: connect(f"{HOST}@evil.example.org:443"),
    "another server name": lambda: hello(f"{HOST}:443", "evil.example.org"),
    "no server name": lambda: hello(f"{HOST}:443", None),
    "plain get": lambda: send(f"GET http://{HOST}/ HTTP/1.1\r\nHost: {HOST}\r\n\r\n"),
    "plain get of an address": lambda: send("GET http://10.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n"),
    "crowd": crowd,
    "spend": spend,
}


def once():
    """Make every attempt and print how it ended."""
    if not done.acquire(blocking=False):
        return
    print(f"TRIED approved = {hello(f'{HOST}:443', HOST)!r}")
    for _ in range(2):  # the resolver's second answer is a private address
        print(f"TRIED rebound = {hello('rebind.exa.ai:443', 'rebind.exa.ai')!r}")
    for name, attempt in attempts.items():
        try:
            how = f"REACHED: {attempt()!r}"
        except Exception as error:
            how = f"refused: {type(error).__name__} {error}"
        print(f"TRIED {name} = {' '.join(how.split())[:300]}")
