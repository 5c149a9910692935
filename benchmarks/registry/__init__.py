"""The registry measured: each module is one comparison, run by `python -m`; see README.md."""
