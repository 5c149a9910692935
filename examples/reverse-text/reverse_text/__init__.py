"""Reverse a short text character by character."""

from reverse_text.taskset import ReverseTextTaskset

__all__ = ["ReverseTextTaskset"]
