"""Log formats with the id of the current request."""

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

request_id: ContextVar[str] = ContextVar("request_id", default="")


def configuration(*, line_format: str, level: str) -> dict[str, Any]:
    """Django's LOGGING: all records on stderr, as `plain` or `json` lines."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"refusals": {"()": "hub.logs.Refusals"}},
        "formatters": {"plain": {"()": "hub.logs.Plain"}, "json": {"()": "hub.logs.Json"}},
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "filters": ["refusals"],
                "formatter": line_format,
            },
        },
        "root": {"handlers": ["stderr"], "level": level},
    }


def _timestamp(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


class Refusals(logging.Filter):
    """Remove the traceback that Django logs with a refusal, which is no fault of the hub."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep every record; records of refusals become one line."""
        status = getattr(record, "status_code", 500)
        if record.name == "django.request" and (status < 500 or status == 507):
            record.exc_info = None
        elif record.name.startswith("django.security."):
            record.exc_info = None
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            if record.name.endswith(".DisallowedHost"):
                record.msg, record.args = _bad_host(record), ()
        return True


def _bad_host(record: logging.LogRecord) -> str:
    meta = getattr(getattr(record, "request", None), "META", {})
    host = meta.get("HTTP_HOST", meta.get("SERVER_NAME", ""))[:100]
    return f"refused a request for Host {host!r}: HUB_ALLOWED_HOSTS does not name it"


class Plain(logging.Formatter):
    """`time level logger [request] message`, for people."""

    def format(self, record: logging.LogRecord) -> str:
        bound = request_id.get()
        head = f"{_timestamp(record)} {record.levelname} {record.name}" + (
            f" [{bound}]" if bound else ""
        )
        text = f"{head} {record.getMessage()}"
        return f"{text}\n{self.formatException(record.exc_info)}" if record.exc_info else text


class Json(logging.Formatter):
    """One JSON object a line, for log collectors."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": _timestamp(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if bound := request_id.get():
            line["request_id"] = bound
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)
