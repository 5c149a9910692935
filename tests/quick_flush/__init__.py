"""A Django app of the tests' settings: its `flush` command replaces Django's."""
