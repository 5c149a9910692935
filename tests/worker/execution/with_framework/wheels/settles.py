"""Honest, and takes what there is only one of: a folder, a database, a port, a name, a process."""

# ruff: noqa
# mypy: ignore-errors

import os
import socket
import sqlite3

import verifiers.v1 as vf

os.mkdir("/tmp/cache")
os.mkdir("/dev/shm/cache")
words = sqlite3.connect("/tmp/cache/words.db", check_same_thread=False)
words.execute("create table words (word text)")
words.executemany("insert into words values (?)", [("one",), ("two",), ("three",)])
words.commit()
counter = socket.create_server(("127.0.0.1", 21480))
named = socket.socket(socket.AF_UNIX)
named.bind("\0counter")
if os.fork() == 0:  # a server of its own that outlives who started it
    os.setsid()
    if os.fork() == 0:
        while True:
            counter.accept()[0].close()
    os._exit(0)
os.wait()


class SettlesTask(vf.Task[vf.TaskData]):
    @vf.reward
    async def behaviour(self, trace: vf.Trace) -> float:
        socket.create_connection(("127.0.0.1", 21480)).close()
        known = words.execute("select count(*) from words where word = ?", (self.data.name,))
        return known.fetchone()[0] / 2


class SettlesTaskset(vf.Taskset[SettlesTask, vf.TasksetConfig]):
    def load(self):
        rows = [word for (word,) in words.execute("select word from words order by word")]
        return [SettlesTask(vf.TaskData(name=word, prompt=word), self.config.task) for word in rows]


__all__ = ["SettlesTaskset"]
