"""What the attempts share: the table they are listed in, the host's facts and the C library."""

# ruff: noqa
# mypy: ignore-errors

import ctypes
import json
import os
import subprocess
import sys

HOST = json.loads("""@HOST@""")
GATEWAY = "http://127.0.0.1:8000"
libc = ctypes.CDLL(None, use_errno=True)
attempts = {}


def attempt(name):
    def register(function):
        attempts[name] = function
        return function

    return register


def called(name, *arguments):
    answer = getattr(libc, name)(*arguments)
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return f"answered {answer}"


def need(answer):
    if not answer:
        raise PermissionError("nothing")
    return answer


def succeeded(answer):
    """The answer, which proves that the call was not refused."""
    return answer or "done"


def in_a_child(code):
    """The output of a child process that runs code that may kill it."""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return need(ended.returncode == 0 and ended.stdout)
