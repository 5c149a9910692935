"""Targets for the fuzzer, and what holds them to the default run of the tests."""
