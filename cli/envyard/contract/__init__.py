"""What hub, runner and command share: names, wheel checks, findings, jobs and runner events.

May import the standard library and `packaging` only, so that a runner needs no server code and the
server needs no client code.
"""
