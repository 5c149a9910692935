"""The trial that finds the form in which answer fields are paid."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from envyard.contract.answer_forms import AnswerForm
from envyard.contract.facts import Facts, TaskResult
from envyard_runner.gateway.form_trial import FormTrial, answered_tasks
from envyard_runner.gateway.plan import Plan
from envyard_runner.gateway.rollout_records import RolloutRecords
from envyard_runner.mutation.form_candidates import MAX_FORMS
from envyard_runner.mutation.forms import Form
from tests.worker.execution.event_feed import EventFeed
from tests.worker.gateway.served_gateway import ServedGateway, run_scenario
from tests.worker.stub_hub import job

SPEC = job(policies=("silent", "oracle"), tasks=5, attempts=1)
ASKED = [{"role": "user", "content": "Add 40 and 2. Put the answer in \\boxed{}."}]
ANSWER = {"role": "assistant", "content": "42"}


def play(trial: FormTrial, paid: str, names: list[str], *, reward: float = 1.0) -> None:
    """Every rollout of the trial, of which replies that begin with `paid` earn the reward."""
    for name in names:
        reply = trial.in_form(ANSWER, name, ASKED)["content"]
        assert trial.ended(name, reward if reply.startswith(paid) else 0.0)


def test_all_forms_are_tried_on_two_tasks_and_the_best_paid_is_used_from_then_on() -> None:
    trial = FormTrial(SPEC)
    names = trial.plan({0, 1, 2}, tried=True)
    assert len(names) == 2 * MAX_FORMS
    assert {name.split("/")[1] for name in names} == {"0", "1"}
    play(trial, "Answer: ", names)
    assert trial.in_form(ANSWER, "oracle/2/0", ASKED)["content"] == "Answer: 42"
    assert trial.result is not None
    assert trial.result.is_paid
    assert (trial.result.form, trial.result.reward, trial.result.lowest) == (
        "Answer: ...",
        1.0,
        0.0,
    )


def test_where_no_form_or_every_form_is_paid_the_one_that_the_prompt_names_is_used() -> None:
    for reward in (0.0, 1.0):
        trial = FormTrial(SPEC)
        play(trial, "", trial.plan({0}, tried=True), reward=reward)
        assert trial.in_form(ANSWER, "oracle/0/0", ASKED)["content"] == "\\boxed{42}"
        assert trial.result is not None
        assert not trial.result.is_paid


@pytest.mark.parametrize(
    ("prompt", "answer", "paid", "asked"),
    [
        ("Put the answer in \\boxed{}.", "42", "42", "\\boxed{...}"),
        ("Put the answer in \\boxed{}.", "42", "\\boxed{42}", ""),
        ("Do not put the answer in \\boxed{}.", "42", "42", ""),
        ("Use <answer></answer> or \\boxed{}.", "42", "\\boxed{42}", ""),
        ("Use the tags <city></city>.", "42", "42", ""),
        ("Divide, with two decimals.", "3.14159", "3.14159", "... (2 decimals)"),
        ("Divide, with two decimals.", "3.14159", "3.14", ""),
        ("Divide, with two decimals.", "3.14", "3.14", ""),
        ("Divide.", "42", "42", ""),
    ],
)
def test_a_form_that_the_prompt_asks_for_and_that_is_not_the_best_paid_is_reported(
    prompt: str, answer: str, paid: str, asked: str
) -> None:
    trial, messages = FormTrial(SPEC), [{"role": "user", "content": prompt}]
    for name in trial.plan({0}, tried=True):
        reply = trial.in_form({"role": "assistant", "content": answer}, name, messages)["content"]
        trial.ended(name, float(reply == paid))
    assert trial.result is not None
    assert trial.result.is_paid
    assert (trial.result.asked, trial.result.asked_reward) == (asked, 0.0 if asked else None)


def test_the_answer_of_an_oracle_hook_is_never_changed() -> None:
    trial = FormTrial(SPEC)
    trial.plan({0}, tried=True)
    assert trial.in_form(ANSWER, "oracle/1/0", ASKED) == ANSWER


def test_nothing_is_tried_where_no_policy_repeats_answers_or_a_form_is_given() -> None:
    assert FormTrial(job(policies=("silent", "model"))).plan({0}, tried=True) == []
    given = FormTrial(SPEC, Form("<x>", "</x>"))
    assert given.plan({0}, tried=True) == []
    assert given.in_form(ANSWER, "oracle/0/0", ASKED)["content"] == "<x>42</x>"


def test_rollouts_of_the_trial_come_first_and_are_no_results_of_the_run() -> None:
    plan = Plan(SPEC, RolloutRecords(SPEC).judge)
    tasks = [TaskResult(at, str(at), "p", reference=True) for at in range(5)]
    plan.make(tasks, swapped=(), compares=False, answered={0, 1, 2, 3, 4})
    (*names,) = (plan.name(group[0]["rollout"]) for group in asyncio.run(plan.groups()))
    assert all(str(name).startswith("form/") for name in names[: 2 * MAX_FORMS])
    assert set(names[2 * MAX_FORMS :]) == plan.expected


def test_a_probe_that_overwrites_files_plays_after_all_others() -> None:
    spec = job(policies=("tamper", "silent", "snoop"), tasks=3, attempts=1)
    plan = Plan(spec, RolloutRecords(spec).judge)
    plan.make([TaskResult(at, str(at), "p") for at in range(3)], swapped=(), compares=False)
    names = [plan.name(group[0]["rollout"]) for group in asyncio.run(plan.groups())]
    assert {str(name).split("/")[0] for name in names[-3:]} == {"tamper"}


def test_the_collector_reports_the_form_once_the_trial_has_ended() -> None:
    feed = EventFeed(SPEC)
    feed.add_began()
    row = {"hash": "0", "prompt": "p", "reference": True, "answer": "42", "index": 0}
    feed("loaded", tasks=[row], seconds=1.0)
    reports: list[Any] = []
    for number in range(MAX_FORMS):
        name = f"form/0/{number}"
        feed.plan.forms.in_form(ANSWER, name, ASKED)
        feed.add_reply(name)
        reports.append(feed("rollout", rollout=name, ok=True, reward=float(number == 2)))
    assert reports[:-1] == [None] * (MAX_FORMS - 1)
    assert isinstance(reports[-1], Facts)
    assert reports[-1].answer_form == AnswerForm(
        "<answer>...</answer>", 7, 1.0, 0.0, "\\boxed{...}", 0.0
    )
    assert Facts.from_dict(reports[-1].to_dict()) == reports[-1]
    assert feed.collector.scored == []


def test_only_answer_fields_are_tried() -> None:
    rows: list[dict[str, Any]] = [
        {"index": 0, "answer": "4"}, {"index": 1, "answer": None},
        {"index": 2, "answer": "4", "hook": True},
    ]  # fmt: skip
    assert answered_tasks(rows) == {0}


def test_a_reply_outside_the_trial_waits_for_its_end_whichever_policy_gives_it() -> None:
    async def scenario(served: ServedGateway) -> None:
        forms = served.gateway.plan.forms = FormTrial(SPEC)
        names = forms.plan({0}, tried=True)
        waiting = [asyncio.create_task(served.chat(f"{p}/0/0")) for p in ("silent", "model")]
        await asyncio.sleep(0.2)
        assert not any(task.done() for task in waiting)
        play(forms, "42", names)
        assert [status for status, _ in await asyncio.gather(*waiting)] == [200, 200]

    run_scenario(scenario)


def test_the_items_of_an_answer_are_given_in_the_turns_of_the_conversation() -> None:
    trial = FormTrial(SPEC, Form(layout="turns"))
    trial.plan({0}, tried=False)
    answer = {"role": "assistant", "content": "+6 -2"}
    later = [*ASKED, {"role": "assistant", "content": "+6"}, {"role": "user", "content": "Next?"}]
    assert trial.in_form(answer, "oracle/0/0", ASKED)["content"] == "+6"
    assert trial.in_form(answer, "oracle/0/0", later)["content"] == "-2"
