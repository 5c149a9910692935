"""`hub-runner doctor`: checks of all that a run needs. May import every package."""
