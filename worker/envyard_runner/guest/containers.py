"""Container images that an environment needs: reported to the runner, which starts none, and
refused.

Sources: prime-sandboxes 0.2.42, models and sandbox; prime-tunnel 0.1.15; verifiers 0.4.0, the
runtimes of v1.
"""

from __future__ import annotations

import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

UNNAMED = "container"  # where a container is needed and no image is named
REFUSED = "this runner starts no container images"

report: Callable[[str], None] = lambda _image: None  # noqa: E731  (the worker sets it)


def need(image: Any) -> None:
    """Report that a container of this image is needed; an image without a name has a stand-in."""
    report(image if isinstance(image, str) and image else UNNAMED)


class AfterImport:
    """A finder for sys.meta_path that runs an action after each import of certain modules."""

    def __init__(self, actions: dict[str, Callable[[ModuleType], None]]) -> None:
        self.actions = actions

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The module's usual spec, with a loader that runs its action last."""
        action = self.actions.get(name)
        if action is None:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_act(module: ModuleType) -> None:
            execute(module)
            action(module)

        spec.loader.exec_module = execute_and_act  # type: ignore[method-assign]
        return spec


def watch_sandbox_clients() -> None:
    """Have the clients of Prime's sandboxes, and of the tunnels by which those reach this process,
    report and refuse, whenever they are imported."""
    actions = {
        "prime_sandboxes.models": _repair_models,
        "prime_sandboxes.sandbox": _refuse_create,
        "prime_tunnel.tunnel": _refuse_start,
    }
    sys.meta_path.insert(0, AfterImport(actions))


def _repair_models(models: ModuleType) -> None:
    """Make `vm=False` the default: classic environments request containers and do not say so, which
    this client refuses before it sends anything."""
    request = models.CreateSandboxRequest
    field = request.model_fields.get("vm")
    if field is not None and field.default is None:
        field.default = False
        request.model_rebuild(force=True)


def _refuse_create(sandbox: Any) -> None:
    """Replace the calls that create a sandbox: no key is needed, and none leaves this process."""

    def create(_client: Any, request: Any, *_args: Any, **_kwargs: Any) -> Any:
        need(getattr(request, "docker_image", None))
        raise sandbox.APIError(REFUSED)

    async def create_async(_client: Any, request: Any, *_args: Any, **_kwargs: Any) -> Any:
        create(_client, request)

    sandbox.SandboxClient.create = create
    sandbox.AsyncSandboxClient.create = create_async


def _refuse_start(tunnel: Any) -> None:
    """Replace the start of a tunnel, which would download a program and needs an account: an
    environment opens it before it creates the sandbox that uses it."""

    async def start(_tunnel: Any) -> str:
        need(UNNAMED)
        raise tunnel.TunnelError(REFUSED)

    tunnel.Tunnel.start = start


def refuse_runtimes(runtimes: ModuleType, error: type[Exception]) -> None:
    """Make every runtime of verifiers v1 but the subprocess one report its image and refuse."""

    async def start(runtime: Any) -> None:
        need(getattr(runtime.config, "image", None))
        raise error(REFUSED)

    started_here = (runtimes.Runtime, runtimes.SubprocessRuntime)
    kinds: list[Any] = [kind for kind in vars(runtimes).values() if isinstance(kind, type)]
    for kind in kinds:
        if issubclass(kind, runtimes.Runtime) and kind not in started_here:
            kind.start = start
