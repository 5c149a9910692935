"""Processes forked from one that has imported the framework, in place of sandboxes.

For environments that are trusted: a process has namespaces and a uid of its own, but the machine's
files, no filter of system calls and no hash seed of its own.
"""
