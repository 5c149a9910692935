"""Misuses the gateway, the events channel, the log and the clocks."""

# ruff: noqa
# mypy: ignore-errors

import glob
import json
import os
import socket
import time
import urllib.error
import urllib.request

from .common import GATEWAY, HOST, attempt, need


@attempt("symlinks: out of the outputs")
def _():
    for number, target in enumerate((HOST["secret"], "/etc/shadow", HOST["runs"])):
        os.symlink(target, f"/tmp/log{number}")
    return open("/tmp/log0").read()


def rollouts():
    """The names of the rollouts that are being played: nothing else names any."""
    import gc

    return [each.id for each in gc.get_objects() if type(each).__name__ == "Rollout"]


def config():
    (path,) = glob.glob("/app/*/config.json")
    return open(path).read()


@attempt("policy: named anywhere inside")
def _():
    visible_text = config() + json.dumps(rollouts()) + json.dumps(dict(os.environ))
    visible_text += (
        urllib.request.urlopen(f"{GATEWAY}/rollouts/{rollouts()[0]}/v1/models").read().decode()
    )
    return need(
        [p for p in ("silent", "parrot", "oracle", "swapped", "probe") if p in visible_text]
    )


def status_of(rollout, body):
    request = urllib.request.Request(f"{GATEWAY}/rollouts/{rollout}/v1/chat/completions", body)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


HELLO = json.dumps({"messages": [{"role": "user", "content": "hello"}]}).encode()


@attempt("gateway: more calls than a rollout may make")
def _():
    codes = [status_of(rollouts()[0], HELLO) for _ in range(HOST["calls"] + 20)]
    return need(codes[-1] == 200)


@attempt("gateway: a prompt without end")
def _():
    return need(status_of(rollouts()[0], HELLO.replace(b"hello", b"x" * (5 << 20))) == 200)


@attempt("gateway: json that nests without end")
def _():
    return need(status_of(rollouts()[0], b'{"messages": ' + b"[" * 100_000) == 200)


@attempt("gateway: json that is none")
def _():
    return need(status_of(rollouts()[0], b"\xff\xfe{}") == 200)


@attempt("gateway: slow clients that keep everybody else out")
def _():
    slow = [socket.create_connection(("127.0.0.1", 8000)) for _ in range(100)]
    for entry in slow:
        entry.send(b"POST /v1/chat/completions HTTP/1.1\r\nContent-Le")
    try:
        return need(status_of("oracle/0/0", HELLO) == 200)
    finally:
        for entry in slow:
            entry.close()


@attempt("gateway: another policy's address")
def _():
    return need(status_of("oracle/0/0", HELLO) == 200 or status_of("..%2fv1", HELLO) == 200)


@attempt("gateway: the models of the host behind it")
def _():
    request = urllib.request.Request(f"{GATEWAY}/v1/models", headers={"Host": "localhost:8001"})
    models = json.load(urllib.request.urlopen(request))["data"]
    return need([model["id"] for model in models if model["id"] != "judge"])


CALM = {"event": "rollout", "ok": True, "reward": 1.0, "seconds": 0.0}


@attempt("events: forged")
def _():
    lines = [
        {**CALM, "rollout": "model/0/0"},
        {**CALM, "rollout": "oracle/1/0"},
        {"event": "loaded", "tasks": []},
        {"event": "listed"},
        {"event": "done"},
    ]
    texts = [*map(json.dumps, lines), "x" * 700_000, "[" * 5000, '{"event": NaN']
    with open("/proc/self/cmdline") as file:
        channel = int(file.read().split("\0")[-2])
    os.write(channel, "".join(f"{text}\n" for text in texts).encode())
    raise PermissionError("told outside")


@attempt("log: escape codes")
def _():
    print("\x1b[2J\x1b]0;owned\x07\x9b31m\r\x00end")
    raise PermissionError("told outside")


@attempt("time: clocks that stand still")
def _():
    time.monotonic = time.time = lambda: 0.0
    raise PermissionError("told outside")
