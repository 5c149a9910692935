"""How the final number of a reply is found and compared."""

import re
from decimal import Decimal

NUMBER = re.compile(
    r"(?<![\w.,])-?\$?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w,])|\d+(?:\.\d+)?(?!\w|,\d))"
)
BOXED = re.compile(r"\\boxed\{([^{}]*)\}")


def numbers(text: str) -> list[Decimal]:
    """Every number of a text in order: `1,000`, `$4.50`, `-3` and `72.` are understood."""
    return [Decimal(re.sub(r"[$,]", "", match)) for match in NUMBER.findall(text)]


def final_number(reply: str) -> Decimal | None:
    """The one number a reply commits to, or None.

    Final statements are `#### 72` lines and `\\boxed{72}`; without any, it is the last line after
    its last `=`. All final statements must agree on one number: `#### 71 #### 72` commits to none.
    """
    marked = [part.splitlines()[0] for part in reply.split("####")[1:] if part.strip()]
    stated = marked + BOXED.findall(reply)
    if not stated:
        lines = [line for line in reply.splitlines() if line.strip()]
        stated = [lines[-1].rsplit("=", 1)[-1]] if lines else []
    values = {number for text in stated for number in numbers(text)}
    return values.pop() if len(values) == 1 else None


def correct(reply: str, answer: str) -> bool:
    """Whether the reply commits to the answer's value; 72, 72.0 and $72 are the same."""
    return final_number(reply) == Decimal(answer)


def marked(reply: str) -> bool:
    """Whether the reply ends with the required `#### <number>` line."""
    lines = reply.strip().splitlines()
    return bool(lines) and bool(re.fullmatch(r"####\s*-?\$?[\d,]*\.?\d+\.?", lines[-1].strip()))
