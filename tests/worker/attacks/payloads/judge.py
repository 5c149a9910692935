"""Tries to make the judge's routes serve anything but judge calls, and to spend without end."""

# ruff: noqa
# mypy: ignore-errors

import json
import os
import socket
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor

done = threading.Lock()
GATEWAY = ("127.0.0.1", 8000)
QUESTION = {"messages": [{"role": "user", "content": "right?"}]}


def send(method, path, body=b"", headers=()):
    """The status and the body of the answer to a request as it is written."""
    lines = [f"{method} {path} HTTP/1.1", "Host: x", f"Content-Length: {len(body)}", *headers]
    with socket.create_connection(GATEWAY, 60) as opened:
        opened.sendall("\r\n".join([*lines, "Connection: close", "", ""]).encode() + body)
        answer = b""
        while part := opened.recv(1 << 16):
            answer += part
    status = int(answer.split()[1])
    if status != 200:
        raise PermissionError(f"{status} {answer[-300:]!r}")
    return answer.decode()


def ask(body=QUESTION, path="/v1/chat/completions", **fields):
    return send("POST", path, json.dumps(body | fields).encode())


def flood():
    """How many of many calls at once were answered."""
    answered = 0

    def call(_):
        try:
            ask()
            return 1
        except Exception:
            return 0

    with ThreadPoolExecutor(16) as pool:
        return sum(pool.map(call, range(200)))


def image(url):
    part = {"type": "image_url", "image_url": {"url": url}}
    return ask({"messages": [{"role": "user", "content": [part]}]})


attempts = {
    "plan by another path": lambda: send("POST", "/v1/../plan"),
    "a rollout that is none": lambda: ask(path="/rollouts/0123456789abcdef/v1/chat/completions"),
    "doubled slashes": lambda: ask(path="//rollouts//x//v1/responses"),
    "an absolute address": lambda: ask(path="http://169.254.169.254/latest/meta-data"),
    "another method": lambda: send("CONNECT", "169.254.169.254:80"),
    "an image to be fetched": lambda: image("http://169.254.169.254/latest"),
    "a file to be read": lambda: image("file:///etc/passwd"),
    "a body over the bound": lambda: send(
        "POST", "/v1/chat/completions", b'{"messages": "' + b"a" * (5 << 20) + b'"}'
    ),
    "nesting": lambda: send("POST", "/v1/responses", b'{"input": ' + b"[" * 200_000),
    "several verdicts": lambda: ask(n=8),
}


def once():
    """Make every attempt."""
    if not done.acquire(blocking=False):
        return
    for name, attempt in attempts.items():
        try:
            print(f"TRIED {name} = REACHED: {attempt()!r}")
        except Exception as error:
            print(f"TRIED {name} = refused: {type(error).__name__}: {error}")
    for name, call in {
        "own choice": lambda: ask(
            model="gpt-5", temperature=2, seed=9, max_tokens=10**9, best_of=9
        ),
        "models": lambda: send("GET", "/v1/models"),
        "flood": flood,
        "variables": lambda: json.dumps(dict(os.environ)),
    }.items():
        try:
            print(f"TRIED {name} = {call()!r}")
        except Exception as error:
            print(f"TRIED {name} = failed: {type(error).__name__}: {error}")
