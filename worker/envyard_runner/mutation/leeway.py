"""Right answers in another form that the prompt leaves open: a usual capital, zeros of a fraction,
other separators, a free order, other white space of JSON, another name of a note, a time without
its first zero, and words around it.

Each needs a prompt that shows no form of its own; a verifier that refuses one of these then wants
what nobody asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from envyard_runner.mutation.answers import Marked
from envyard_runner.mutation.by_prompt import ANY_ORDER, PRECISION, reversed_list
from envyard_runner.mutation.forms import REASONING, parsed
from envyard_runner.mutation.lists import LISTED
from envyard_runner.mutation.records import TAGGED

WORDS = re.compile(r"[^\W\d_]{3,30}(?: [^\W\d_]{2,30}){0,2}")
# Prompts of which each character may matter (ciphers, spelling, code), and texts to be completed.
OF_CHARACTERS = re.compile(
    r"\b(?:revers|backward|cipher|shift|caesar|morse|decod|encod|string|text\b|print|output|code|"
    r"letter|spell|anagram|scrambl|character|regex|pattern|replac|extract|cop[yi]|case|capital|"
    r"exact|verbatim|variable|function|identifier|symbol|json|sort|alphabet|rotat|complet|continu|"
    r"fill\b|blank)|[-=]>|_{2,}",
    re.IGNORECASE,
)
LONGEST_ABBREVIATION = 5  # letters, of which a word in capitals may be one
FRACTION = re.compile(r"-?\d{1,12}\.\d{1,7}")
SEPARATOR_SHOWN = re.compile(
    r"\bspace|\bform(?:at)?\b|\bexactly|\blike\b|\bexample|\be\.g\.|[\"'`],\s?[\"'`]", re.IGNORECASE
)
JSON_WANTED = re.compile(r"\bjson\b|\b(?:list|array|dict|object)\b", re.IGNORECASE)
LAYOUT_WANTED = re.compile(
    r"\b(?:compact|minif|indent|spac|whitespace|canonical|exact|one line|single line)",
    re.IGNORECASE,
)
# Words by which a prompt may want a reply that holds nothing but the answer.
NOTHING_ELSE = re.compile(
    r"\b(?:only|alone|just|nothing|no other|without|exactly|single|bare|verbatim|strictly|"
    r"no (?:explanation|words?|text|prose|extra|commentary)|one (?:word|letter|number|line|tag)|"
    r"do not|don't|must be|consists?|entire|whole|"
    r"(?:reply|respond|answer|return|output) (?:as|in the form|in this form|like))\b",
    re.IGNORECASE,
)
# Words by which a prompt says anything of the reply.
INSTRUCTED = re.compile(
    r"\b(?:repl|respon|answer|output|return|writ|print|giv|stat|submi|format|form\b|json|tag|boxed|"
    r"end\b|finish|put|enclos|wrap|express|name|list|provid|say|type|choose|pick|select|fill|"
    r"complet|translat)|[<{\[`]|_{2,}|[A-Za-z]:|\.\.\.",
    re.IGNORECASE,
)
QUESTION = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|how|is|are|does|do|did|was|were)\b[^?]{0,400}\?",
    re.IGNORECASE,
)
# Questions whose answer is a set, and words by which a prompt may order it all the same.
SET_WANTED = re.compile(
    r"\bwhich (?:of )?(?:the |these )?\w+s\b|\b(?:list|find|name|select|give) (?:all|every)\b"
    r"|\ball (?:the )?\w+ (?:that|which|who|whose|with)\b",
    re.IGNORECASE,
)
ORDER_IMPLIED = re.compile(
    r"\b(?:order|rank|sort|sequence|route|path|schedul|plan\b|steps?\b|first|last|then\b|next|"
    r"priorit|arrange|ascend|descend|alphabet|chronolog|revers|chain|from \w+ to|itinerary|queue)",
    re.IGNORECASE,
)
NOTE = re.compile(r"(?P<name>[A-G])(?P<sign>[#b\u266f\u266d])")
FLATS = {"C#": "Db", "D#": "Eb", "F#": "Gb", "G#": "Ab", "A#": "Bb"}
SAME_NOTE = FLATS | {flat: sharp for sharp, flat in FLATS.items()}
SIGNS = str.maketrans({"\u266f": "#", "\u266d": "b"})
NOTE_WANTED = re.compile(r"\b(?:note|key|semitone|scale|chord|piano|pitch)s?\b", re.IGNORECASE)
SIGN_WANTED = re.compile(r"\bsharps?\b|\bflats?\b|[A-G][#\u266f\u266d]|\b[A-G]b\b", re.IGNORECASE)
# A prompt that allows both names, and one in which theory decides between them.
BOTH_SIGNS = re.compile(
    r"(?<!not )(?:\bsharps?\b|#)[^.\n]{0,30}\bor\b[^.\n]{0,30}\bflats?\b"
    r"|\bflats?\b[^.\n]{0,30}\bor\b[^.\n]{0,30}(?:\bsharps?\b|#)",
    re.IGNORECASE,
)
SPELLED = re.compile(
    r"\b(?:(?:not|never|no|avoid) (?:\w+ )?(?:sharps?|flats?)|scales?|chords?|intervals?|keys? of|"
    r"key signature|major|minor|triads?|"
    r"thirds?|fourths?|fifths?|sixths?|sevenths?|spell\w*)\b",
    re.IGNORECASE,
)
NOTES = re.compile(r"[A-G][#b]?(?:,? [A-G][#b]?)*")
TIME = re.compile(r"0(?P<time>\d:[0-5]\d)")
TIME_SHOWN = re.compile(r"\b0\d:\d\d|HH|\b24[ -]?h|\bdigits?\b|\bformat", re.IGNORECASE)
SLASHED = re.compile(r"(-?\d{1,9})/(\d{1,9})")
UNIT_WANTED = re.compile(
    r"\b(?:with|include|add|give|state|forget|name)\s+(?:its|the) units?\s*\(([^\s()\d]{1,10})\)",
    re.IGNORECASE,
)
AMOUNT = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
FEW, FILLERS = 3, 25  # words of a text, and how often the filler's eight words are added
FILLER = "This was checked once more in every way."
# A page of reasoning without numbers, options or marks, and words by which a prompt invites one.
PAGE = "\n".join(["First I look at what is given, then at what changes, one thing at a time."] * 20)
INVITED = re.compile(
    r"\bstep[ -]by[ -]step\b|\bshow (?:your|all|the) (?:work|steps|reasoning)|\bexplain your"
    r"|\bthink (?:as long|aloud|it through|first|carefully)|\breason (?:first|freely|aloud|as)"
    r"|\bas long as you (?:need|like|want)|\bas much as you (?:need|like|want)"
    r"|\bwork (?:it |this )?out (?:first|on paper|in|, then)|\bafter each (?:step|move)"
    r"|\b(?:end|finish|close|conclude) (?:your|the|each|every) "
    r"(?:reply|message|answer|response|turn) (?:with|by|in)\b|\bon (?:the|your) last line\b",
    re.IGNORECASE,
)
SHORT = re.compile(
    r"\b(?:at most|no more than|fewer than|under|within|up to|max(?:imum)?)\b[^.\n]{0,20}"
    r"\b(?:words|characters|sentences|lines|tokens)\b|\bbrief|\bconcise|\bshort\b",
    re.IGNORECASE,
)
LABEL = re.compile(r"[A-Za-z][\w ]{0,30}:")
EMPHASIS = re.compile(
    r"(?:\b(?:(?:may|can) (?:\w+ )?(?:be|use|put|write|add|mark|set)|with or without"
    r"|allowed to use)\b[^.;\n]{0,40}\b(?:bold|emphasis|markdown)\b"
    r"|\b(?:bold|emphasis|markdown)\b[^.;\n]{0,40}"
    r"\b(?:allowed|fine|accepted|ok|okay|welcome|optional|may be used)\b)",
    re.IGNORECASE,
)
NO_EMPHASIS = re.compile(
    r"(?:\b(?:no|not?|never|avoid|plain)\b|n't\b|\bwithout\b(?<!or without))[^.\n]{0,40}"
    r"\b(?:bold|emphasis|markdown)|\b(?:bold|emphasis|markdown)\b[^.;\n]{0,20}\b(?:not|never)\b",
    re.IGNORECASE,
)
MARKS = re.compile(r"<[A-Za-z_]\w*>|\\boxed\{|^####", re.MULTILINE)


def capitalised(answer: str, prompt: str) -> str | None:
    """Words in lower case, or in capitals, as one begins a sentence with them, where the prompt
    does not show them and its characters do not matter."""
    text = answer.strip()
    usual = text.lower() if text.isupper() else text
    if not WORDS.fullmatch(text) or usual != text.lower() or OF_CHARACTERS.search(prompt):
        return None
    shown = text in prompt or (text.isupper() and len(text) <= LONGEST_ABBREVIATION)
    return None if shown else usual[0].upper() + usual[1:]


def zeros(answer: str, prompt: str) -> str | None:
    """A fraction without the zeros at its end, or with one, where the prompt shows no such number
    and names no precision."""
    text = answer.strip()
    if not FRACTION.fullmatch(text) or PRECISION.search(prompt) or text in prompt:
        return None
    return text.rstrip("0").rstrip(".") if text.endswith("0") else f"{text}0"


def separators(answer: str, prompt: str) -> str | None:
    """Items behind commas without a space, or with one, where the prompt shows neither."""
    text = answer.strip()
    shown = SEPARATOR_SHOWN.search(prompt) or JSON_WANTED.search(prompt)
    if not LISTED.fullmatch(text) or shown or "comma" not in prompt.lower() or text in prompt:
        return None
    separator = "," if ", " in text else ", "
    return separator.join(item.strip() for item in text.split(","))


def reordered(answer: str, prompt: str) -> str | None:
    """The items in reverse order, where the prompt says that any order is right."""
    text = answer.strip()
    if not ANY_ORDER.search(prompt):
        return None
    listed = parsed(text)
    if isinstance(listed, list) and listed != listed[::-1]:
        return json.dumps(listed[::-1], ensure_ascii=False)
    return reversed_list(text) if LISTED.fullmatch(text) else None


def as_listed(answer: str, prompt: str) -> str | None:
    """The items in the order in which the prompt names them, where it asks which ones and for no
    order."""
    text = answer.strip()
    if not LISTED.fullmatch(text) or ORDER_IMPLIED.search(prompt) or not SET_WANTED.search(prompt):
        return None
    items = [item.strip() for item in text.split(",")]
    places = [prompt.lower().find(item.lower()) for item in items]
    if len({*items}) < len(items) or min(places) < 0:
        return None
    separator = ", " if ", " in text else ","
    listed = separator.join(item for _, item in sorted(zip(places, items, strict=True)))
    return listed if listed != text else None


def enharmonic(answer: str, prompt: str) -> str | None:
    """The other names of notes of music, as Db for C#: of one where the prompt names no sign, of
    all where it allows sharps or flats and no theory decides between them."""
    names = answer.strip().translate(SIGNS)
    if not NOTES.fullmatch(names) or not NOTE_WANTED.search(prompt):
        return None
    both = BOTH_SIGNS.search(prompt) and not SPELLED.search(prompt)
    if not both and (SIGN_WANTED.search(prompt) or not NOTE.fullmatch(names)):
        return None
    other = NOTE.sub(lambda match: SAME_NOTE.get(match[0], match[0]), names)
    return other if other != names else None


def hour(answer: str, prompt: str) -> str | None:
    """A time of the morning without its first zero, where the prompt shows no form of a time."""
    match = TIME.fullmatch(answer.strip())
    return match["time"] if match and not TIME_SHOWN.search(prompt) else None


def fraction(reply: str, marked: Marked, prompt: str) -> str | None:
    """A fraction as LaTeX writes it, where it is boxed and the prompt shows no slash between
    numbers."""
    match = SLASHED.fullmatch(marked.answer.strip())
    if not match or not marked.before.endswith("\\boxed{") or re.search(r"\w/\w", prompt):
        return None
    return marked.holding(f"\\frac{{{match[1]}}}{{{match[2]}}}")


def with_unit(answer: str, prompt: str) -> str | None:
    """A number with the unit that the prompt asks for in words."""
    wanted = UNIT_WANTED.search(prompt)
    is_bare = wanted and AMOUNT.fullmatch(answer.strip())
    return f"{answer.strip()} {wanted[1]}" if wanted and is_bare else None


def padded(reply: str, _marked: Marked, _prompt: str) -> str | None:
    """Two hundred more words in the longest text between tags; None without one of a few words."""
    texts = [match for match in TAGGED.finditer(reply) if len(match["text"].split()) >= FEW]
    if not texts:
        return None
    longest = max(texts, key=lambda match: len(match["text"]))
    end = longest.end("text")
    return f"{reply[:end]} {' '.join([FILLER] * FILLERS)}{reply[end:]}"


def json_layout(reply: str, marked: Marked, prompt: str) -> str | None:
    """The same JSON with white space, or without it, where the prompt asks for JSON or a list and
    for no layout."""
    if not JSON_WANTED.search(prompt) or LAYOUT_WANTED.search(prompt):
        return None
    for text in (marked.answer.strip(), reply.strip()):
        value = parsed(text) if text[:1] in ("{", "[") else None
        if value:
            compact = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            spaced = json.dumps(value, ensure_ascii=False)
            other = next((each for each in (compact, spaced) if each != text), text)
            return reply.replace(text, other) if other != text else None
    return None


def fenced(reply: str, _marked: Marked, prompt: str) -> str | None:
    """JSON in a fence of Markdown, as models write it, where the prompt wants JSON and does not
    want it alone."""
    text = reply.strip()
    is_json = text[:1] in ("{", "[") and parsed(text) is not None
    if not is_json or "json" not in prompt.lower() or NOTHING_ELSE.search(prompt):
        return None
    return f"```json\n{text}\n```"


def reasoned(reply: str, marked: Marked, prompt: str) -> str | None:
    """The reply behind a sentence, where it marks its answer and the prompt does not want the mark
    alone."""
    marks = MARKS.search(marked.before) and MARKS.search(prompt)
    return f"{REASONING}\n\n{reply}" if marks and not NOTHING_ELSE.search(prompt) else None


def emphasised(reply: str, marked: Marked, prompt: str) -> str | None:
    """The label in front of the answer within Markdown's emphasis too, which the prompt allows."""
    line = reply.strip()
    labelled = line != marked.answer.strip() and line.endswith(marked.answer.strip())
    if not labelled or "\n" in line or not LABEL.fullmatch(marked.before.strip()):
        return None
    allowed = EMPHASIS.search(prompt) and not NO_EMPHASIS.search(prompt)
    return f"**{line}**" if allowed else None


def worked(reply: str, _marked: Marked, prompt: str) -> str | None:
    """The reply behind a page of reasoning, where the prompt invites that."""
    return f"{PAGE}\n\n{reply}" if INVITED.search(prompt) and not SHORT.search(prompt) else None


def sentence(reply: str, marked: Marked, prompt: str) -> str | None:
    """The answer in a sentence, where the prompt says nothing of the reply's form."""
    text = marked.answer.strip()
    short = text == reply.strip() and "\n" not in text and len(text.split()) <= 3
    if not short or INSTRUCTED.search(prompt) or NOTHING_ELSE.search(prompt):
        return None
    if not QUESTION.search(prompt):  # of another language, or none
        return None
    return f"The answer is {text}."


OPEN_FORMS: dict[str, Callable[[str, str], str | None]] = {
    "capitalised": capitalised,
    "zeros": zeros,
    "separators": separators,
    "reordered": reordered,
    "as_listed": as_listed,
    "enharmonic": enharmonic,
    "hour": hour,
    "with_unit": with_unit,
}
AROUND: dict[str, Callable[[str, Marked, str], str | None]] = {
    "fraction": fraction,
    "padded": padded,
    "json_layout": json_layout,
    "fenced": fenced,
    "reasoned": reasoned,
    "emphasised": emphasised,
    "worked": worked,
    "sentence": sentence,
}
