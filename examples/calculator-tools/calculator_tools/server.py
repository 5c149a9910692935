"""The calculator as one tool server, shared by every rollout: it keeps no state."""

import verifiers.v1 as vf

from calculator_tools.arithmetic import compute


def answer(operation: str, a: int, b: int) -> str:
    """The result as text, or a sentence the policy can act on."""
    try:
        return str(compute(operation, a, b))
    except ValueError as error:
        return f"error: {error}"


class CalculatorToolset(vf.Toolset[vf.SharedToolsetConfig]):
    """Five whole-number operations, offered by their bare names."""

    TOOL_PREFIX = None

    @vf.tool
    def add(self, a: int, b: int) -> str:
        """Return a + b."""
        return answer("add", a, b)

    @vf.tool
    def subtract(self, a: int, b: int) -> str:
        """Return a - b."""
        return answer("subtract", a, b)

    @vf.tool
    def multiply(self, a: int, b: int) -> str:
        """Return a * b."""
        return answer("multiply", a, b)

    @vf.tool
    def divide(self, a: int, b: int) -> str:
        """Return the whole-number quotient of a / b, rounded down."""
        return answer("divide", a, b)

    @vf.tool
    def remainder(self, a: int, b: int) -> str:
        """Return what is left of a after dividing it by b, rounded down."""
        return answer("remainder", a, b)


if __name__ == "__main__":
    CalculatorToolset.run()
