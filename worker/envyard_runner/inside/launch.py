"""First program in the sandbox: opens the gateway's door, takes its limits, becomes the program.

Started as `python -I -S launch.py CONTROL_FD EVENTS_FD RLIMITS -- PROGRAM...`, so that no code of
the venv runs here. It listens on 127.0.0.1:8000 in the sandbox's own network, hands the listening
descriptor out over the control socket and keeps no copy, so nothing in the sandbox can close,
steal or kill the door.
It then waits for one byte: the runner sets up the limits it holds from outside before sending it.
"""

import os
import resource
import socket
import sys

DOOR = ("127.0.0.1", 8000)


def main(control_fd: int, events_fd: int, limits: str, program: list[str]) -> None:
    """Hand out the door, set the limits, exec the program; never returns."""
    control = socket.socket(fileno=control_fd)
    with socket.socket() as door:
        door.bind(DOOR)
        door.listen(128)
        socket.send_fds(control, [b"L"], [door.fileno()])
    if control.recv(1) != b"g":
        sys.exit("the runner went away before the program was started")
    control.close()
    os.closerange(3, events_fd)
    os.closerange(events_fd + 1, 1 << 16)
    for limit in limits.split(","):
        name, value = limit.split("=")
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (int(value), int(value)))
    os.execvp(program[0], program)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[5:])
