"""The survey: built from the event lines of a sandbox that loads many tasks."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from envyard.contract.mutants import PLAIN
from envyard.contract.survey import MAX_SURVEY_MUTANTS, Split, Survey
from envyard_runner.execution.survey import SurveyRun
from envyard_runner.execution.surveyed_tasks import PLAYED
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.references import LoadedTask
from envyard_runner.gateway.reply import Reply
from tests.worker.execution.event_feed import EventFeed
from tests.worker.stub_hub import job

SPEC = job(policies=("silent", "oracle"), tasks=2, attempts=1, survey_tasks=100)


def rows(n: int, **fields: Any) -> list[dict[str, Any]]:
    return [
        {"index": i, "hash": f"{i}", "prompt": f"What is {i} plus {i}?", "reference": True} | fields
        for i in range(n)
    ]


class Surveyed:
    """A survey whose sandbox reported these tasks."""

    def __init__(
        self,
        tasks: list[dict[str, Any]],
        *,
        judged: bool = False,
        guessed: str = "",
        hidden: bool = False,
        openings: Mapping[int, str] | None = None,
        **fields: Any,
    ) -> None:
        feed = EventFeed(SPEC)
        feed.add_loaded(True, True)
        feed.collector.plan.forms.field = guessed
        self.run = SurveyRun(SPEC, feed.collector, judged=judged)
        listed = [
            [row["index"], row.get("prompt"), row.get("answer"), "", "", hidden * f"{row['index']}"]
            for row in tasks
        ]
        self("tasks", split="train", rows=listed)
        self("listed", split="train", complete=True)
        if openings is not None:
            process = self.run.gateway.plan.references.process
            process.tasks = [
                LoadedTask(row["hash"], True, None, opening=openings[row["index"]]) for row in tasks
            ]
            process.ready.set()
            self.run.references_planned.set()
        self("loaded", tasks=tasks, **fields)

    def __call__(self, event: str, **fields: Any) -> None:
        asyncio.run(self.run.add_line(json.dumps({"event": event, **fields}).encode()))

    @property
    def tasks(self) -> list[int]:
        """The tasks whose references are to be played."""
        groups = asyncio.run(self.run.gateway.plan.groups())
        return sorted(item["task"] for group in groups for item in group)

    def play(
        self,
        task: int,
        prompt: str,
        reply: str,
        tools: Any = (),
        earlier: tuple[str, ...] = (),
        results: tuple[str, ...] = (),
        **fields: Any,
    ) -> None:
        """A call for each earlier reply and one that got the reference, which a tool's results
        precede, and the rollout's end."""
        gateway = self.run.gateway
        name = f"oracle/{task}/0"
        record = gateway.records.open(name)
        record.reference = {"role": "assistant", "content": reply}
        messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
        for number, result in enumerate(results):
            function = {"name": "weigh", "arguments": json.dumps({"parcel": number})}
            weighed = {"id": f"call_{number}", "type": "function", "function": function}
            messages.append({"role": "assistant", "content": "", "tool_calls": [weighed]})
            messages.append({"role": "tool", "tool_call_id": weighed["id"], "content": result})
        call = Call(messages, [*tools], False, False, {})
        for each in (*earlier, reply):
            record.add(call, Reply(content=[each], finish_reason="stop"), 0.0)
        self("rollout", rollout=gateway.plan.alias(name), **fields)

    @property
    def result(self) -> Survey:
        return self.run.result()


def test_references_are_spread_from_the_first_task_to_the_last() -> None:
    tasks = Surveyed(rows(100)).tasks
    assert len(tasks) == PLAYED
    assert (tasks[0], tasks[-1]) == (0, 99)
    assert {b - a for a, b in itertools.pairwise(tasks)} == {5, 6}
    assert Surveyed(rows(3)).tasks == [0, 1, 2]


def test_references_of_oracles_are_planned_once_the_process_that_calls_them_is_ready() -> None:
    async def planned_before(*, ready: bool) -> bool:
        feed = EventFeed(SPEC)
        feed.add_loaded(True, True)
        survey = SurveyRun(SPEC, feed.collector, judged=False)
        line = json.dumps({"event": "loaded", "tasks": rows(9, hook=True)}).encode()
        loading = asyncio.create_task(survey.add_line(line))
        await asyncio.wait_for(survey.gateway.plan.references.loaded.wait(), 30)
        if ready:
            survey.references_planned.set()
        done, _ = await asyncio.wait({loading}, timeout=30 if ready else 0.5)
        loading.cancel()
        return bool(done)

    assert not asyncio.run(planned_before(ready=False))
    assert asyncio.run(planned_before(ready=True))


def test_no_reference_is_played_without_one_or_where_a_judge_or_a_group_decides() -> None:
    assert Surveyed(rows(9, reference=False)).tasks == []
    assert Surveyed(rows(9), judged=True).tasks == []
    assert Surveyed(rows(9), compares=True).tasks == []


def test_played_references_have_their_rewards_and_leaks() -> None:
    survey = Surveyed(rows(40))
    first, second, third, last = (survey.tasks[at] for at in (0, 1, 2, -1))
    survey.play(first, "What? Key: 17", "17", ok=True, reward=1.0)
    survey.play(second, "What?", "18", ok=False, error={"type": "KeyError", "message": "late"})
    survey.play(last, "What?", "17", ok=True, reward=0.0)
    survey.play(third, "What?", "9", ok=False, error={"type": "RolloutTimeout", "message": ""})
    survey("rollout", rollout="nobody", ok=True, reward=1.0)
    result = survey.result
    assert [(r.task, r.reward, r.error) for r in result.references] == [
        (first, 1.0, ""), (second, None, "KeyError: late"), (last, 0.0, ""),
    ]  # fmt: skip
    assert (result.leaks, result.leak) == ([first], "Key: 17")
    assert (result.answers, result.same_answers, result.top_answer) == (3, 2, "17")


def test_the_last_of_several_replies_is_no_answer_that_is_the_same_for_all() -> None:
    survey = Surveyed(rows(40))
    for task in survey.tasks:
        survey.play(task, "Write the file.", "done", earlier=("",), ok=True, reward=1.0)
    assert (survey.result.answers, survey.result.same_answers) == (0, 0)


def test_answers_of_an_inferred_field_count_once_a_reward_confirmed_it() -> None:
    for reward in (0.0, 1.0):
        survey = Surveyed(rows(4), guessed="info.level")
        survey.play(0, "What is 0 plus 0?", "7", ok=True, reward=reward)
        assert [each.reward for each in survey.result.references] == ([1.0] if reward else [])
        assert survey.result.top_answer == ("7" if reward else "")
        assert survey.result.tasks == 4


def test_worked_examples_that_are_the_task_itself_are_leaks() -> None:
    survey = Surveyed(rows(40))
    for place, task in enumerate(survey.tasks):
        own = f"{('ship', 'port', 'storm', 'fog')[place % 4]} {place}00"
        shown = own if place < 2 else "north wind"
        prompt = f"Example: -.- --. ...\nReply: {shown}\n\nDecode: .-. {place}"
        survey.play(task, prompt, own, ok=True, reward=1.0)
    assert survey.result.examples == survey.tasks[:2]
    assert "Reply: ship 000" in survey.result.example
    assert survey.result.leaks == []


def test_a_rollout_without_a_call_or_reported_twice_shows_nothing() -> None:
    survey = Surveyed(rows(2))
    alias = survey.run.gateway.plan.alias("oracle/1/0")
    survey("rollout", rollout=alias, ok=True, reward=0.0)
    survey.play(0, "What?", "1", ok=True, reward=1.0)
    survey("rollout", rollout=survey.run.gateway.plan.alias("oracle/0/0"), ok=True, reward=0.0)
    assert [(r.task, r.reward) for r in survey.result.references] == [(0, 1.0)]


def test_prompts_and_answers_of_all_tasks_are_compared() -> None:
    more = ({**row, "index": 10 + row["index"]} for row in rows(5, answer="yes"))
    tasks = [*rows(10, answer="yes"), *more]
    tasks[3] |= {"prompt": " "}
    result = Surveyed(tasks).result
    assert (result.tasks, result.prompts, result.exact) == (15, 14, 4)
    assert (result.empty, result.train) == ([3], Split(15, complete=True))
    assert (result.answers, result.same_answers, result.top_answer) == (15, 15, "yes")


def test_lines_of_wrong_shapes_end_nothing() -> None:
    odd: list[dict[str, Any]] = [{"index": "x", "answer": "7", "prompt": "\ud800"}, {"index": []}]
    survey = Surveyed(odd, seed_options="seed")
    survey("rollout", rollout=[], ok=True)
    survey("fatal", stage=4, error=7)
    assert survey.result.error == ""


def test_tasks_that_never_have_a_prompt_lack_none() -> None:
    assert Surveyed(rows(9, prompt="")).result.empty == []


def test_a_seed_is_ignored_where_it_is_taken_and_changes_no_task() -> None:
    own: dict[str, Any] = {"seed_options": ["seed"], "seeds": [SPEC.seed + 1]}
    assert Surveyed(rows(9), **own).result.seed_ignored
    assert not Surveyed(rows(9), seed_options=[], seeds=[]).result.seed_ignored
    assert not Surveyed(rows(9, hash="other"), **own).result.seed_ignored
    assert not Surveyed(rows(9), **{**own, "seeds": [SPEC.seed]}).result.seed_ignored


def test_a_load_that_fails_is_kept_and_any_later_failure_is_not() -> None:
    survey = Surveyed(rows(2))
    survey("fatal", stage="run", error={"type": "SystemExit", "message": "1"})
    assert survey.result.error == ""
    survey.run.survey = None
    survey("fatal", stage="load", error={"type": "KeyError", "message": "'q'"})
    assert survey.result.error == "KeyError: 'q'"
    assert survey.result.limit == 100


def test_a_load_without_enough_of_the_halved_memory_is_not_the_environments() -> None:
    survey = Surveyed(rows(2))
    survey.run.survey = None
    survey("fatal", stage="load", error={"type": "MemoryError", "message": ""})
    assert survey.run.survey is None


def test_the_answer_in_the_description_of_a_tool_is_a_leak() -> None:
    survey = Surveyed(rows(3))
    tool = {"function": {"name": "look_up", "description": "Look up (key: 4711)."}}
    survey.play(0, "What?", "4711", tools=[{"type": "function", **tool}], ok=True, reward=1.0)
    survey.play(1, "What?", "4712", tools=[{"type": "function", **tool}], ok=True, reward=1.0)
    assert (survey.result.leaks, survey.result.leak) == ([0], "key: 4711")


def test_wrong_labels_are_found_in_answer_fields_and_in_played_references() -> None:
    right = [f"Add {n} and {3 * n + 1}." for n in range(20, 40)]
    sums = [str(4 * n + 1 + (n == 33)) for n in range(20, 40)]
    fields = [
        {"index": i, "hash": f"{i}", "prompt": prompt, "reference": True, "answer": answer}
        for i, (prompt, answer) in enumerate(zip(right, sums, strict=True))
    ]
    rule = Surveyed(fields).run.result().label_rule
    assert rule is not None
    assert [(each.task, each.answer, each.expected) for each in rule.outliers] == [
        (13, "134", "133")
    ]
    hooks = Surveyed([{**row, "answer": None} for row in fields])
    for task, (prompt, answer) in enumerate(zip(right, sums, strict=True)):
        hooks.play(task, prompt, f"<answer>{answer}</answer>", ok=True, reward=1.0)
    assert hooks.run.result().label_rule == rule


def test_an_absent_passage_counts_only_where_no_tool_may_have_it() -> None:
    tasks = [
        {"index": i, "hash": f"{i}", "prompt": f"According to the passage, who is {i}?",
         "reference": True, "answer": f"{i * 7}"}
        for i in range(20)
    ]  # fmt: skip
    alone, with_tools = Surveyed(tasks), Surveyed(tasks)
    assert alone.run.result().incomplete is None
    tool = {"type": "function", "function": {"name": "read", "description": "Read the passage."}}
    alone.play(0, tasks[0]["prompt"], "0", ok=True, reward=1.0)
    with_tools.play(0, tasks[0]["prompt"], "0", [tool], ok=True, reward=1.0)
    lacking = alone.run.result().incomplete
    assert lacking is not None
    assert lacking.count == 20
    assert with_tools.run.result().incomplete is None


@pytest.mark.parametrize(
    ("plays", "copies"),
    [
        ({}, 88),
        ({"reward": 0.0}, 0),
        ({"tools": [{"type": "function", "function": {"name": "look"}}]}, 0),
        ({"earlier": ("Let me see.",)}, 0),
    ],
    ids=["paid", "not paid", "with tools", "in two replies"],
)
def test_repeated_prompts_with_other_data_are_copies_where_references_show_it(
    plays: dict[str, Any], copies: int
) -> None:
    tasks = [row | {"prompt": f"Sort list {row['index'] % 12}."} for row in rows(100)]
    survey = Surveyed(tasks, hidden=True)
    assert survey.result.exact == 0
    for task in survey.tasks:
        settings = {"ok": True, "reward": 1.0} | plays
        survey.play(task, tasks[task]["prompt"], f"sorted {task % 12}", **settings)
    assert survey.result.exact == copies


def test_an_identifier_that_tells_the_labels_of_played_references_is_named() -> None:
    queues = ("billing", "access", "delivery", "returns")
    tickets = rows(40)
    for n, row in enumerate(tickets):
        row["prompt"] = f"Ticket {n % 4 + 1}{n:05d}: help me."
    survey = Surveyed(tickets)
    for task in survey.tasks:
        reply = f"<answer>{queues[task % 4]}</answer>"
        survey.play(task, tickets[task]["prompt"], reply, ok=True, reward=1.0)
    result = survey.result
    assert (result.copied, result.copied_place) == (
        PLAYED,
        "predicted by the first digit of the id",
    )


def test_replies_of_oracles_to_openings_show_labels_that_no_play_reached() -> None:
    wrong = {14, 53, 86}  # all of tins
    replies = {at: f"{4 * at + 1 + 7 * (at in wrong)}" for at in range(100)}
    prompts = [
        f"A {('box', 'crate', 'tin')[at % 3]} has {3 * at} and gets {at + 1}. How many are in it?"
        for at in replies
    ]
    tasks = [row | {"prompt": prompts[row["index"]]} for row in rows(100, hook=True)]
    survey = Surveyed(tasks, openings=replies)
    for task in survey.tasks[:3]:
        survey.play(task, prompts[task], replies[task], ok=True, reward=1.0)
    rule = survey.result.label_rule
    assert rule is not None
    assert {outlier.task for outlier in rule.outliers} == wrong
    assert survey.result.answers == 100


def test_paid_references_are_changed_and_what_they_earned_is_kept_apart_from_the_run() -> None:
    survey = Surveyed(rows(40))
    for task in survey.tasks[:6]:
        survey.play(task, "What?", f"{task + 20}", ok=True, reward=1.0)
    plan = survey.run.gateway.plan  # each task has two plain changes, though five are enough
    groups = asyncio.run(survey.run.changed_references())
    aliases = [item["rollout"] for group in groups for item in group]
    assert {item["task"] for group in groups for item in group} <= {*survey.tasks[:6]}
    assert all(plan.name(alias) is None for alias in aliases)
    for alias in aliases:
        survey("rollout", rollout=alias, ok=True, reward=1.0)
    results = survey.result.mutants
    assert 0 < len(results) <= MAX_SURVEY_MUTANTS
    assert {result.operator for result in results} >= {"unchanged", "blank", "digit"}
    plain = [(result.task, result.operator) for result in results if result.operator in PLAIN]
    assert {*Counter(task for task, _ in plain)} == {*survey.tasks[:6]}
    assert min(Counter(task for task, _ in plain).values()) >= 2
    assert {result.rollout for result in results} == {f"survey/{n}/0" for n in survey.tasks[:6]}
    assert Survey.from_dict(survey.result.to_dict()) == survey.result


def test_tool_results_that_contradict_the_answers_are_a_finding_of_the_survey() -> None:
    surveyed = Surveyed(rows(4))
    for task, answer in enumerate((37, 70, 9, 90)):
        results = (f"{10 + task} kg", f"{30 + 9 * task} kg")
        prompt = "What do the parcels weigh altogether?"
        surveyed.play(task, prompt, f"Total: {answer} kg", results=results, ok=True, reward=1.0)
    (finding,) = surveyed.run.findings
    assert (finding.code, finding.where) == ("card.tool_results", "oracle/0/0")
    assert "in 2 rollouts: oracle/0/0, oracle/2/0" in finding.message
