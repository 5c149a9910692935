"""Replies that are formatted with all fields of a task are a warning."""

from __future__ import annotations

import pytest

from envyard.contract.code_checks.formatted_replies import formatted_replies

BEGIN = (
    "from string import Template\nimport verifiers as vf\nPROMPT = 'Judge {reply}'\n"
    "def load_environment():\n    def right(completion, info, judge_prompt):\n"
    "        template = parse(completion)\n"
    "        return float(filled(template, info) == info['x'])\n"
    "    return vf.SingleTurnEnv(rubric=vf.Rubric(funcs=[right]))\n"
    "def filled(template, row):\n    BODY\n"
)
FORMATTED = (
    "return template.format(**row)",
    "return template.format(0, **row.fields)",
    "return template.format_map(row)",
    "return Template(template).safe_substitute(row)",
    "return template.format(**row.model_dump())",
)
NOT_FORMATTED = (
    "return template.format(**{name: row[name] for name in SHOWN})",
    "return template.format(question=row['question'])",
    "return PROMPT.format(**row)",
    "return row.format",
)


@pytest.mark.parametrize("line", FORMATTED)
def test_a_reply_that_is_formatted_with_a_row_is_a_warning(line: str) -> None:
    (item,) = formatted_replies({"env.py": BEGIN.replace("BODY", line).encode()})
    assert (item.code, item.severity) == ("env.formats_reply", "warning")


@pytest.mark.parametrize("line", NOT_FORMATTED)
def test_chosen_fields_and_constants_are_none(line: str) -> None:
    assert not list(formatted_replies({"env.py": BEGIN.replace("BODY", line).encode()}))
