"""Whether the declaring side of a bridge contract is vulnerable, and by how many tricks it was made
or failed, in free wording; nothing where a text leaves either open."""

from __future__ import annotations

import re

from envyard_runner.survey.known_rules.entry import has

TRICKS, BOOK = 13, 6
SIDES = {
    "ns": re.compile(r"\b(?:North[- /]South|South[- /]North|N-?/?S)\b"),
    "ew": re.compile(r"\b(?:East[- /]West|West[- /]East|E-?/?W)\b"),
}
SEATS = re.compile(r"\b(?:North|South|East|West)\b|\bby [NSEW]\b")
SIDE_WORDS = r"(?:North[- /]South|South[- /]North|N-?/?S|East[- /]West|West[- /]East|E-?/?W)"
VALUED = re.compile(
    r"\bvul(?:nerab(?:le|ility))?\.?\s?[:=]\s?[*`]{0,2}(?P<value>[^.,;\n]{1,24})", re.IGNORECASE
)
IS_NOT = r"(?:\bnot\s|\bnon-?\s?|\bun-?|\bin|\bisn't\s|\bnor\s)"
NAMED = re.compile(
    rf"(?P<none>\b(?:neither (?:side|pair|team)|none|nobody|no one|no side)(?: is| are)? )?"
    rf"(?P<all>\b(?:both (?:sides|pairs|teams)?|all|everyone|everybody) ?(?:is |are )?)?"
    rf"(?:(?P<side>\b{SIDE_WORDS})(?: is| are)? (?P<only>only )?)?"
    rf"(?:(?P<negated>{IS_NOT})|\b)(?:vulnerable|vul)\b",
    re.IGNORECASE,
)
VALUES = {
    "yes": True, "y": True, "true": True, "vulnerable": True, "vul": True, "both": True,
    "all": True, "both sides": True, "everybody": True, "both vulnerable": True, "b": True,
    "no": False, "n": False, "false": False, "not vulnerable": False, "none": False,
    "neither": False, "nobody": False, "non-vulnerable": False, "nv": False, "non-vul": False,
    "neither side": False, "not vul": False, "nil": False, "o": False, "-": False,
}  # fmt: skip
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
           "eleven", "twelve", "thirteen")  # fmt: skip
COUNT = r"(?P<count>\d{1,2}|" + "|".join(NUMBERS[1:]) + ")"
TAKEN = re.compile(
    rf"(?<![\w.-]){COUNT}(?: (?:out )?of (?:the |all )?(?:13|thirteen))? tricks?\b"
    r"|\btricks?\b(?: \w+){0,3}[:=] ?[*`]{0,2}(?P<after>\d{1,2})\b",
    re.IGNORECASE,
)
OVER = re.compile(
    rf"(?<![\w.-]){COUNT} (?:over-?tricks?|extra tricks?|tricks? (?:over|extra)\b)"
    r"|\bover-?tricks?[:=] ?(?P<after>\d)\b",
    re.IGNORECASE,
)
UNDER = re.compile(
    rf"(?<![\w.-]){COUNT} (?:under-?tricks?|(?:tricks? )?(?:down|short|off|light)\b)"
    r"|\b(?:down|(?:set|beaten|defeated|fail(?:s|ed)?|short|off) by) "
    rf"{COUNT.replace('count', 'behind')}\b"
    rf"|\bunder-?tricks?[:=] ?(?P<after>\d{{1,2}})\b",
    re.IGNORECASE,
)
EXACTLY = re.compile(
    r"\b(?:made|makes|making|fulfilled|just made) (?:it )?(?:exactly|on the nose)\b"
    r"|\b(?:exactly|just) (?:made|makes|making|fulfilled)\b|\bno over-?tricks?\b",
    re.IGNORECASE,
)
# What a contract takes, and words by which a number of tricks may be another one.
NEEDED = re.compile(
    rf"\b(?:needs?|needed|requires?|required) (?:to (?:win|take|make) )?{COUNT} tricks\b",
    re.IGNORECASE,
)
OTHER_COUNT = has(
    r"\b(?:by(?! declarer)|needs?|needed|requires?|required|first|last|lose[sd]?|losing|lost"
    r"|conced\w*|defen[cs]e|defend\w*|opponents?|promis\w*|bid|aim\w*|against|only if"
    r"|over|under|short)\b"
)
MORE_COUNT = has(
    r"\A ?(?:short|over|under|down|less|more|too|fewer|extra|off|light|to the def\w+)\b"
)


def vulnerable_in(text: str) -> bool | None:
    """Whether the declaring side is vulnerable; None where the text does not
    state one vulnerability for that side."""
    valued = {_of_value(match["value"], text) for match in VALUED.finditer(text)}
    named = {_of_name(match, text) for match in NAMED.finditer(VALUED.sub(" ", text))}
    known = valued | named
    return known.pop() if len(known) == 1 else None


def _of_value(value: str, text: str) -> bool | None:
    plain = value.strip().strip("*`()").casefold()
    if plain in VALUES:
        return VALUES[plain]
    return _is_declaring(_side(value.strip()), text)


def _of_name(match: re.Match[str], text: str) -> bool | None:
    if match["side"]:
        declaring = _is_declaring(_side(match["side"]), text)
        is_known = declaring or match["only"]  # what one side is leaves the other open
        return declaring != bool(match["negated"]) if is_known and declaring is not None else None
    if match["none"] or match["all"]:
        return None if match["negated"] or (match["none"] and match["all"]) else bool(match["all"])
    return not match["negated"]


def _side(words: str) -> str | None:
    return next((side for side, pattern in SIDES.items() if pattern.fullmatch(words)), None)


def _is_declaring(side: str | None, text: str) -> bool | None:
    """Whether the only seat that a text names belongs to the side."""
    rest = text
    for words in SIDES.values():
        rest = words.sub(" ", rest)
    seats = {match[0][-1 if match[0].startswith("by") else 0] for match in SEATS.finditer(rest)}
    if side is None or len(seats) != 1:
        return None
    return seats.pop().casefold() in side


def over_in(text: str, level: int, signs: list[str]) -> int | None:
    """Tricks beyond the contract, below 0 where it failed; None where readings differ or are no
    result of the level. `signs` are results such as `+1` and `=` behind the contract."""
    plain = NEEDED.sub(" ", text)
    results = {_of_sign(sign) for sign in signs}
    results |= {_number(match) for match in OVER.finditer(plain)}
    results |= {-_number(match) for match in UNDER.finditer(plain)}
    results |= {0 for _ in EXACTLY.finditer(plain)}
    rest = UNDER.sub(" ", OVER.sub(" ", plain))
    for match in TAKEN.finditer(rest):
        if _is_other_count(rest, match):
            return None
        results.add(_number(match) - BOOK - level)
    if len(results) != 1:
        return None
    over = results.pop()
    return over if -BOOK - level <= over <= TRICKS - BOOK - level else None


def _is_other_count(text: str, match: re.Match[str]) -> bool:
    before = re.split(r"[.;\n?!]", text[max(0, match.start() - 50) : match.start()])[-1]
    return OTHER_COUNT(before + match[0]) or MORE_COUNT(text[match.end() : match.end() + 20])


def _of_sign(sign: str) -> int:
    plain = sign.strip().replace("\u2212", "-")
    return 0 if plain == "=" else int(plain)


def _number(match: re.Match[str]) -> int:
    text = next(each for each in match.groups() if each is not None).casefold()
    return NUMBERS.index(text) if text in NUMBERS else int(text)
