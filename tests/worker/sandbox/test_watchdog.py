"""What a tree of processes uses, read from /proc in either of two ways."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from envyard_runner.sandbox import watchdog

TREE = """
import subprocess, sys, threading, time
x = bytearray(50 << 20)
code = "import time; x = bytearray(30 << 20); print(flush=True); time.sleep(60)"
sleep = [sys.executable, "-c", code]
children = []
def start():
    children.append(subprocess.Popen(sleep, stdout=-1))
thread = threading.Thread(target=lambda: (start(), time.sleep(60)), daemon=True)
thread.start()
start()
while len(children) < 2: time.sleep(0.01)
for child in children: child.stdout.readline()
print(*(child.pid for child in children), flush=True)
try:
    time.sleep(60)
finally:
    for child in children: child.kill()
"""


def test_both_ways_find_the_children_of_every_thread_and_sum_their_memory() -> None:
    with subprocess.Popen([sys.executable, "-c", TREE], stdout=-1, text=True) as process:
        assert process.stdout is not None
        expected = {process.pid, *map(int, process.stdout.readline().split())}
        try:
            assert watchdog._walk(process.pid) == expected
            assert watchdog._scan(process.pid) == expected
            usage = watchdog.measure(process.pid)
            assert usage.resident_bytes > 110 << 20
            assert 100 << 20 < watchdog.proportional_bytes(usage.pids) < usage.resident_bytes
            assert usage.cpu_seconds > 0
        finally:
            for pid in expected:
                os.kill(pid, 9)


def test_a_process_that_ended_has_no_usage_and_no_start_time() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert watchdog.start_time(process.pid) is None
    usage = watchdog.measure(process.pid)
    assert (usage.resident_bytes, usage.cpu_seconds) == (0, 0)


def test_a_start_time_stays_the_same() -> None:
    first = watchdog.start_time(os.getpid())
    time.sleep(0.02)
    assert first == watchdog.start_time(os.getpid())
