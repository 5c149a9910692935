"""Right replies in another form that the prompt leaves open: a fence or other white space of JSON,
Markdown's emphasis, a fraction of LaTeX, and words around the answer.

Each needs a prompt that shows no form of its own; a verifier that refuses one of these then wants
what nobody asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from envyard_runner.mutation.forms import REASONING, parsed
from envyard_runner.mutation.open_forms import JSON_WANTED
from envyard_runner.mutation.records import TAGGED
from envyard_runner.mutation.right_reply import Changed, RightReply, rewritten

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
SLASHED = re.compile(r"(-?\d{1,9})/(\d{1,9})")
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


def fraction(right: RightReply) -> str | None:
    """A fraction as LaTeX writes it, where it is boxed and the prompt shows no slash between
    numbers."""
    match = SLASHED.fullmatch(right.marked.answer.strip())
    is_boxed = right.marked.before.endswith("\\boxed{")
    if not match or not is_boxed or re.search(r"\w/\w", right.prompt):
        return None
    return right.marked.holding(f"\\frac{{{match[1]}}}{{{match[2]}}}")


def padded(right: RightReply) -> str | None:
    """Two hundred more words in the longest text between tags; None without one of a few words."""
    texts = [match for match in TAGGED.finditer(right.text) if len(match["text"].split()) >= FEW]
    if not texts:
        return None
    longest = max(texts, key=lambda match: len(match["text"]))
    end = longest.end("text")
    return f"{right.text[:end]} {' '.join([FILLER] * FILLERS)}{right.text[end:]}"


def json_layout(right: RightReply) -> str | None:
    """The same JSON with white space, or without it, where the prompt asks for JSON or a list and
    for no layout."""
    if not JSON_WANTED.search(right.prompt) or LAYOUT_WANTED.search(right.prompt):
        return None
    for text in (right.marked.answer.strip(), right.text.strip()):
        value = parsed(text) if text[:1] in ("{", "[") else None
        if value:
            compact = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            spaced = json.dumps(value, ensure_ascii=False)
            other = next((each for each in (compact, spaced) if each != text), text)
            return right.text.replace(text, other) if other != text else None
    return None


def fenced(right: RightReply) -> str | None:
    """JSON in a fence of Markdown, as models write it, where the prompt wants JSON and does not
    want it alone."""
    text = right.text.strip()
    is_json = text[:1] in ("{", "[") and parsed(text) is not None
    if not is_json or "json" not in right.prompt.lower() or NOTHING_ELSE.search(right.prompt):
        return None
    return f"```json\n{text}\n```"


def reasoned(right: RightReply) -> str | None:
    """The reply behind a sentence, where it marks its answer and the prompt does not want the mark
    alone."""
    marks = MARKS.search(right.marked.before) and MARKS.search(right.prompt)
    allowed = marks and not NOTHING_ELSE.search(right.prompt)
    return f"{REASONING}\n\n{right.text}" if allowed else None


def emphasised(right: RightReply) -> str | None:
    """The label in front of the answer within Markdown's emphasis too, which the prompt allows."""
    line = right.text.strip()
    labelled = line != right.marked.answer.strip() and line.endswith(right.marked.answer.strip())
    if not labelled or "\n" in line or not LABEL.fullmatch(right.marked.before.strip()):
        return None
    allowed = EMPHASIS.search(right.prompt) and not NO_EMPHASIS.search(right.prompt)
    return f"**{line}**" if allowed else None


def worked(right: RightReply) -> str | None:
    """The reply behind a page of reasoning, where the prompt invites that."""
    invited = INVITED.search(right.prompt) and not SHORT.search(right.prompt)
    return f"{PAGE}\n\n{right.text}" if invited else None


def sentence(right: RightReply) -> str | None:
    """The answer in a sentence, where the prompt says nothing of the reply's form."""
    text = right.marked.answer.strip()
    short = text == right.text.strip() and "\n" not in text and len(text.split()) <= 3
    if not short or INSTRUCTED.search(right.prompt) or NOTHING_ELSE.search(right.prompt):
        return None
    if not QUESTION.search(right.prompt):  # of another language, or none
        return None
    return f"The answer is {text}."


WHOLE_REPLIES: dict[str, Callable[[RightReply], Changed]] = {
    change.__name__: rewritten(change)
    for change in (fraction, padded, json_layout, fenced, reasoned, emphasised, worked, sentence)
}
