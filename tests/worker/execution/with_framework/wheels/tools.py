"""A tool server a rollout, with a state that its task's reward reads."""

# ruff: noqa
# mypy: ignore-errors

import verifiers.v1 as vf


class AtlasState(vf.State):
    question_count: int = 0


class Atlas(vf.Toolset[vf.ToolsetConfig, AtlasState]):
    TOOL_PREFIX = "atlas"

    @vf.tool
    def capital(self, country: str) -> str:
        """The capital of a country."""
        self.state.question_count += 1
        return "Oslo"


if __name__ == "__main__":
    Atlas.run()
