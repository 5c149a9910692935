"""Envyard's command line and client library: publish, find, install and pin RL environments."""

__version__ = "0.1.0"
