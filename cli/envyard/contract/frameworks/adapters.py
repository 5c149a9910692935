"""The registry of adapters: the framework APIs that this hub can detect and run."""

from __future__ import annotations

from envyard.contract.frameworks.adapter import Adapter
from envyard.contract.frameworks.verifiers import VERIFIERS

# By framework and API; detection takes the first that recognises a module.
ADAPTERS: dict[tuple[str, str], Adapter] = {
    (adapter.framework, adapter.api): adapter for adapter in (*VERIFIERS,)
}
FRAMEWORKS = tuple(dict.fromkeys(adapter.framework for adapter in ADAPTERS.values()))
ENTRY_FUNCTIONS = tuple(
    dict.fromkeys(adapter.entry_function for adapter in ADAPTERS.values() if adapter.entry_function)
)
ENTRIES = ", or ".join(adapter.entry_description for adapter in ADAPTERS.values())
RUNS_WITH = f"Runs use {' and '.join(adapter.runs_with for adapter in ADAPTERS.values())}"


def adapters_of(framework: str) -> list[Adapter]:
    """The adapters of all APIs of that framework."""
    return [adapter for adapter in ADAPTERS.values() if adapter.framework == framework]
