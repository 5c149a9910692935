"""Make aiohttp's sessions read the proxy's address, as all other clients do by themselves.

`trust_env` is off by default in aiohttp alone. The module is changed as it is imported, whenever
that is; a session that sets `trust_env` itself keeps its choice.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from .rollout_context import named_headers

MODULE = "aiohttp.client"


def watch_imports() -> None:
    """Change aiohttp once it is imported, or now if it was."""
    if MODULE in sys.modules:
        _change(sys.modules[MODULE])
    else:
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    """Finds aiohttp's module where it would be found otherwise, once."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != MODULE:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(Loader):
    """Loads the module as its own loader does, then changes it."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _change(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


def _change(module: ModuleType) -> None:
    session = module.ClientSession
    start, send = session.__init__, session._request

    @functools.wraps(start)
    def trusting(self: Any, *args: Any, **options: Any) -> None:
        start(self, *args, **({"trust_env": True} | options))

    @functools.wraps(send)
    async def named(self: Any, method: str, url: Any, **options: Any) -> Any:
        options["headers"] = named_headers(str(url), options.get("headers"))
        return await send(self, method, url, **options)

    session.__init__, session._request = trusting, named
