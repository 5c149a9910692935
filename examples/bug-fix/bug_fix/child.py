"""Runs a repository's code; started by path in a fresh interpreter, standard library only.

Reads one JSON request on stdin: {"mode": "calls", "calls": [[module, function, arguments], ...]} or
{"mode": "tests", "files": [...]}. Outcomes go as JSON to the file descriptor in argv[1]. What the
repository prints or writes there proves nothing: the caller compares values it keeps to itself.
"""

import json
import os
import resource
import sys
import traceback
from pathlib import Path

DENIED = (
    "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.kill",
    "os.symlink", "os.link", "os.chdir", "subprocess.Popen", "socket.", "ctypes.", "pty.spawn",
)  # fmt: skip
DENIED_MODULES = ("_posixsubprocess", "_ctypes", "ctypes")
LIMITS = {
    resource.RLIMIT_CPU: 5,
    resource.RLIMIT_AS: 512 << 20,
    resource.RLIMIT_FSIZE: 256 << 10,
    resource.RLIMIT_NOFILE: 64,
    resource.RLIMIT_CORE: 0,
}


def guard(folder: str) -> None:
    """Refuse files outside the repository and the standard library, processes and sockets.

    A second fence, not the first: the first is that nothing in here decides the reward.
    """
    roots = (folder + os.sep, os.path.realpath(Path(os.__file__).parent) + os.sep)
    fenced = ("open", "os.listdir", "os.scandir", "os.mkdir", "os.rename", "os.remove")
    real, denied, modules = os.path.realpath, DENIED, DENIED_MODULES

    def hook(event: str, arguments: tuple) -> None:
        if event.startswith(denied) or (event == "import" and arguments[0] in modules):
            raise PermissionError(f"{event} is not allowed here")
        if event in fenced and isinstance(arguments[0], (str, bytes)):
            path = real(os.fsdecode(arguments[0]))
            if path != folder and (not path.startswith(roots) or "site-packages" in path):
                raise PermissionError(f"{path} is outside the repository")

    sys.addaudithook(hook)


def run_calls(calls: list) -> list:
    """[["value", value]] or [["raises", name]] for each call."""
    outcomes = []
    for module, function, arguments in calls:
        try:
            value = getattr(__import__(module, fromlist=["_"]), function)(*arguments)
            outcomes.append(["value", json.loads(json.dumps(value))])
        except Exception as error:  # noqa: BLE001 - the repository's own errors are outcomes
            outcomes.append(["raises", type(error).__name__])
    return outcomes


def run_tests(files: list) -> list:
    """[[test, failure or None]] for every test function of the files."""
    outcomes = []
    for path in files:
        name = path.removesuffix(".py").replace("/", ".")
        try:
            module = __import__(name, fromlist=["_"])
        except Exception:  # noqa: BLE001 - as above
            outcomes.append([path, traceback.format_exc(limit=-3)])
            continue
        for test in [key for key in vars(module) if key.startswith("test_")]:
            try:
                getattr(module, test)()
                outcomes.append([test, None])
            except Exception:  # noqa: BLE001 - as above
                outcomes.append([test, traceback.format_exc(limit=-3)])
    return outcomes


def main() -> None:
    """Take the request, close the doors, run, and write the outcomes."""
    request = json.load(sys.stdin)
    out = int(sys.argv[1])
    for limit, value in LIMITS.items():
        hard = resource.getrlimit(limit)[1]
        lower = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (lower, lower))
    folder = os.path.realpath(Path.cwd())
    sys.path.append(folder)
    guard(folder)
    work = run_calls if request["mode"] == "calls" else run_tests
    outcomes = work(request.get("calls") or request.get("files") or [])
    os.write(out, json.dumps(outcomes).encode())


if __name__ == "__main__":
    main()
