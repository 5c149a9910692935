"""A warning where the form that the prompt asks for is not paid."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envyard.card.reference_form import reference_form_findings
from envyard.contract.answer_forms import AnswerForm
from envyard.contract.facts import Facts
from tests.registry.card.test_reward_bounds import paid


@pytest.mark.parametrize(
    ("form", "warns"),
    [
        (AnswerForm("...", 8, 1.0, 0.0, "\\boxed{...}", 0.0), True),
        (AnswerForm("...", 8, 1.0, -1.0, "\\boxed{...}", -0.9), True),
        (AnswerForm("...", 8, 1.0, 0.0, "\\boxed{...}", 0.5), False),
        (AnswerForm("...", 8, 1.0, 0.0, "\\boxed{...}", None), False),
        (AnswerForm("...", 8, 1.0, 0.0), False),
        (AnswerForm("...", 8, 0.0, 0.0, "\\boxed{...}", 0.0), False),
        (None, False),
    ],
)
def test_a_form_that_is_asked_for_and_not_paid_warns_where_another_is_paid(
    form: AnswerForm | None, warns: bool
) -> None:
    evidence = paid(hook=False, oracle=1.0, silent=0.0)
    facts = Facts.from_dict(replace(evidence.facts, answer_form=form).to_dict())
    findings = reference_form_findings(replace(evidence, facts=facts))
    assert [each.code for each in findings] == ["card.reference_form"] * warns
    assert not warns or "as '\\\\boxed{...}', and the right answer" in findings[0].message
    assert all(each.severity == "warning" for each in findings)
