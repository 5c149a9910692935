"""Management commands: each parses options, calls one service and prints. May import every
slice."""
