"""The programs in the sandbox beside the environment: the standard library and the framework only.

These files are mounted read-only at /inside and started as `python /inside/main.py`; the hub's own
packages do not exist there, so nothing in here imports them.
"""
