"""The programs in the sandbox beside the environment: the standard library and the framework only.

A sandbox gets those that its program needs, as a package of another name in each sandbox; the hub's
own packages do not exist there, so nothing in here imports them.
"""
