"""Samples as a Parquet file, a group of rows at a time.

The columns are those of the API's samples, with a type each, so that a file of failed rollouts and
one of good ones can be read together. The names of the metrics come from the rows, so all rows are
written to a temporary file first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from envyard.errors import HubCliError

GROUP, GROUP_CHARACTERS = 256, 8 << 20  # rows in memory, and of how much JSON
MAX_METRICS = 1000  # columns; many more take all memory, and are no measures

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as error:
    raise HubCliError(
        "Parquet needs pyarrow, which is not installed",
        "Install it beside hub: pip install pyarrow (uv tool: --with pyarrow); or --format jsonl.",
        "cli.no_pyarrow",
    ) from error


def write(rows: Iterable[dict[str, Any]], target: Path) -> int:
    """Write all rows and return how many there were."""
    with TemporaryFile("w+", encoding="utf-8") as waiting:
        metrics, count = _spool(rows, waiting)
        waiting.seek(0)
        schema = _schema(metrics)
        with pq.ParquetWriter(target, schema, compression="zstd") as file:
            for group in _groups(waiting):
                file.write_table(pa.Table.from_pylist(group, schema=schema))
    return count


def _spool(rows: Iterable[dict[str, Any]], waiting: IO[str]) -> tuple[list[str], int]:
    metrics: dict[str, None] = {}
    count = 0
    for row in rows:
        count += 1
        metrics |= dict.fromkeys(row["metrics"])
        if len(metrics) > MAX_METRICS:
            raise HubCliError(
                f"the rollouts name more than {MAX_METRICS} metrics, too many for columns",
                "Write --format jsonl, or fewer of them: --policy, --task.",
            )
        waiting.write(json.dumps(row) + "\n")
    return list(metrics), count


def _groups(waiting: IO[str]) -> Iterator[list[dict[str, Any]]]:
    while group := list(_group(waiting)):
        yield group


def _group(waiting: IO[str]) -> Iterator[dict[str, Any]]:
    size = 0
    for line in islice(waiting, GROUP):
        yield json.loads(line)
        size += len(line)
        if size > GROUP_CHARACTERS:
            return


def _schema(metrics: list[str]) -> Any:
    text, real, integer = pa.string(), pa.float64(), pa.int64()
    messages = _messages()
    step = {"after": integer, "prompt": messages, "completion": messages, "finish_reason": text}
    step |= {"prompt_tokens": integer, "completion_tokens": integer, "at": real, "seconds": real}
    step |= {"reasoning_tokens": integer, "reasoning_sent": integer}
    step |= {"options": text, "first_seconds": real, "error": text}
    judge = {"asked_model": text, "host": text, "prompt": messages, "verdict": text}
    judge |= {"options": text, "prompt_tokens": integer, "completion_tokens": integer}
    judge |= {"seconds": real, "error": text}
    info = dict.fromkeys(("policy", "model", "version", "wheel_sha256", "run"), text)
    info |= {"rollout": integer, "conversations": integer}
    info |= {"shortened": pa.bool_(), "rescored": real}
    columns = {
        "example_id": integer,
        "rollout_number": integer,
        "task": text,
        "prompt": messages,
        "completion": messages,
        "reward": real,
        # A struct needs a field: where nothing was measured there is none to name.
        "metrics": pa.struct(dict.fromkeys(metrics or ["none"], real)),
        "is_completed": pa.bool_(),
        "is_truncated": pa.bool_(),
        "stop_condition": text,
        "error": pa.struct(dict.fromkeys(("type", "message", "traceback", "fault"), text)),
        "timing": pa.struct(dict.fromkeys(("total", "model", "scoring"), real)),
        "token_usage": pa.struct(
            dict.fromkeys(("input_tokens", "output_tokens", "reasoning_tokens"), integer)
        ),
        "tool_defs": pa.list_(text),
        "trajectory": pa.list_(pa.struct(step)),
        "judge": pa.list_(pa.struct(judge)),
        "info": pa.struct(info),
    }
    return pa.schema(columns)


def _messages() -> Any:
    """A list of OpenAI chat messages."""
    text = pa.string()
    function = pa.struct({"name": text, "arguments": text})
    call = pa.struct({"id": text, "type": text, "function": function})
    return pa.list_(
        pa.struct(
            {
                "role": text,
                "content": text,
                "tool_calls": pa.list_(call),
                "tool_call_id": text,
                "name": text,
                "reasoning_content": text,
            }
        )
    )
