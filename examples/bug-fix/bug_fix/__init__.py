"""Repair a small broken repository with file and test tools."""

from bug_fix.taskset import BugFixTaskset

__all__ = ["BugFixTaskset"]
