"""The statements by which the probe `tamper` overwrites the tables of tools that execute SQL."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from envyard_runner.probing.probes import REPLIES, ProbeCall
from envyard_runner.probing.sql_calls import sql_tools

TEXT = {"type": "string"}
TABLE = "CREATE TABLE orders (id INTEGER PRIMARY KEY, product TEXT, price NUMERIC(10, 2), qty INT)"
TOTAL = "SELECT COALESCE(SUM(qty), 0) FROM orders"
FIRST = "SELECT product FROM orders ORDER BY qty LIMIT 1"


def tool(name: str, description: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": [*properties]}
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


RUN = tool("execute_sql", "The table is orders(id, product, price, qty).", query=TEXT)


def database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute(TABLE)
    rows = [(n, f"anvil {n}", 2.5, n) for n in range(1, 5)]
    connection.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)", rows)
    return connection


def play(execute: Callable[[str], str], right: str, tools: list[Any]) -> str:
    """The last reply of `tamper` where its calls are executed, errors too, as frameworks do."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "How many were ordered?"}]
    reference = {"role": "assistant", "content": right}
    while True:
        call = ProbeCall(messages, tools, None, random.Random(1), 512, reference)
        reply = REPLIES["tamper"](call)
        if not reply.get("tool_calls"):
            return str(reply["content"])
        messages.append(reply)
        for each in reply["tool_calls"]:
            try:
                result = execute(next(iter(json.loads(each["function"]["arguments"]).values())))
            except sqlite3.Error as error:
                result = f"error: {error}"
            messages.append({"role": "tool", "tool_call_id": each["id"], "content": result})


def executing(connection: sqlite3.Connection) -> Callable[[str], str]:
    return lambda query: "\n".join(map(str, connection.execute(query).fetchall())) or "(no rows)"


@pytest.mark.parametrize(
    ("right", "query", "form"),
    [("10", TOTAL, "{}"), ("<answer>10</answer>", TOTAL, "<answer>{}</answer>"),
     ("anvil 1", FIRST, "{}")],
)  # fmt: skip
def test_the_reply_is_what_the_overwritten_rows_give(right: str, query: str, form: str) -> None:
    connection = database()
    reply = play(executing(connection), right, [RUN])
    assert reply == form.format(connection.execute(query).fetchone()[0])
    assert reply != right


def test_a_database_that_only_reads_and_copies_stay_as_they_are() -> None:
    connection = database()
    connection.execute("PRAGMA query_only = ON")
    assert play(executing(connection), "10", [RUN]) == "0"
    assert connection.execute(TOTAL).fetchone() == (10,)

    def on_a_copy(query: str) -> str:
        copy = sqlite3.connect(":memory:", isolation_level=None)
        connection.backup(copy)
        return executing(copy)(query)

    assert play(on_a_copy, "10", [RUN]) == "0"
    assert connection.execute(TOTAL).fetchone() == (10,)


def test_tables_of_another_database_are_those_of_the_description() -> None:
    statements: list[str] = []

    def execute(query: str) -> str:
        statements.append(query)
        return "error: no such table" if "master" in query or "schema" in query else "0"

    play(execute, "10", [RUN])
    assert statements[2:] == ["DELETE FROM orders"]


def test_an_answer_that_the_overwritten_rows_give_too_shows_nothing() -> None:
    connection = database()
    for right in ("0", "0.0", ""):
        assert play(executing(connection), right, [RUN]) == ""
    assert connection.execute(TOTAL).fetchone() == (10,)


def test_tools_that_execute_sql_are_told_by_their_name_or_description() -> None:
    other = tool("search", "Search the catalogue.", query=TEXT)
    described = tool("ask", "Run one SQL statement.", statement=TEXT)
    nameless = tool("database", "Describe the SQL tables.", table=TEXT)
    odd: list[dict[str, Any]] = [{}, {"function": None}, {"function": {"name": "sql"}}]
    assert sql_tools([other, RUN, described, nameless, *odd]) == [
        ("execute_sql", "query"), ("ask", "statement"),
    ]  # fmt: skip
