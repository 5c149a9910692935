"""Tests of settings, supervisor, readiness, web worker and commands of the hub."""
