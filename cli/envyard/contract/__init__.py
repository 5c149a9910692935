"""What hub, runner and command line agree on: names, wheels, findings, job and report.

Imports the standard library and `packaging` only, so that a runner needs no server code and the
server needs no client code.
"""
