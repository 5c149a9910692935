"""Seeded English texts: the dataset is a grammar, so nothing is downloaded."""

import hashlib
import random
from collections.abc import Iterator

WHO = (
    "the baker",
    "an old captain",
    "my neighbour",
    "the youngest clerk",
    "a quiet painter",
    "the night nurse",
    "our gardener",
    "a visiting judge",
    "the third violinist",
    "her uncle",
    "the bus driver",
    "a retired pilot",
    "the librarian",
    "one of the twins",
    "the watchmaker",
)
DID = (
    "carried",
    "forgot",
    "sketched",
    "repaired",
    "borrowed",
    "polished",
    "described",
    "buried",
    "photographed",
    "sold",
    "hid",
    "measured",
    "unpacked",
    "admired",
    "returned",
)
WHAT = (
    "a copper kettle",
    "two wooden boxes",
    "the harbour map",
    "a letter from Oslo",
    "six candles",
    "the broken clock",
    "a jar of honey",
    "an unsigned poem",
    "the spare key",
    "a bag of walnuts",
    "the blue umbrella",
    "nine postcards",
    "a piece of amber",
    "the velvet curtain",
    "some chalk",
)
WHERE = (
    "behind the station",
    "near the frozen lake",
    "under the kitchen stairs",
    "in the attic",
    "beside the lighthouse",
    "at the edge of town",
    "on the ferry",
    "outside the theatre",
    "between two chapels",
    "above the pharmacy",
    "in a field of barley",
    "by the stone bridge",
)
WHEN = (
    "before sunrise",
    "on a rainy Tuesday",
    "during the parade",
    "after the second bell",
    "in early March",
    "while it snowed",
    "late at night",
    "an hour before the concert",
    "as the fog lifted",
    "on the last day of term",
    "twice a week",
    "without a word",
)
SHAPES = (
    "{when}, {who} {did} {what} {where}.",
    "{who} {did} {what} {when}.",
    "{who} {did} {what} {where} {when}.",
    "{where}, {who} {did} {what}; {who2} {did2} {what2}.",
    "{who} {did} {what} and {who2} {did2} {what2} {where}.",
)


def sentence(rng: random.Random) -> str:
    """One sentence of 40 to 130 characters, first letter upper case."""
    who, who2 = rng.sample(WHO, 2)
    did, did2 = rng.sample(DID, 2)
    what, what2 = rng.sample(WHAT, 2)
    text = rng.choice(SHAPES).format(
        who=who,
        who2=who2,
        did=did,
        did2=did2,
        what=what,
        what2=what2,
        where=rng.choice(WHERE),
        when=rng.choice(WHEN),
    )
    return text[0].upper() + text[1:]


def split_of(text: str) -> str:
    """The split a text belongs to, decided by its own bytes: no seed can move it."""
    return "eval" if hashlib.sha256(text.encode()).digest()[0] < 51 else "train"


def texts(*, seed: int, split: str) -> Iterator[str]:
    """Distinct texts of one split, for ever, the same for the same seed."""
    rng = random.Random(f"reverse-text/{seed}")
    distinct: set[str] = set()
    while True:
        text = sentence(rng)
        if text not in distinct and split_of(text) == split:
            distinct.add(text)
            yield text
