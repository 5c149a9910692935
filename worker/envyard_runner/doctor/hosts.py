"""Check of the proxy: can a name be looked up, and a public host be reached?"""

from __future__ import annotations

from collections.abc import Callable

from envyard_runner.config import Config
from envyard_runner.doctor.check import CheckFailed
from envyard_runner.proxy.outside import Outside
from envyard_runner.proxy.refused import Refused
from envyard_runner.proxy.transfer import close

# Any of these will do: they are reached, and nothing is sent.
HOSTS = ("pypi.org", "huggingface.co", "example.com")
NEXT = (
    "runs that need approved hosts fail here: give the runner a resolver and a route to port 443, "
    "or unset RUNNER_HOSTS"
)


async def check_hosts(config: Config, outside: Callable[[], Outside] = Outside) -> str:
    """Connect to a well-known host as the proxy of a run does; raises CheckFailed."""
    if not config.hosts_allowed:
        return "runs reach no hosts through this runner (RUNNER_HOSTS=yes allows approved ones)"
    network = outside()
    failures = []
    try:
        for host in HOSTS:
            try:
                await close(await network.connect(host))
            except Refused as error:
                failures.append(f"{host}: {error}")
            else:
                return f"{host} was looked up and reached; runs reach what the hub approves"
    finally:
        network.close()
    raise CheckFailed(f"{'; '.join(failures)}; {NEXT}")
