"""The texts and numbers that scoring code compares replies with."""

from __future__ import annotations

import time

from envyard.contract.code_checks.scoring_constants import MAX_WORDS, scoring_constants

CODE = '''
import re

BONUS = ["therefore", "step by step"]
TABLE = {"unrelated": 1}


def load_environment():
    return [{"prompt": "not a word of scoring"}]


def reward(completion, answer, **kwargs):
    """No word of a reply."""
    text = completion[-1]["content"].lower()
    if text in ("1000", "skip it") or text == "magic word":
        return 1.0
    if float(text) == 42.5 or text.count("x") == 0:
        return 1.0
    found = re.search(r"<a>(\\\\d+)", text) and helper(text)
    return 0.5 * ("<think>" in text) + sum(word in text for word in BONUS)


def helper(text):
    return text.startswith("Final:")
'''


def test_words_and_compared_values_of_rewards_and_what_they_name_are_read() -> None:
    constants = scoring_constants({"env.py": CODE.encode()})
    assert constants.compared == ("1000", "skip it", "magic word", "42.5")
    words = set(constants.words)
    assert {"<think>", "therefore", "step by step", "Final:", "1000", "magic word"} <= words
    assert not words & {"content", "unrelated", "prompt", "No word of a reply.", "x"}


def test_rewards_that_are_defined_within_another_function_are_read() -> None:
    code = """
def load_environment():
    def short(completion):
        return "therefore" in completion
    def other(text):
        return text == "deep thought"
    return Rubric(funcs=[short, other])
"""
    constants = scoring_constants({"env.py": code.encode()})
    assert set(constants.words) == {"therefore", "deep thought"}


def test_constants_that_no_reply_could_hold_are_left_out() -> None:
    huge = "0x" + "f" * 9000
    code = (
        f"def reward(completion):\n    return completion in ({huge}, 1e999, -7, 25, '\\ud800ab',"
        " 'a\\x00b', 'a\\u202eb')\n"
    )
    assert scoring_constants({"env.py": code.encode()}).compared == ("25",)
    assert scoring_constants({"env.py": code.encode()}).words == ()


def test_the_number_of_words_is_bounded_and_code_that_does_not_parse_has_none() -> None:
    many = "\n".join(f"    if 'word{i}' in completion: return 1" for i in range(500))
    constants = scoring_constants({"env.py": f"def reward(completion):\n{many}\n".encode()})
    assert len(constants.words) == MAX_WORDS
    assert scoring_constants({"env.py": b"def reward(:"}).words == ()


def test_patterns_labels_and_keys_are_read_and_not_run() -> None:
    code = """
import re
import verifiers as vf

LABEL = "verdict"
LINE = re.compile(rf"^{LABEL}: (pass|fail)$", re.MULTILINE)


def last_line(text):
    _, _, rest = text.rpartition("Total:")
    points = re.findall(r'''points  # of all
        : (\\d+)''', text, flags=re.X)
    return rest if LINE.search(text) else points


def right(parser, completion, answer):
    row = parser.parse_answer(completion)
    return row.get("mark") == 1 or row["grade"] == answer or re.sub("no form", "", row)


def load_environment():
    return vf.Rubric(funcs=[right], parser=vf.Parser(extract_fn=last_line))
"""
    constants = scoring_constants({"env.py": code.encode()})
    patterns = {(each.text.split()[0], each.verbose) for each in constants.patterns}
    assert patterns == {("^verdict:", False), ("points", True)}
    assert (constants.labels, constants.keys) == (("Total:",), ("mark", "grade"))


def test_long_sums_and_texts_that_cannot_be_sent_are_left_out() -> None:
    total = "+".join(["'abc'"] * 900)
    code = (
        f"PATTERN = {total}\n"
        "def right(completion):\n"
        "    re.search(PATTERN, completion) or re.search('\\ud800abc (1)', completion)\n"
        "    completion.split('\\ud800label')\n"
        f"    return completion['{'a' * 10_000}'] or completion['\\ud800key']\n"
    )
    constants = scoring_constants({"env.py": code.encode()})
    assert (constants.patterns, constants.labels, constants.keys) == ((), (), ())


def test_a_large_value_that_many_functions_read_is_read_once() -> None:
    values = f"TABLE = [{','.join('1' * 20_000)}]\nTAKEN = [{','.join('t' * 20_000)}]\n"
    functions = "\n".join(f"def reward{n}(completion): return TABLE" for n in range(1_000))
    taken = f"\nRubric(funcs=[{','.join(['TAKEN'] * 5_000)}])\n"
    began = time.process_time()
    scoring_constants({"env.py": (values + functions + taken).encode()})
    assert time.process_time() - began < 3.0


def test_texts_that_the_code_counts_are_read() -> None:
    code = (
        'DONE = "... DONE"\n\n\ndef reward(state):\n    log = state["log"]\n'
        '    return log.count(DONE) + log.count("[ok]") + log.count("ok") + log.count(state["x"])\n'
    )
    assert scoring_constants({"env.py": code.encode()}).counted == ("... DONE",)
