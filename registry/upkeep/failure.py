"""The errors of backup and restore."""


class Failure(Exception):
    """The message is for the operator and names the next step."""


class Incomplete(Failure):
    """The copy was made and can be restored, but the hub lacks something itself."""
