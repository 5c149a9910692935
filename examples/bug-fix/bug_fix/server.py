"""The repository's tools: one server for all rollouts, each with its own files in its state."""

import asyncio

import verifiers.v1 as vf
from pydantic import Field

from bug_fix import judge, workspace


class RepositoryState(vf.State):
    """One rollout's repository and what was done to it; hidden tests are never in here."""

    files: dict[str, str] = Field(default_factory=dict)
    edits: int = 0
    test_runs: int = 0


class RepositoryToolset(vf.Toolset[vf.SharedToolsetConfig, RepositoryState]):
    """List, read, edit and test, offered by their bare names."""

    TOOL_PREFIX = None

    @vf.tool
    def list_files(self) -> str:
        """List the repository's files."""
        return "\n".join(sorted(self.state.files))

    @vf.tool
    def read_file(self, path: str) -> str:
        """Return the text of a file."""
        return workspace.read(self.state.files, path)

    @vf.tool
    def edit_file(self, path: str, old_text: str, new_text: str) -> str:
        """Replace old_text, which must occur exactly once in the file, by new_text."""
        message = workspace.edit(self.state.files, path, old_text, new_text)
        self.state.edits += not message.startswith("error:")
        return message

    @vf.tool
    async def run_tests(self) -> str:
        """Run the visible tests and return their results."""
        self.state.test_runs += 1
        return await asyncio.to_thread(judge.report, self.state.files)


if __name__ == "__main__":
    RepositoryToolset.run()
