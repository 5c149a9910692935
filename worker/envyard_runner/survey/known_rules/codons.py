"""DNA and RNA: proteins by the standard code, reverse complements and transcripts."""

from __future__ import annotations

import re
from itertools import product

from envyard_runner.survey.known_rules.entry import KnownRule, Solved, has, pattern, words_of

BASES = "TCAG"
ACIDS = "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"
CODE = dict(zip(map("".join, product(BASES, repeat=3)), ACIDS, strict=True))
STOP, START = "*", "ATG"
NAMES = """
A ala alanine,R arg arginine,N asn asparagine,D asp aspartate,C cys cysteine,Q gln glutamine,
E glu glutamate,G gly glycine,H his histidine,I ile isoleucine,L leu leucine,K lys lysine,
M met methionine,F phe phenylalanine,P pro proline,S ser serine,T thr threonine,W trp tryptophan,
Y tyr tyrosine,V val valine,* ter stop,* end none
"""
ENTRIES = [entry.split() for entry in NAMES.split(",")]
THREE = {short: letter for letter, short, _ in ENTRIES}
FULL = {name: letter for letter, _, name in ENTRIES}
FULL |= {"aspartic acid": "D", "glutamic acid": "E", "stop codon": "*", "start": "M"}
# A sequence, perhaps in groups of three.
SEQUENCE = re.compile(
    r"(?<![A-Za-z])(?:[ACGTU]{3}(?:[ -][ACGTU]{3})+(?:[ -][ACGTU]{1,2})?|[ACGTU]{3,})(?![A-Za-z])"
)
ONE_LETTER = re.compile(r"[ACDEFGHIKLMNPQRSTVWY]+\*?")
LONGEST_CODON = 3
# What changes which strand or code is read.
OTHER_CODES = has(
    r"\b(?:template|antisense|anti-sense|non-?coding|mitochondri\w*|mutat\w*|frame ?shift"
    r"|reading frames?|frame [+-]?[23]|(?:translation|genetic) table|ciliate|yeast|introns?|exons?"
    r"|splic\w*|longest|orfs?|anticodons?|reverse|complement\w*|3'(?:[- ]| to )5')\b|\bfrom 3'"
)
OTHER_STRANDS = has(r"\b(?:mutat\w*|mismatch\w*|methyl\w*|iupac|ambigu\w*|hairpin|palindrom\w*)\b")
CODING = has(r"\b(?:coding|sense|non-?template) strand")
TEMPLATE = has(r"\b(?<!non-)(?<!non)(?:template|antisense)\b")
REVERSE = has(r"\brevers|\bcdna\b|\btranslat")
TRANSCRIBES = has(r"\btranscri\w+")
MRNA = has(r"\bm-?rna\b")
TRANSLATES = has(r"\b(?:translat\w+|proteins?|peptides?|amino[- ]acids?)\b")
COMPLEMENT = {"A": "T", "C": "G", "G": "C", "T": "A"}


def _sequence(prompt: str) -> str:
    """The only sequence of a prompt as DNA; empty where there are several, or T and U in one."""
    sequences = {re.sub("[ -]", "", match[0]) for match in SEQUENCE.finditer(prompt)}
    (text,) = sequences if len(sequences) == 1 else ("",)
    return "" if "T" in text and "U" in text else text.replace("U", "T")


def translated(sequence: str) -> tuple[str, bool]:
    """The amino acids before the first stop codon, and whether there is one."""
    codons = [sequence[at : at + 3] for at in range(0, len(sequence) - 2, 3)]
    acids = "".join(CODE[codon] for codon in codons)
    return acids.partition(STOP)[0], STOP in acids


def protein(prompt: str) -> Solved | None:
    """The protein from the first base on, or from the first start codon on."""
    sequence = _sequence(prompt)
    if len(sequence) <= LONGEST_CODON or not _is_translation(prompt):
        return None
    right = [translated(sequence)[0]]
    if (start := sequence.find(START)) >= 0:
        right.append(translated(sequence[start:])[0])
    through = "".join(CODE[sequence[at : at + 3]] for at in range(0, len(sequence) - 2, 3))
    right += [f"{each}*" for each in right] + [through]
    return Solved((*dict.fromkeys(filter(None, right)),))


def _is_translation(prompt: str) -> bool:
    return TRANSLATES(prompt) or (MRNA(prompt) and not TRANSCRIBES(prompt))


def protein_letters(answer: str) -> str:
    """One letter for each amino acid, from names of three letters too; empty for other answers."""
    text = re.sub(r"(?i)\bstop\b", "Ter", answer.strip())
    joined = re.sub(r"[\s,\u2013-]+", "-", text).strip("-")
    parts = joined.split("-")
    if all(len(part) == 3 and part.casefold() in THREE for part in parts) and (
        len(parts) > 1 or not text.isupper()
    ):
        return "".join(THREE[part.casefold()] for part in parts)
    letters = joined.replace("-", "")
    if letters.isupper() or not letters.isalpha():
        return letters if ONE_LETTER.fullmatch(letters) else ""
    runs = re.findall("[A-Z][a-z]{2}", letters)
    known = "".join(runs) == letters and all(run.casefold() in THREE for run in runs)
    return "".join(THREE[run.casefold()] for run in runs) if known else ""


def amino_acid(prompt: str) -> Solved | None:
    """The amino acid of the only codon of a prompt."""
    codon = _sequence(prompt)
    return Solved((CODE[codon],)) if len(codon) == LONGEST_CODON and TRANSLATES(prompt) else None


def acid_letter(answer: str) -> str:
    """The letter of one amino acid, or `*` for a stop; empty for other answers."""
    text = answer.strip().rstrip(".")
    words = words_of(answer)
    known = {**THREE, **FULL}
    if len(text) == 1 and (text == STOP or text.upper() in ACIDS):
        return text.upper()
    return known.get(words, "")


def reverse_complement(prompt: str) -> Solved | None:
    """The other strand, read in its own direction."""
    sequence = _sequence(prompt)
    if len(sequence) < LONGEST_CODON:
        return None
    right = "".join(COMPLEMENT[base] for base in reversed(sequence))
    return Solved((right,))


def transcript(prompt: str) -> Solved | None:
    """The RNA of the strand that a prompt names: of the coding one, the same letters; of a template
    its complement, in either direction; where none is named, any of these."""
    sequence = _sequence(prompt)
    coding, template = CODING(prompt), TEMPLATE(prompt)
    if len(sequence) < LONGEST_CODON or (coding and template):
        return None
    complement = "".join(COMPLEMENT[base] for base in sequence)
    right = [complement, complement[::-1]] if not coding else []
    return Solved((*right, *([] if template else [sequence])))


def bases(answer: str) -> str:
    """A sequence as DNA, without its ends; empty for other answers."""
    text = re.sub(r"[35]['\u2032\u2019]|[\s-]", "", answer.strip().upper())
    return text.replace("U", "T") if re.fullmatch("[ACGTU]{3,}", text) else ""


RULES = (
    KnownRule(
        "the protein of its sequence by the standard code",
        pattern(r"\b(?:translat\w+|m?rna|dna|codons?)\b"),
        protein,
        protein_letters,
        OTHER_CODES,
    ),
    KnownRule(
        "the amino acid of its codon by the standard code",
        pattern(r"\bcodon"),
        amino_acid,
        acid_letter,
        OTHER_CODES,
    ),
    KnownRule(
        "the reverse complement of its sequence",
        pattern(r"\brevers\w+[ -]complement"),
        reverse_complement,
        bases,
        OTHER_STRANDS,
    ),
    KnownRule(
        "the transcript of its strand",
        pattern(r"\btranscri(?:be|bed|pt|ption)\b"),
        transcript,
        bases,
        lambda text: OTHER_STRANDS(text) or REVERSE(text),
    ),
)
