"""The policy answers, a scripted user doubts the answer, the policy answers again."""

from double_check.env import DoubleCheckEnv
from double_check.taskset import DoubleCheckTaskset

__all__ = ["DoubleCheckEnv", "DoubleCheckTaskset"]
