"""Why a backup cannot be made, or not be brought back."""


class Failure(Exception):
    """The message is for the operator and says what to do."""


class Incomplete(Failure):
    """The copy was made and can be restored, but the hub lacks something itself."""
