"""Long arithmetic that needs a calculator tool."""

from calculator_tools.taskset import CalculatorToolsTaskset

__all__ = ["CalculatorToolsTaskset"]
