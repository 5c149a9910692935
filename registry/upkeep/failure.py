"""Why a backup cannot be made, or not be brought back."""


class Failure(Exception):
    """The message is for the operator and says what to do."""
