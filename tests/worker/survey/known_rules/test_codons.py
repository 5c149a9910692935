"""Codons, proteins, reverse complements and transcripts."""

from __future__ import annotations

import random

import pytest

from envyard_runner.survey.known_rules.codons import (
    CODE,
    acid_letter,
    amino_acid,
    bases,
    protein,
    protein_letters,
    reverse_complement,
    transcript,
)
from envyard_runner.survey.labels import label_rule
from tests.worker.survey.known_rules.tasks import Rows, named, rows, spoiled

NAMES = {"M": "Met", "K": "Lys", "*": "Stop", "F": "Phe", "G": "Gly"}


def test_the_code_has_its_stops_and_start() -> None:
    assert {codon for codon, acid in CODE.items() if acid == "*"} == {"TAA", "TAG", "TGA"}
    assert (CODE["ATG"], CODE["TGG"], CODE["GCT"], CODE["CGA"]) == ("M", "W", "A", "R")


@pytest.mark.parametrize(
    ("prompt", "right"),
    [
        ("Translate this mRNA: AUGGCUUAA", "MA"),
        ("mRNA: 5'-AUG GCU UAA GGG-3'", "MA"),
        ("Which protein does CCATGGCTTGA encode?", "PWL"),
        ("Which protein does CCATGGCTTGA encode?", "MA"),
        ("Which peptide is GCU-UAA-GCU?", "A*A"),
    ],
)
def test_proteins_begin_at_the_first_base_or_codon(prompt: str, right: str) -> None:
    solved = protein(prompt)
    assert solved is not None
    assert right in solved.right


@pytest.mark.parametrize(
    "prompt", ["Translate AUGGCTUAA.", "Translate AUGGCU and AUGCCC.", "Translate the word."]
)
def test_unclear_sequences_are_left_alone(prompt: str) -> None:
    assert protein(prompt) is None
    assert amino_acid(prompt) is None


def test_proteins_are_read_in_both_notations() -> None:
    assert protein_letters("MKF*") == "MKF*"
    assert protein_letters("Met-Lys-Phe-Stop") == protein_letters("MetLysPheTer") == "MKF*"
    assert protein_letters("MET LYS PHE") == "MKF"
    assert protein_letters("the protein") == protein_letters("MXB") == ""
    assert acid_letter("methionine") == acid_letter("Met") == acid_letter("M") == "M"
    assert acid_letter("Stop codon") == acid_letter("*") == "*"
    assert bases("5'-AUG GCC-3'") == "ATGGCC"
    assert bases("unknown") == ""


def test_strands() -> None:
    solved = reverse_complement("Give the reverse complement of ATGC.")
    assert solved is not None
    assert solved.right == ("GCAT",)
    coding = transcript("Transcribe the coding strand ATGC.")
    assert coding is not None
    assert coding.right == ("ATGC",)
    template = transcript("Transcribe the template strand ATGC.")
    assert template is not None
    assert template.right == ("TACG", "GCAT")


def codon_tasks() -> Rows:
    known = [(codon, NAMES[acid]) for codon, acid in CODE.items() if acid in NAMES]
    others = [(codon, acid) for codon, acid in CODE.items() if acid not in NAMES]
    return rows(
        (f"Which amino acid is the codon {codon.replace('T', 'U')}?", acid)
        for codon, acid in known + others
    )


def reversed_tasks() -> Rows:
    dice = random.Random(2)
    sequences = ["".join(dice.choices("ACGT", k=9)) for _ in range(40)]
    pairs = str.maketrans("ACGT", "TGCA")
    return rows(
        (f"What is the reverse complement of {each}?", each[::-1].translate(pairs))
        for each in sequences
    )


def test_wrong_codons_and_strands_are_named() -> None:
    assert label_rule(codon_tasks()) is None
    rule = named(spoiled(codon_tasks(), lambda answer: "Trp" if answer != "W" else "Stop"))
    assert rule.text == "the amino acid of its codon by the standard code"
    assert label_rule(reversed_tasks()) is None
    rule = named(spoiled(reversed_tasks(), lambda answer: answer[::-1]))
    assert rule.text == "the reverse complement of its sequence"


def test_other_codes_and_template_strands_are_not_named() -> None:
    wrong = spoiled(codon_tasks(), lambda answer: "Trp")
    assert label_rule(wrong, "Use the vertebrate mitochondrial code.") is None
    assert label_rule(wrong, "Each triplet is read on the template strand.") is None
