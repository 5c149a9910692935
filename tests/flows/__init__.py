"""Tests of whole paths through the processes of a real hub."""
