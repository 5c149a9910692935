"""How a reply is scored. No verifiers in here, so tests stay fast and plain."""

import re

ANSWER = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)


def score(reply: str, answer: list[str]) -> float:
    """1.0 if the reply's only <answer> tag holds exactly the answer's words in order, else 0.0."""
    found = ANSWER.findall(reply)
    if len(found) != 1:
        return 0.0
    return float(found[0].replace(",", " ").split() == answer)
