"""How far environments by other people get: each is built, checked and run by a real runner.

`python -m tests.compatibility --help` lists the options. The sources are fetched when it runs and
are never part of this repository; rows of their data sets are made up by `rows`.
"""
