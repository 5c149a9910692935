"""Mutants: paid replies that were changed in one place, and what they earned.

Mutation analysis (DeMillo, Lipton and Sayward 1978, "Hints on test data selection"; Jia and Harman
2011, "An analysis and survey of the development of mutation testing") measures a test by the share
of small faults that it detects. Here the verifier is the test, and a paid reply the program.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from envyard.contract.values import count, finite, text

MAX_MUTANTS = 200
CHARACTERS = 600  # of each of both answers


@dataclass(frozen=True, slots=True)
class Operator:
    """One kind of change. `label` completes "an answer with ...".

    A corrupting change makes a right answer wrong, an equivalent one keeps it right, `padding` must
    not earn more, and `control` shows what decides. `tolerance`: the answer stays right within the
    reference's rounding alone, so no share counts it. `surest`: no verifier should overlook it;
    after the others, such as a wrong answer added behind the right one, verifiers that read the
    first number are not wrong. `share` of several mutants may survive. `course`: it changes what is
    done before the last reply. `by_all`: every verifier should accept this equivalent form,
    whatever form its task asks for.
    Its function has the same name in CHANGES of `envyard_runner.mutation.operators`, or in COURSES
    of `envyard_runner.gateway.courses.registry`; the turns are those of `last_turn` beside it.
    """

    name: str
    label: str
    kind: Literal["corrupting", "equivalent", "tolerance", "padding", "control"] = "corrupting"
    surest: bool = True
    share: float = 0.5
    course: bool = False
    by_all: bool = False


def _right(name: str, label: str, *, course: bool = False) -> Operator:
    """A change that keeps the answer right in a form that every verifier should accept."""
    return Operator(name, label, kind="equivalent", by_all=True, course=course)


ENTRIES = (
    Operator("unchanged", "no change", kind="control"),
    # Shows whether the last text decides, so it comes before all that depends on that.
    Operator("blank", "nothing in its place"),
    # Shows whether the calls before the last text decide.
    Operator("alone", "its last reply without the calls before it", kind="control", course=True),
    # Shows whether a reply must have made calls.
    Operator("uncalled", "its last reply without any call", kind="control", course=True),
    Operator("claimed", "calls that the last reply only claims", course=True),
    # Shows whether a report of what was done is paid.
    Operator("unreported", "its answer without its report", kind="control", course=True),
    Operator("reported", "calls that it reports and did not make", course=True),
    Operator("misreported", "other values in its report of what tools returned", course=True),
    Operator("left_out", "a step left out that changes something", course=True),
    Operator("other_argument", "another argument of its last change", course=True),
    Operator("leaves", "an early end instead of its second reply", course=True),
    Operator("declines", "an end instead of its first reply", course=True),
    Operator("accepts", "its first offer, then the other side's price accepted", course=True),
    Operator("repeats", "its first reply in the place of all others", course=True),
    Operator(
        "to_and_fro",
        "a move made and undone some times before its own course",
        kind="padding",
        share=0.3,
        course=True,
    ),
    Operator("stays", "a move made and undone until the end", share=0.3, course=True),
    Operator("tried", "wrong answers tried before, with a tool that judges them", course=True),
    Operator("corrected", "wrong calls before, of which a result names the right one", course=True),
    Operator(
        "malformed", "a malformed call before, whose refusal names the right one", course=True
    ),
    Operator("helped", "help before it that the prompt says is paid for", course=True),
    # Shows whether the calls that a note could claim are needed.
    Operator("unnoted", "no calls and a note without lines of them", kind="control", course=True),
    Operator("noted", "lines of its calls in a note, without these calls", course=True),
    Operator("echoed", "what is written behind its commands, as a command", course=True),
    # Shows whether what the last file holds is judged.
    Operator("miswritten", "a wrong value in what it writes", kind="control", course=True),
    Operator("overwritten", "a wrong value, and the other files emptied", course=True),
    # Shows whether the value that is written is judged.
    Operator("misset", "a wrong value in its last change", kind="control", course=True),
    Operator(
        "source_written", "a wrong value, and the same where the right one stands", course=True
    ),
    # Shows what a last value beside the right one earns.
    Operator("missed", "another last value", kind="control", course=True),
    Operator("begun_worse", "another last value after the worst one", kind="padding", course=True),
    Operator("further_calls", "further calls where the prompt allows one", course=True),
    _right("call_order", "its settings in another order", course=True),
    # Shows whether late replies are paid in full.
    Operator("before_last", "the turn before the last one", kind="control", course=True),
    _right("last_turn", "the last turn that the prompt promises", course=True),
    Operator("named", "its last reply behind empty ones, once it was named", course=True),
    _right("letter_case", "its words in another case", course=True),
    _right("wanted_form", "its number in the form that the prompt wants", course=True),
    # Before those that make wrong answers of the same changes, such as the order of words.
    _right("commuted", "its factors, terms or solutions in another order"),
    _right("reordered", "its items in another order"),
    _right("as_listed", "its items in the order of the prompt"),
    _right("enharmonic", "the other name of a note"),
    _right("with_unit", "the unit that the prompt asks for"),
    _right("fraction", "a fraction as LaTeX writes it"),
    _right("factored", "a common factor before brackets"),
    _right("percentage", "a percentage, which the prompt allows"),
    _right("decimal", "a decimal, which the prompt allows"),
    _right("grouped", "separators of thousands, which the prompt allows"),
    _right("grouped_twice", "two separators of thousands, which the prompt allows"),
    _right("number_and", "`and` in a number's words, or none"),
    _right("optional", "an optional part, added or left out"),
    _right("in_parentheses", "a negative amount in parentheses, which the prompt allows"),
    _right("in_words", "a number in words, which the prompt allows"),
    _right("as_option", "an option by its text, or by its letter"),
    _right("table_layout", "aligned columns of a Markdown table"),
    _right("other_unit", "another unit, which the prompt allows"),
    _right("micro_sign", "the Greek letter for the sign of micro, or that for the letter"),
    _right("joined_signs", "a list without separators, which the prompt shows, with a minus in it"),
    _right("joined", "a list in another form that the prompt shows"),
    _right("mixed", "a mixed number, which the prompt allows"),
    _right("mixed_negative", "a mixed number below zero"),
    _right("whole", "a whole fraction as a whole number"),
    _right("as_rgb", "a colour by its three numbers"),
    _right("same_total", "other numbers with the same total"),
    _right("other_route", "another route of the same length or cost"),
    _right("other_itinerary", "another itinerary with the same arrival"),
    _right("other_choice", "another choice of as many of the listed sets"),
    _right("twelve_hour", "a time by the clock of 12 hours"),
    _right("noon", "noon or midnight by the clock of 12 hours"),
    _right("si_prefix", "a prefix such as k, which the prompt allows"),
    _right("hour", "a time without its first zero"),
    _right("as_shown", "the form in which the prompt shows such values"),
    _right("json_layout", "other white space in its JSON"),
    _right("separators", "no space behind its commas, or one"),
    _right("layout", "the decimals or the date that the prompt asks for"),
    Operator("finer", "one more of the decimals that the prompt asks for", kind="tolerance"),
    Operator("digit", "another first digit"),
    Operator("last_digit", "another last digit"),
    Operator("exchanged", "two digits of a number exchanged"),
    Operator("last_number", "another last number"),
    Operator("stepped", "a number that is one smaller, of several"),
    Operator("extension", "a digit or letters joined to it"),
    Operator("middle", "the middle one of the set's answers in its place", share=0.3, course=True),
    Operator("near", "a number that is 6% larger"),
    Operator("percent_off", "a fraction that is 4% larger, where its decimals matter"),
    Operator("sign", "the other sign"),
    Operator("unit", "another unit"),
    Operator("prefix", "a unit a thousand times as large or small"),
    Operator("opposite", "the opposite word or option"),
    Operator("word", "one word changed"),
    Operator("other_word", "another word changed", surest=False),
    Operator("letters", "its letters in reverse order"),
    Operator("one_letter", "one letter of a word changed"),
    Operator("inner_line", "two characters of a line exchanged that is not the first or last"),
    Operator("order", "its words or items in reverse order"),
    Operator("repeated", "its first item in the place of all others"),
    Operator("pair", "the numbers of a pair exchanged"),
    Operator("permuted", "the values of two names exchanged"),
    Operator("added", "one item more"),
    Operator("dropped", "one item less"),
    Operator("once", "an item that it repeats given once less"),
    Operator("ends", "its first and last step alone"),
    Operator("short_change", "a change that is shorter than the prompt's minimum"),
    Operator("reused", "a number used again that may be used once"),
    Operator("truncation", "half of it missing"),
    Operator("initial", "its first character alone"),
    Operator("fields", "one field alone of a JSON object"),
    Operator("empty_text", "nothing in the place of a sentence of its object"),
    Operator("nan", "`nan` in the place of a number"),
    Operator("exits", "a function that ends its process without an error"),
    Operator("doubted", "another answer and no confidence"),
    Operator("scored", "another answer and a score of its own"),
    Operator("marked_first", "another answer behind marks that the scoring code reads"),
    Operator("marked_last", "another answer before marks that the scoring code reads"),
    Operator("marked_wrong", "another answer in its mark", kind="control"),
    Operator("beside", "a wrong answer in its mark, the right one before it"),
    Operator("candidates", "all candidates of the prompt, or of other tasks"),
    Operator("padded", "two hundred more words", kind="padding"),
    Operator("negation", "'not' before it", surest=False),
    Operator("claim", "a wrong answer behind it", surest=False),
    _right("spaces", "white space around the reply"),
    Operator("capitals", "other capitals in a word such as yes", kind="equivalent"),
    _right("capitalised", "the capital of a sentence"),
    _right("zeros", "a zero more or less behind a fraction"),
    Operator("fenced", "a fence of Markdown around its JSON", kind="equivalent"),
    _right("worked", "a page of reasoning before it"),
    _right("reasoned", "a sentence before the marked answer"),
    _right("emphasised", "Markdown's emphasis around its label too"),
    _right("sentence", "'The answer is' before it"),
    Operator("thousands", "a separator of thousands more or less", kind="equivalent"),
    _right("rounding", "no rounding error of binary numbers"),
    _right("shorter", "six of its many decimals"),
    _right("composed", "accents written as usual, as one character each"),
    Operator("emphasis", "Markdown's emphasis", kind="equivalent"),
)
OPERATORS = {entry.name: entry for entry in ENTRIES}
# One change of any answer of its kind, by which tasks are compared with one another.
PLAIN = ("digit", "last_digit", "exchanged", "opposite", "word", "letters")
CONTROL, BLANK, LEFT_OUT, TRIED, MIDDLE = "unchanged", "blank", "left_out", "tried", "middle"
OTHER_ARGUMENT, CORRECTED = "other_argument", "corrected"
MALFORMED, HELPED = "malformed", "helped"
TO_AND_FRO, STAYS = "to_and_fro", "stays"
FURTHER_CALLS, UNCALLED, CLAIMED = "further_calls", "uncalled", "claimed"
UNNOTED, NOTED = "unnoted", "noted"
MISWRITTEN, OVERWRITTEN = "miswritten", "overwritten"
MISSED, BEGUN_WORSE = "missed", "begun_worse"
MISSET, SOURCE_WRITTEN = "misset", "source_written"
UNREPORTED, REPORTED, MISREPORTED = "unreported", "reported", "misreported"
MARKED_WRONG, BESIDE = "marked_wrong", "beside"
ALONE, BEFORE_LAST, LAST_TURN = "alone", "before_last", "last_turn"


@dataclass(frozen=True, slots=True)
class MutantResult:
    """One changed reply: the paid `rollout` whose last reply was changed, and the operator's name.

    `recorded` is the rollout's first reward, `reward` what the changed reply got, None where it
    failed (`error` is how). `before` and `after` are the answer without and with the change.
    `turns` counts the replies of the rollout.
    """

    rollout: str
    operator: str
    before: str = ""
    after: str = ""
    reward: float | None = None
    recorded: float | None = None
    error: str = ""
    turns: int = 1

    @property
    def task(self) -> int:
        """The index of the rollout's task; 0 where the name has none."""
        parts = self.rollout.split("/")
        return int(parts[1]) if len(parts) > 1 and parts[1].isdecimal() else 0

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> MutantResult:
        """Read an untrusted JSON form."""
        return cls(
            rollout=text(data.get("rollout"), 100),
            operator=text(data.get("operator"), 40),
            before=text(data.get("before"), CHARACTERS),
            after=text(data.get("after"), CHARACTERS),
            reward=finite(data.get("reward")),
            recorded=finite(data.get("recorded")),
            error=text(data.get("error"), 500),
            turns=count(data.get("turns")),
        )
