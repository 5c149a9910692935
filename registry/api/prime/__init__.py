"""The paths that the stock `prime` command calls. May import what the API may."""
