"""The answers of many tasks: by their fields, and by the replies of their references.

oracle() is also called with what a task begins with, without a play. Its reply is the answer only
where plays show that nothing follows: one reply to each, which is the same, and no tools.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from envyard_runner.mutation.answers import find_answer
from envyard_runner.survey.listing import Listed, contradictions
from envyard_runner.survey.same_questions import disagreeing

PLAYED = 3  # references of one reply that equal what oracle() replies without a play


@dataclass(slots=True)
class KnownAnswers:
    """The answers by task index.

    `fields` are those of the tasks' data, `openings` what oracle() replies to what a task begins
    with, `replies` the references that were played, `several` the tasks among these whose answer is
    the last of several replies. `tools`: some play offers tools. `instructions` are what first
    calls contain beside their prompts.
    """

    fields: Mapping[int, str] = field(default_factory=dict)
    openings: Mapping[int, str] = field(default_factory=dict)
    replies: dict[int, str] = field(default_factory=dict)
    several: set[int] = field(default_factory=set)
    tools: bool = False
    instructions: set[str] = field(default_factory=set)

    def add(self, task: int, reply: str, *, replies: int) -> None:
        """Add the last reply of a reference that was played in that number of `replies`."""
        if reply.strip():
            self.replies[task] = reply
            if replies > 1:
                self.several.add(task)

    @property
    def all(self) -> dict[int, str]:
        """All that are known."""
        return {**self.unplayed, **self.replies, **self.fields}

    @property
    def alone(self) -> list[str]:
        """Those that are one reply: the last of several may say nothing, as `done` does after tools
        did the work."""
        ambiguous = self.several - self.fields.keys()
        return [answer for task, answer in self.all.items() if task not in ambiguous]

    @property
    def of_prompts(self) -> dict[int, str]:
        """Those that may answer what the task begins with: without tools, the last of several
        replies answers a later message."""
        later = set() if self.tools else self.several - self.fields.keys()
        return {task: answer for task, answer in self.all.items() if task not in later}

    @property
    def single(self) -> bool:
        """Whether plays show that one reply without tools is all that a task takes."""
        return not self.tools and not self.several

    @property
    def prompts_decide(self) -> bool:
        """Whether plays show that nothing but its prompt can decide a task's answer."""
        return self.single and len(self.instructions) <= 1

    @property
    def unplayed(self) -> Mapping[int, str]:
        """The replies to what tasks begin with, where plays show that they are answers."""
        opened = self.openings.keys() & self.replies.keys()
        same = [self.openings[task] == self.replies[task] for task in opened]
        return self.openings if self.single and len(same) >= PLAYED and all(same) else {}

    def answered(self, tasks: Sequence[Listed]) -> list[Listed]:
        """The tasks without a field for their answer, with that of their reference, where no other
        data can decide it."""
        unplayed = self.unplayed if self.prompts_decide else {}
        return [
            replace(task, answer=find_answer(reply).answer, hidden="")
            for task in tasks
            if task.answer is None and (reply := unplayed.get(task.index))
        ]

    def contradicting(self, tasks: Sequence[Listed]) -> list[tuple[Listed, Listed]]:
        """Pairs of tasks that show a policy the same and have different answers, none of them a
        field."""
        answered = self.answered(tasks)
        return [*contradictions(answered), *disagreeing(answered)]
