"""The environments by other people that the table measures, and where their sources are."""

from __future__ import annotations

from dataclasses import dataclass

from envyard.contract.job import BoundSecret


@dataclass(frozen=True, slots=True)
class Repository:
    """A public repository at one commit; `group` names its environments in the table."""

    group: str
    name: str
    commit: str

    @property
    def url(self) -> str:
        """The address for git."""
        return f"https://github.com/{self.name}.git"

    @property
    def snapshot(self) -> str:
        """Its folder's name in a folder of snapshots."""
        return self.name.replace("/", "+")


@dataclass(frozen=True, slots=True)
class Grant:
    """The secrets that an owner set, each with its hosts, and the hosts that an operator
    approved."""

    secrets: tuple[BoundSecret, ...] = ()
    hosts: tuple[str, ...] = ()

    @classmethod
    def of(cls, secret: str, secret_host: str, *hosts: str) -> Grant:
        """One secret for one host, and further hosts."""
        return cls((BoundSecret(secret, (secret_host,)),), (secret_host, *hosts))


@dataclass(frozen=True, slots=True)
class Source:
    """The source of one environment: a folder of a repository."""

    name: str
    repository: Repository

    @property
    def grant(self) -> Grant:
        """What its owner and the operator gave it."""
        return GRANTS.get(self.key, Grant())

    @property
    def key(self) -> str:
        """Names it uniquely: several repositories have an environment of one name."""
        return f"{self.repository.group}/{self.name}"

    @property
    def folder(self) -> str:
        """Its path in the repository."""
        return f"environments/{self.name}"


RESEARCH = Repository(
    "research", "stochi0/research-environments", "1f9587956c271ed0c4c0e87363804e2b176601ef"
)
CARBONTEQ = Repository(
    "carbonteq", "carbonteq-ai/verifiers-environments", "3e1582ef3cce8e6d355be3747be0427f700ef865"
)
VERIFIERS = Repository(
    "verifiers", "PrimeIntellect-ai/verifiers", "a60a606ecc4d309247edf9ff92c3eabca362781f"
)
CSV_HOST = "openaipublic.blob.core.windows.net"
GRANTS = {
    "research/browsecomp": Grant.of("EXA_API_KEY", "api.exa.ai", CSV_HOST),
    "research/ddbc": Grant.of("SERPER_API_KEY", "google.serper.dev", CSV_HOST),
    "research/ddbc_rlm": Grant.of("SERPER_API_KEY", "google.serper.dev", CSV_HOST),
    "research/deepdive": Grant.of("SERPER_API_KEY", "google.serper.dev"),
    "research/deepdive_rlm": Grant.of("SERPER_API_KEY", "google.serper.dev"),
}
PUBLISHED = {
    RESEARCH: """
        aime2024 aime2025 aime2026 bfcl_v3 browsecomp clbench clbench_rlm code_env color_codeword
        ddbc ddbc_rlm deepdive deepdive_rlm gpqa graphwalks graphwalks_rlm hle if_summarize_judge
        ifbench ifeval livecodebench logic_env
    """,
    CARBONTEQ: """
        automationbench_v1 gsm8k_v1 ifeval_v1 math_python_v1 mmlu_pro_v1 reasoning_gym_v1
    """,
}
FURTHER = {
    RESEARCH: "math500 unscramble",
    VERIFIERS: """
        alphabet_sort bash_interception code_golf color_codeword compact deepwiki glossary
        grayscale_interception gsm8k interception kuhn_poker nemo_gym_weather openenv_wordle
        proposer_solver reverse_text scratchpad web_search_interception wiki_search wordle
    """,
}


def _sources(groups: dict[Repository, str]) -> tuple[Source, ...]:
    return tuple(
        Source(name, repository) for repository, names in groups.items() for name in names.split()
    )


PUBLISHED_SOURCES = _sources(PUBLISHED)
SOURCES = PUBLISHED_SOURCES + _sources(FURTHER)
