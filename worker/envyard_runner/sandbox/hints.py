"""What to change if bubblewrap does not start, by its message and the kernel's switches."""

from __future__ import annotations

import contextlib
from pathlib import Path

SYSCTL = Path("/proc/sys")
# Name, the value that forbids namespaces to users without rights, the one that allows them.
SWITCHES = (
    ("kernel.unprivileged_userns_clone", "0", "1"),
    ("user.max_user_namespaces", "0", "10000"),
    ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
)
CONTAINER = (
    "in a container its keeper must allow namespaces: docker run --security-opt seccomp=unconfined "
    "--security-opt apparmor=unconfined --security-opt systempaths=unconfined"
)
STEPS = {
    "source path": "that path must be reachable by every user; see RUNNER_HOME, RUNNER_PYTHON",
    "nknown option": "bubblewrap 0.8 or newer is needed: apt-get install bubblewrap",
}
REFUSED = ("ermission", "ermitted", "namespace")


def remedy(message: str, sysctl: Path = SYSCTL) -> str:
    """The next step after this message of bubblewrap; `sysctl` is the folder of the switches."""
    for part, step in STEPS.items():
        if part in message:
            return step
    if not any(part in message for part in REFUSED):
        return "run hub-runner doctor"
    for name, forbids, allows in SWITCHES:
        with contextlib.suppress(OSError):
            if (sysctl / name.replace(".", "/")).read_text(encoding="ascii").strip() == forbids:
                return (
                    f"allow user namespaces: {name} is {forbids}; sysctl -w {name}={allows}, and "
                    f"write the same into /etc/sysctl.d/60-envyard.conf{_narrower(name)}"
                )
    return CONTAINER


def _narrower(name: str) -> str:
    """Ubuntu can allow it to one program: what its own profiles do for browsers."""
    return (
        " (or allow it to bubblewrap alone, by an AppArmor profile with `userns,`)"
        if "apparmor" in name
        else ""
    )
