"""Answer, be asked whether you are sure, answer again."""

from double_check.env import DoubleCheckEnv
from double_check.taskset import DoubleCheckTaskset

__all__ = ["DoubleCheckEnv", "DoubleCheckTaskset"]
