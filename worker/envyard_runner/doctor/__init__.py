"""`hub-runner doctor`: checks of all that a run needs. May import everything but cli and status."""
