"""Each error of a bubblewrap that may not start gets a next step, on each kind of kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from envyard_runner.sandbox.hints import remedy

DENIED = "bwrap: setting up uid map: Permission denied"
UBUNTU = "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted"
SPENT = (
    "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces "
    "exceeded (ENOSPC)"
)
DEBIAN = (
    "bwrap: No permissions to create new namespace, likely because the kernel does not allow "
    "non-privileged user namespaces."
)


def switches(folder: Path, **values: str) -> Path:
    """A /proc/sys of a kernel that has these and no others."""
    for name, value in values.items():
        file = folder / name.replace("__", "/")
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"{value}\n", encoding="ascii")
    return folder


@pytest.mark.parametrize(
    ("stderr", "values", "step"),
    [
        (DEBIAN, {"kernel__unprivileged_userns_clone": "0"}, "kernel.unprivileged_userns_clone=1"),
        (
            SPENT,
            {"user__max_user_namespaces": "0", "kernel__unprivileged_userns_clone": "1"},
            "sysctl -w user.max_user_namespaces=10000",
        ),
        (UBUNTU, {"kernel__apparmor_restrict_unprivileged_userns": "1"}, "AppArmor profile"),
        (DENIED, {"kernel__apparmor_restrict_unprivileged_userns": "1"}, "60-envyard.conf"),
        (DENIED, {"kernel__apparmor_restrict_unprivileged_userns": "0"}, "docker run"),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", {}, "systempaths"),
        ("bwrap: Unknown option --disable-userns", {}, "bubblewrap 0.8 or newer"),
        ("bwrap: Can't find source path /x: Permission denied", {}, "RUNNER_HOME"),
        ("bwrap: something else", {}, "hub-runner doctor"),
    ],
)
def test_the_switch_that_forbids_it_is_named(
    tmp_path: Path, stderr: str, values: dict[str, str], step: str
) -> None:
    assert step in remedy(stderr, switches(tmp_path, **values))
