"""The domains of environments, read from their keywords."""

from __future__ import annotations

from collections.abc import Iterable

# Domain -> the words of keywords that name it; a keyword of several words has one in each.
DOMAINS = {
    "math": "math maths mathematics arithmetic algebra geometry gsm8k aime theorem proof lean",
    "code": "code coding programming python software swe sql bash debugging repair competitive",
    "games": "game games chess wordle puzzle puzzles sudoku tictactoe poker",
    "reasoning": "reasoning logic deduction planning",
    "science": "science physics chemistry biology medicine medical",
    "knowledge": "knowledge qa trivia retrieval search rag factuality",
    "language": "language text translation summarization summarisation writing instruction",
    "agents": "agent agents agentic browser web terminal computer tool tools",
    "safety": "safety security alignment redteaming jailbreak",
    "vision": "vision image images multimodal vqa ocr",
}
_DOMAIN_OF = {word: domain for domain, words in DOMAINS.items() for word in words.split()}


def domains_of(keywords: Iterable[str]) -> list[str]:
    """The domains that the keywords name, sorted; a hyphen or blank separates words."""
    words = (
        word for keyword in keywords for word in str(keyword).lower().replace("-", " ").split()
    )
    return sorted({_DOMAIN_OF[word] for word in words if word in _DOMAIN_OF})
