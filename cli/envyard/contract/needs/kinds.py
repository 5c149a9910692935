"""The kinds of needs, and the rules for names of variables, secrets and hosts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal, cast

Kind = Literal["data", "judge", "secret", "host", "machine"]
KINDS: tuple[Kind, ...] = ("data", "judge", "secret", "host", "machine")
LABELS: dict[Kind, str] = {
    "data": "data sets",
    "judge": "a judge model",
    "secret": "secrets",
    "host": "hosts",
    "machine": "container images",
}
MAX_NAMES = 50
MAX_NAME = 200  # characters
MAX_VARIABLE_NAME = 100
VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
HOST = re.compile(rf"(?:\*\.)?{LABEL}(?:\.{LABEL})*\.[a-z](?:[a-z0-9-]{{0,61}}[a-z0-9])?")
MAX_HOST = 253
UNSENDABLE = re.compile(r"[^\t\x20-\x7e\x80-\xff]")  # in a header (RFC 9110, 5.5)
KEY_NAME = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$")
KEY_PREFIX = re.compile(
    r"sk-[\w-]{16}|hf_\w{16}|hubr?_\w{16}|gh[pousr]_\w{16}|github_pat_\w{16}|glpat-[\w-]{16}|"
    r"AKIA[A-Z0-9]{16}|AIza[\w-]{30}|xox[abprs]-[\w-]{10}|ey[\w-]{10,}\.ey[\w-]{10,}\.|-----BEGIN "
)
RESERVED_PREFIXES = (
    *("HF_", "LD_", "PYTHON", "SSL_", "UV_", "PIP_", "ENVYARD_", "BASH_", "LC_"),
    *("OPENSSL_", "GLIBC_", "GCONV_", "MALLOC_"),
)
RESERVED_SUFFIXES = ("_PROXY",)
RESERVED = {
    *("PATH", "HOME", "TMPDIR", "TMP", "TEMP", "LANG", "USER", "LOGNAME", "SHELL", "PWD", "IFS"),
    *("ENV", "TERM", "HOSTNAME", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
    *("DO_NOT_TRACK", "TZ", "VIRTUAL_ENV", "NLTK_DATA", "OMP_NUM_THREADS"),
    *("LANGUAGE", "LOCPATH", "NODE_OPTIONS", "HOSTALIASES", "RES_OPTIONS"),
    *("OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL"),
    *("ANTHROPIC_API_KEY", "PRIME_INFERENCE_URL", "PRIME_API_KEY", "OPENROUTER_API_BASE"),
    *("OPENROUTER_API_KEY", "RAYON_NUM_THREADS", "TOKENIZERS_PARALLELISM"),
}
JUDGE_KEYS = {
    *("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "PRIME_API_KEY"),
}
JUDGE_HOSTS = {
    *("api.openai.com", "api.anthropic.com", "api.pinference.ai", "openrouter.ai"),
}


@dataclass(frozen=True, slots=True)
class Need:
    """One kind of need. `names` are those of data sets, secrets, hosts or images, empty where the
    code computes them; `where` is the file and line that shows it. A need that is not `declared` is
    a prediction."""

    kind: Kind
    names: tuple[str, ...] = ()
    declared: bool = False
    where: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self) | {"names": list(self.names)}

    @property
    def sentence(self) -> str:
        """Such as: It probably needs data sets: openai/gsm8k."""
        verb = "declares that it needs" if self.declared else "probably needs"
        names = f": {', '.join(self.names)}" if self.names else ""
        return f"It {verb} {LABELS[self.kind]}{names}."


def need(kind: str, names: Iterable[str] = (), *, declared: bool = False, where: str = "") -> Need:
    """A Need with its names sorted, without repetition and within bounds."""
    short = (name for name in names if 0 < len(name) <= MAX_NAME)
    kept = tuple(sorted(set(short))[:MAX_NAMES])
    return Need(cast("Kind", kind), kept, declared, where[:MAX_NAME])


def variable_fault(name: str) -> str:
    """The rule that the name of a variable or secret breaks; empty where it is valid."""
    if not VARIABLE.fullmatch(name) or len(name) > MAX_VARIABLE_NAME:
        return (
            "has a form that is not allowed: a capital first, then capitals, digits and _, "
            f"at most {MAX_VARIABLE_NAME} characters"
        )
    if name in RESERVED or name.startswith(RESERVED_PREFIXES) or name.endswith(RESERVED_SUFFIXES):
        return "is set by the runner, or changes how programs start"
    return ""


def secret_fault(value: str) -> str:
    """The rule that the value of a secret breaks; empty where it is valid. White space around it
    is no part of it."""
    if UNSENDABLE.search(value.strip()):
        return (
            "has a line break, a control character or letters beyond Latin-1, which no header holds"
        )
    return ""


def host_fault(host: str) -> str:
    """The rule that a host breaks; empty where it is valid: a lower-case name of two labels or
    more, whose first label alone may be `*`."""
    if not HOST.fullmatch(host) or len(host) > MAX_HOST:
        plain = host_in(host)
        example = f": {plain}" if plain else ", such as api.example.com or *.example.com"
        return f"is no host name: write it in lower case without scheme, port or path{example}"
    if host.startswith("*.") and host.count(".") < 2:
        return "is a whole top-level domain"
    return ""


def approval_fault(host: str) -> str:
    """`host_fault`, and the rule that a judge's host is not approved; empty for all others."""
    if host in JUDGE_HOSTS:
        return "is the host of a judge: the hub's judge answers it, and no approval is needed"
    return host_fault(host)


def host_in(address: str) -> str:
    """The valid host name inside an address such as https://API.example.com:443/v1, else ""."""
    rest = address.strip().lower().partition("://")[2] or address.strip().lower()
    host = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2].partition(":")[0].rstrip(".")
    return host if HOST.fullmatch(host) and len(host) <= MAX_HOST else ""


def is_secret(name: str, value: str) -> bool:
    """Whether a public variable looks like a key: by a known prefix, or by its name and a long
    value of letters and digits."""
    value = value.strip()
    if KEY_PREFIX.match(value):
        return True
    is_long = re.fullmatch(r"[\w+/=.-]{20,}", value) and re.search(r"\d", value)
    return bool(is_long and KEY_NAME.search(name) and re.search("[a-zA-Z]", value))


def covers(pattern: str, host: str) -> bool:
    """Whether a host, or the pattern `*.DOMAIN`, admits that host; `*` stands for one label."""
    if pattern.startswith("*.") and not host.startswith("*."):
        return host.partition(".")[2] == pattern[2:]
    return pattern == host
