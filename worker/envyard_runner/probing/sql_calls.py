"""Calls of tools that execute SQL: list the tables, then overwrite their rows.

A verifier that computes the right answer from the same tables then accepts another one. Statements
follow SQLite, whose table `sqlite_master` holds the schema; others have `information_schema`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

Message = dict[str, Any]

OVERWRITTEN = "zqx"  # in every text column
MAX_TABLES = 3
MAX_COLUMNS = 12
SQL = re.compile(r"sql|duckdb", re.IGNORECASE)
STATEMENT = re.compile(r"sql|query|statement|command", re.IGNORECASE)
SCHEMA = (
    "SELECT name, sql FROM sqlite_master WHERE type = 'table'",
    "SELECT table_name, column_name, data_type FROM information_schema.columns",
)
# `orders(id, product, qty)` of a description, `CREATE TABLE orders (id INTEGER, ...)` of a schema.
TABLE = re.compile(
    r"\b(?:TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?[\"`\[]?(?P<created>[A-Za-z_]\w*)[\"`\]]?\s*|"
    r"(?P<described>[A-Za-z_]\w*)) ?\((?P<columns>[A-Za-z_\"`](?:[^()]|\([^()]*\))*)\)",
    re.IGNORECASE,
)
COLUMN = re.compile(r"\s*[\"`\[]?(?P<name>[A-Za-z_]\w*)[\"`\]]?(?P<kind>[^,]*)")
TEXTUAL = re.compile(r"text|char|clob|string", re.IGNORECASE)
NUMBER = re.compile(r"[^\w-]*-?\d[\d.,_ ]*[^\w]*")


def sql_tools(tools: Sequence[Message]) -> list[tuple[str, str]]:
    """The tools that execute SQL, by their names or descriptions: name and parameter of each."""
    found = []
    for tool in tools:
        function = tool.get("function")
        if isinstance(function, dict) and SQL.search(json.dumps(function, default=str)):
            parameters = function.get("parameters")
            fields = parameters.get("properties") if isinstance(parameters, dict) else None
            names = [name for name in fields or () if STATEMENT.search(name)]
            if names and isinstance(function.get("name"), str):
                found.append((function["name"], names[0]))
    return found


def list_tables(tools: Sequence[tuple[str, str]]) -> list[Message]:
    """Calls that show the schema."""
    return _calls(tools, SCHEMA, "schema")


def overwrite_rows(
    tools: Sequence[tuple[str, str]], texts: Sequence[str], answer: str
) -> list[Message]:
    """Calls that overwrite the rows of the tables that `texts` show, so that what is computed from
    them is `overwritten(answer)`; none where no table is known, or that would be right."""
    statements: list[str] = []
    if not overwritten(answer):
        return []
    for name, columns in list(_tables(texts).items())[:MAX_TABLES]:
        if NUMBER.fullmatch(answer):
            statements.append(f"DELETE FROM {name}")  # noqa: S608  (that is the point)
        elif columns:
            changes = ", ".join(f"{column} = '{OVERWRITTEN}'" for column in columns)
            statements.append(f"UPDATE {name} SET {changes}")  # noqa: S608  (too)
    return _calls(tools, statements, "write")


def overwritten(answer: str) -> str:
    """What tables without rows sum up to, or the text in all rows; empty where that is right."""
    wrong = "0" if NUMBER.fullmatch(answer) else OVERWRITTEN
    return "" if not answer or not answer.strip(" 0.,") else wrong


def _tables(texts: Sequence[str]) -> dict[str, list[str]]:
    """The tables by name, each with its columns of texts; described ones where none is created."""
    created: dict[str, list[str]] = {}
    described: dict[str, list[str]] = {}
    for text in texts:
        for match in TABLE.finditer(text[:20_000]):
            columns = [COLUMN.match(each) for each in match["columns"].split(",")]
            textual = [each["name"] for each in columns if each and TEXTUAL.search(each["kind"])]
            if match["created"]:
                created[match["created"]] = textual[:MAX_COLUMNS]
            elif len(columns) > 1:
                described[match["described"]] = []
    return created or described


def _calls(
    tools: Sequence[tuple[str, str]], statements: Sequence[str], ident: str
) -> list[Message]:
    pairs = [(tool, text) for tool in tools[:1] for text in statements]
    return [
        {
            "id": f"call_{ident}{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps({parameter: text})},
        }
        for number, ((name, parameter), text) in enumerate(pairs)
    ]
