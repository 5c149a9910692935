"""aiohttp in an environment's process reads HTTPS_PROXY, whenever and however it is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

GUEST = Path(__file__).parents[3] / "worker" / "envyard_runner" / "guest"
BEFORE = "import aiohttp\n"
PROGRAM = """
import asyncio, importlib, sys
sys.path.insert(0, {parent!r})
{before}
guest = importlib.import_module("guest.aiohttp_sessions")
context = importlib.import_module("guest.rollout_context")
guest.watch_imports()
import aiohttp

class Session(aiohttp.ClientSession):
    pass

async def main():
    for kind in (aiohttp.ClientSession, Session):
        async with kind() as session, kind(trust_env=False) as own:
            print(session.trust_env, own.trust_env)
    with context.rollout("word"):
        print(context.named_headers("https://api.openai.com/v1", {{"A": "b"}}))
        print(context.named_headers("https://api.exa.ai/v1", {{"A": "b"}}))
    print(context.named_headers("https://api.openai.com/v1", None))

asyncio.run(main())
print(aiohttp.client.__spec__.loader.__class__.__name__, len(sys.meta_path))
"""


@pytest.mark.parametrize("before", ["", BEFORE])
def test_sessions_read_the_proxy_unless_they_choose(before: str) -> None:
    program = PROGRAM.format(parent=str(GUEST.parent), before=before)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    first, second, judge, other, unnamed, loader = done.stdout.splitlines()
    assert first == second == "True False"
    assert judge == "[('A', 'b'), ('X-Rollout', 'word')]"
    assert (other, unnamed) == ("{'A': 'b'}", "None")
    assert loader.startswith("SourceFileLoader ")
