"""The models that this runner can reach just now, and their endpoints."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from envyard_runner.model.endpoint import Endpoint, EndpointError
from envyard_runner.model.state import watched

log = logging.getLogger(__name__)

CHECK_SECONDS = 1.0
ANSWER_SECONDS = 20.0


class NoModel(Exception):
    """The model cannot be reached from this machine; the message names what to do."""


class AvailableModels:
    """The models of this machine's watchers, and of the address in HUB_MODEL_URL.

    `only` is HUB_MODEL: the one name to take from that address, all that it lists where empty.
    `patience` is how many seconds a model may take for its first token.
    """

    def __init__(
        self,
        folder: Path,
        address: Endpoint | None = None,
        only: str = "",
        *,
        patience: float = ANSWER_SECONDS,
    ) -> None:
        self._folder, self._address, self._only = folder, address, only
        self._patience = patience
        self._complained = ""

    async def ready(self) -> dict[str, Endpoint]:
        """The endpoint of each model that answers."""
        endpoints = {
            state.name: state.endpoint for state in watched(self._folder) if state.phase == "ready"
        }
        if self._address is not None:
            endpoints |= dict.fromkeys(await self._listed(self._address), self._address)
        return endpoints

    async def find(
        self, name: str, *, seconds: float, log_line: Callable[[str], None] = log.info
    ) -> Endpoint:
        """The model's endpoint, waited for while it starts or hangs; raises NoModel.

        One token is requested: a server that hangs may still report good health.
        """
        loop = asyncio.get_running_loop()
        until, has_logged = loop.time() + seconds, False
        while True:
            if endpoint := (await self.ready()).get(name):
                with suppress(EndpointError):
                    await endpoint.answers(name, seconds=self._patience)
                    return endpoint
            if self._address is None and name not in [
                state.name for state in watched(self._folder)
            ]:
                raise NoModel(
                    f"this runner has no model {name!r}: start `hub-runner model --model ...` "
                    f"with --name {name} on its machine, or set HUB_MODEL_URL"
                )
            if loop.time() > until:
                raise NoModel(f"model {name!r} did not answer within {seconds:.0f} s")
            if not has_logged:
                log_line(f"waiting for model {name}, which does not answer")
                has_logged = True
            await asyncio.sleep(CHECK_SECONDS)

    async def _listed(self, address: Endpoint) -> list[str]:
        try:
            names = await address.names()
        except EndpointError as error:
            self._complain(str(error))
            return []
        if self._only and self._only not in names:
            self._complain(
                f"HUB_MODEL={self._only} is not served at HUB_MODEL_URL={address.url}, "
                f"which lists {', '.join(names) or 'nothing'}"
            )
            return []
        self._complained = ""
        return [self._only] if self._only else names

    def _complain(self, why: str) -> None:
        if why != self._complained:
            log.warning("%s", why)
        self._complained = why
