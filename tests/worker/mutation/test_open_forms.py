"""Right answers in a form that the prompt leaves open, and those that it does not."""

from __future__ import annotations

import pytest

from envyard_runner.mutation.operators import mutate


@pytest.mark.parametrize(
    ("operator", "prompt", "reply", "after"),
    [
        ("capitalised", "Which river runs through Ghent?", "leie", "Leie"),
        ("capitalised", "Which river runs through Ghent?", "SCHELDT", "Scheldt"),
        ("zeros", "What is half of 25?", "12.5", "12.50"),
        ("zeros", "What is half of 25?", "12.50", "12.5"),
        ("zeros", "What is half of 24?", "12.0", "12"),
        ("separators", "Name both rivers, with a comma between.", "Leie, Lys", "Leie,Lys"),
        ("separators", "Name the rivers, separated by commas.", "Leie,Lys,Po", "Leie, Lys, Po"),
        ("reordered", "Name them in any order.", "Leie, Lys, Po", "Po, Lys, Leie"),
        ("reordered", "A JSON list; the order does not matter.", "[1, 2]", "2, 1"),
        ("json_layout", "Reply with a JSON list.", "[1, 2]", "[1,2]"),
        ("json_layout", "Reply with a JSON object.", '{"a":1,"b":2}', '{"a": 1, "b": 2}'),
        ("as_listed", "Po, Lys, Leie. Which rivers are long?", "Lys, Po", "Po, Lys"),
        ("as_listed", "Po, Lys. Name all rivers.", "Lys,Po", "Po,Lys"),
        ("enharmonic", "Which note is two semitones above B?", "C#", "Db"),
        ("enharmonic", "Which note is two semitones above B?", "B\u266d", "A#"),
        (
            "enharmonic",
            "Which notes sound? Write # for a sharp or b for a flat.",
            "E C# A",
            "E Db A",
        ),
        ("enharmonic", "Which notes are pressed, in sharps or flats?", "Bb, C, D#", "A#, C, Eb"),
        (
            "enharmonic",
            "Transpose the chords. Sharps and flats are equally good, so A# and Bb are the same.",
            "C#m7 F/A# Gsus4 D#7b5",
            "Dbm7 F/Bb Gsus4 Eb7b5",
        ),
        ("hour", "It leaves at 7:10 am. When does it arrive?", "09:05", "9:05"),
        (
            "with_unit",
            "Answer with the volume, and do not forget the unit (mL).",
            "12.5",
            "12.5 mL",
        ),
        ("with_unit", "Give its unit (km).", "<answer>7</answer>", "7 km"),
        ("factored", "Any equivalent form is fine.", "6x + 4", "2(3x + 2)"),
        ("factored", "Any equivalent form.", "f'(x) = 6x + 4", "f'(x) = 2(3x + 2)"),
        ("factored", "Expanded or factored.", "-6x^2+4x-2", "2(-3x^2 + 2x - 1)"),
        ("as_shown", "It begins at 7:40 pm. When does it end?", "21:05", "9:05 pm"),
        ("as_shown", "It begins at 11:40 am. When does it end?", "00:05", "12:05 am"),
        ("as_shown", "It began on 3 May 2024. When, a week on?", "2024-05-10", "10 May 2024"),
        ("as_shown", "From May 3, 2024: a week later?", "2024-05-10", "May 10, 2024"),
        ("as_shown", "A pen costs $2.50. How much are two?", "5.00", "$5.00"),
        ("fraction", "Put it in \\boxed{}.", "\\boxed{3/4}", "\\boxed{\\frac{3}{4}}"),
        ("fenced", "Return JSON with a and b.", '{"a": 1}', '```json\n{"a": 1}\n```'),
        ("sentence", "It leaves at 7:10 am. When does it arrive?", "9:05", "The answer is 9:05."),
        ("sentence", "What is the capital of Chad?", "N'Djamena", "The answer is N'Djamena."),
    ],
)
def test_a_form_that_the_prompt_leaves_open(
    operator: str, prompt: str, reply: str, after: str
) -> None:
    changed = mutate(reply, operator, prompt=prompt)
    assert changed is not None
    assert changed[2] == after


@pytest.mark.parametrize(
    ("operator", "prompt", "reply"),
    [
        ("capitalised", "Is the river called leie or Lys?", "leie"),
        ("capitalised", "Write `eiel` backwards.", "leie"),
        ("capitalised", "Complete the line: the river of Ghent is the", "leie"),
        ("capitalised", "Which river? In lower case.", "leie"),
        ("capitalised", "Which code has Ghent's airport?", "GNE"),
        ("capitalised", "Which river runs through Ghent?", "Leie"),
        ("capitalised", "Which river runs through Ghent?", "7 Leie"),
        ("factored", "Any equivalent form is fine.", "6x + 5"),
        ("factored", "Any equivalent form is fine.", "6x"),
        ("factored", "Any equivalent form is fine.", "6 + 4"),
        ("factored", "Any equivalent form is fine.", "sin(6x) + 4"),
        ("factored", "Differentiate it.", "6x + 4"),
        ("factored", "In factored form, fully simplified.", "6x + 4"),
        ("as_shown", "It begins at 7:40 pm or 19:40. When does it end?", "21:05"),
        ("as_shown", "It begins at 7:40 pm. When (HH:MM)?", "21:05"),
        ("as_shown", "It begins in the evening. When does it end?", "21:05"),
        ("as_shown", "From 3 May 2024 to May 9, 2024: a week later?", "2024-05-10"),
        ("as_shown", "From 3 May 2024: a week later, as YYYY-MM-DD?", "2024-05-10"),
        ("as_shown", "It began on 3 May 2024. When?", "2024-13-10"),
        ("as_shown", "A pen costs $2.50. How much are two? Only the number.", "5.00"),
        ("as_shown", "A pen costs $2.50. How much are two, in dollars?", "5.00"),
        ("as_shown", "A pen costs $2.50. How many pens are these?", "5"),
        ("emphasised", "Write `Answer: N`.", "Answer: 7"),
        ("emphasised", "Write `Answer: N`, without bold or other Markdown.", "Answer: 7"),
        ("emphasised", "Write `Answer: N`. Don't use bold, though it is fine.", "Answer: 7"),
        ("emphasised", "Which bold word is it? Write `Answer: N`.", "Answer: 7"),
        ("emphasised", "You can see the bold word. Write `Answer: N`.", "Answer: 7"),
        ("emphasised", "Convert the Markdown. Write `Answer: N`.", "Answer: 7"),
        ("emphasised", "Bold is fine.", "7"),
        ("emphasised", "Bold is fine.", "I add.\nAnswer: 7"),
        ("worked", "Add 3 and 4. Answer: N.", "Answer: 7"),
        ("worked", "Go step by step, in at most 50 words. Answer: N.", "Answer: 7"),
        ("fenced", "Return only JSON with a and b.", '{"a": 1}'),
        ("fenced", "Return a and b.", '{"a": 1}'),
        ("fenced", "Return JSON with a and b.", '{"a": 1'),
        ("zeros", "What is half of 25, to 1 decimal?", "12.5"),
        ("zeros", "Copy 12.5.", "12.5"),
        ("zeros", "What is half of 24?", "12"),
        ("separators", "Name them, separated by ', '.", "Leie, Lys"),
        ("separators", "A comma and a space between.", "Leie, Lys"),
        ("separators", "Name both.", "Leie, Lys"),
        ("reordered", "Name them.", "Leie, Lys"),
        ("as_listed", "Po, Lys. Which rivers are on the route?", "Lys, Po"),
        ("as_listed", "Po, Lys. Which rivers are long?", "Po, Lys"),
        ("as_listed", "Po, Lys. Which rivers are long?", "Lys, Leie"),
        ("as_listed", "Po, Lys. Swap both.", "Lys, Po"),
        ("enharmonic", "Which sharp note is it?", "C#"),
        ("enharmonic", "Which notes are in this scale, in sharps or flats?", "C# D"),
        ("enharmonic", "Which notes sound? Use sharps or no sign, not flats.", "C# D"),
        ("enharmonic", "Which notes sound, in sharps or flats?", "C E G"),
        ("enharmonic", "Which language is it?", "C#"),
        ("enharmonic", "Which note is it?", "C"),
        ("with_unit", "Give the number of mL.", "12.5"),
        ("with_unit", "Do not forget the unit (mL).", "12.5 mL"),
        ("fraction", "Put a/b in \\boxed{}.", "\\boxed{3/4}"),
        ("fraction", "Put it in tags.", "<answer>3/4</answer>"),
        ("padded", "Why?", "<why>so</why><answer>4</answer>"),
        ("hour", "As HH:MM.", "09:05"),
        ("hour", "It leaves at 07:10. When does it arrive?", "09:05"),
        ("hour", "When does it arrive?", "19:05"),
        ("sentence", "Answer: the capital of Chad?", "N'Djamena"),
        ("json_layout", "Reply with compact JSON.", "[1,2]"),
        ("json_layout", "Which indices?", "[1, 2]"),
        ("json_layout", "Reply with a JSON list.", "[1, 2"),
        ("sentence", "Reply with the capital.", "N'Djamena"),
        ("sentence", "What is the capital? <answer>?</answer>", "N'Djamena"),
        ("sentence", "", "N'Djamena"),
        ("sentence", "\u7b54\u3048\u306f\u4f55\u3067\u3059\u304b?", "1458"),
        ("sentence", "The capital of Chad.", "N'Djamena"),
        ("sentence", "What happened?", "A long walk to the sea."),
        ("reasoned", "What is the capital?", "N'Djamena"),
        ("reasoned", "Nothing but <answer>...</answer>.", "<answer>4</answer>"),
        ("reasoned", "Reply in the form <answer>...</answer>.", "<answer>4</answer>"),
    ],
)
def test_a_form_that_the_prompt_may_decide_is_kept(operator: str, prompt: str, reply: str) -> None:
    assert mutate(reply, operator, prompt=prompt) is None


def test_a_sentence_before_a_mark_keeps_the_answer() -> None:
    prompt = "What is 2 + 2? Put the number in <answer></answer> tags."
    changed = mutate("<answer>4</answer>", "reasoned", prompt=prompt)
    assert changed is not None
    assert changed[0].endswith(".\n\n<answer>4</answer>")


def test_the_longest_text_between_tags_is_padded() -> None:
    reply = "<why>it is so by rule four</why><answer>4</answer>"
    changed = mutate(reply, "padded")
    assert changed is not None
    assert changed[0].startswith("<why>it is so by rule four This was checked")
    assert changed[0].endswith("</why><answer>4</answer>")
    assert len(changed[0].split()) > 200


@pytest.mark.parametrize("words", ["Go through it step by step.", "Think as long as you need."])
def test_a_page_of_reasoning_before_the_answer_where_the_prompt_invites_it(words: str) -> None:
    changed = mutate("Answer: 7", "worked", prompt=f"Add 3 and 4. {words} End with one line.")
    assert changed is not None
    assert changed[0].endswith("\n\nAnswer: 7")
    assert len(changed[0]) > 1000


def test_emphasis_may_hold_the_label_too() -> None:
    changed = mutate("Answer: 7", "emphasised", prompt="Write `Answer: N`; bold is fine.")
    assert changed is not None
    assert changed[0] == "**Answer: 7**"
