"""Failures for want of something outside the sandbox, each by what exceptions and log show.

Every function gives the sentence that names the cause, or an empty text. A sentence states as fact
only what the evidence shows; what follows from it is the hint's, which suggests.
"""

from __future__ import annotations

import re
from itertools import chain

from envyard.contract.failures.facts import Facts, Raised, call_of

NO_NETWORK = re.compile(
    r"Name or service not known|Temporary failure in name resolution|getaddrinfo failed|"
    r"nodename nor servname|No address associated with hostname|Network is unreachable|"
    r"NameResolutionError|Failed to resolve|[Cc]ould ?n[o']t (?:reach|connect to)|"
    r"Max retries exceeded with url|Cannot connect to host|offline mode is enabled|"
    r"All connection attempts failed|Can't reach|dns error|"
    r"Tunnel connection failed|Unable to connect to proxy|403 Refused",  # by the runner's proxy
)
CONNECTING = (
    *("gaierror", "ConnectError", "ConnectTimeout", "NameResolutionError", "NewConnectionError"),
    *("MaxRetryError", "URLError", "ClientConnectorError", "ClientConnectorDNSError"),
    *("OfflineModeIsEnabled", "LocalEntryNotFoundError", "APIConnectionError", "ConnectionError"),
    *("ProxyError", "ClientHttpProxyError"),
)
HOST = re.compile(
    r"host='([\w.-]{1,200})'|[a-z]{2,10}://(?:[^/\s'\"@]{1,100}@)?([\w-]{1,63}(?:\.[\w-]{1,63})+)|"
    r"connect to host ([\w.-]{1,200})"
)
INSIDE = {"127.0.0.1", "0.0.0.0", "localhost", "::1"}  # noqa: S104
DATA_SET = re.compile(r"reach '([^']{1,200})' on the Hub")
VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
NO_KEY = re.compile(
    r"[Mm]issing|not set|must be set|is required|requires|not found|"
    r"environment variable|[Nn]o (?:API )?key|not provided|"
    r"please set|[Ss]et (?:the )?[A-Z]|unset|undefined|authenticate|credentials",
)
NO_ANTHROPIC_KEY = "Could not resolve authentication method"  # its client names no variable
SECRETIVE = re.compile(r"_(?:API_?|ACCESS_|SECRET_)KEY$|_(?:TOKEN|SECRET|PASSWORD|CREDENTIALS)$")
ANY_KEY = re.compile(r"_KEYS?$")  # of a variable only where it is called one: rows have keys too
CONTAINERS = re.compile(
    r"[Dd]ocker daemon|Error while fetching server API version|docker CLI|docker\.sock|"
    r"needs a container runtime|container runtime|NEEDS_CONTAINER|Docker is not|"
    r"docker: (?:command )?not found",
)
CONTAINER_TOOLS = ("docker", "podman", "apptainer", "singularity", "bwrap", "runc", "nerdctl")
SANDBOX_SERVICES = ("prime_sandboxes", "prime_cli", "modal", "daytona", "daytona_sdk", "e2b")
SANDBOX_REQUEST = re.compile(r"\bCreateSandboxRequest\b|\bSandboxClient\b")
INSTALLERS = ("uv", "uvx", "pip", "pip3", "pipx", "npm", "npx", "conda", "poetry", "apt-get")
NO_INSTALLER = re.compile(
    r"[`'\"]?\b(uvx?|pip3?|npm|npx)\b[`'\"]? (?:executable |command )?(?:was |is )?not "
    r"(?:found|installed)|No module named '?(pip|uv)\b"
)
NO_TOOL = re.compile(
    r"(?:^|[ :'\"`])([\w.+-]{2,40})[`'\"]? (?:executable |binary |command )?(?:was |is )?not "
    r"(?:found|installed)(?: (?:in|on) (?:your |the )?(?:system )?PATH| or (?:it's )?not in)|"
    r"([\w.+-]{2,40}): (?:command )?not found$|"
    r"Executable doesn't exist at \S*?([\w.+-]{2,40})[\s'\"]*$"
)
LIBRARY = re.compile(r"(lib[\w.+-]{1,80}\.so[.\d]*): cannot open shared object file")
GPU = re.compile(
    r"\bCUDA\b|libcuda|libcudart|libcublas|libcudnn|NVIDIA driver|nvidia-smi|"
    r"No GPUs? (?:was |were )?(?:found|available)|Failed to infer device type|no CUDA-capable",
)
NLTK = re.compile(r"Resource ['\s]*([\w./-]{1,80})['\s]* not found")
DATA_SCRIPT = "Dataset scripts are no longer supported"
SPACY = re.compile(r"Can't find model '([^']{1,100})'")


def missing_keys(error: Raised) -> list[str]:
    """The variables of keys that an exception names as not set."""
    if error.message.strip('"').startswith(NO_ANTHROPIC_KEY):
        return ["ANTHROPIC_API_KEY"]
    from_environ = error.is_a("KeyError") and "environ" in error.call
    is_certain = error.is_a("MissingKeyError") or from_environ
    is_certain = is_certain or (
        error.comes_from("openai", "anthropic") and "api_key" in error.message
    )
    loose = is_certain or "environ" in error.message
    names = VARIABLE.findall(error.message)
    variables = [
        name for name in names if SECRETIVE.search(name) or (loose and ANY_KEY.search(name))
    ]
    return variables if is_certain or NO_KEY.search(error.message) else []


def missing_key(error: Raised, facts: Facts) -> str:
    """A variable that holds a key and is not set."""
    variables = missing_keys(error)
    if not variables:
        return ""
    all_required = error.is_a("MissingKeyError")  # other sentences list alternatives
    variable_text = (", " if all_required else " or ").join(dict.fromkeys(variables[:6]))
    return f"{call_of(facts)} needs {variable_text}, which is not set in a sandbox ({error.kind})."


def network(error: Raised, facts: Facts) -> str:
    """A name that was not resolved, or a connection that was not made, to somewhere outside."""
    named = error.is_a(*CONNECTING) and not error.is_a("ConnectionRefusedError")
    if not (NO_NETWORK.search(error.message) or (named and _outside(error, facts))):
        return ""
    if _only_inside(error.message):
        return ""
    where = _outside(error, facts)
    host = f" {where}" if where else " the network"
    return f"{call_of(facts)} tried to reach{host}; a sandbox has no network ({error.line})."


def log_network(error: Raised, facts: Facts) -> str:
    """The same, where only the log shows it: the exception is of what was missing afterwards."""
    lines = [line for line in facts.log.splitlines() if NO_NETWORK.search(line)]
    if not lines or not error.is_a("LookupError", "FileNotFoundError", "OSError", "TimeoutError"):
        return ""
    hosts = [host for line in lines for host in _hosts(line)]
    host = f" {hosts[-1]}" if hosts else " the network"
    before = f"The log shows a failed attempt to reach{host}; a sandbox has no network."
    return f"{call_of(facts)} failed: {error.line}. {before}"


def data_download(error: Raised, facts: Facts) -> str:
    """Data or models that a library keeps apart from its wheel, and downloads by another call."""
    resource = NLTK.search(error.message) if "NLTK Downloader" in error.message else None
    if resource:
        return f"{call_of(facts)} needs the NLTK data {resource[1]!r}, which is not installed."
    if model := SPACY.search(error.message):
        return f"{call_of(facts)} needs the spaCy model {model[1]!r}, which is not installed."
    return ""


def data_script(error: Raised, facts: Facts) -> str:
    """A data set whose rows a script makes, which `datasets` runs no more."""
    if DATA_SCRIPT not in error.message:
        return ""
    return f"{call_of(facts)} loads a data set that consists of a script ({error.line})."


def container(error: Raised, facts: Facts) -> str:
    """Docker, another container program, or a service that starts sandboxes elsewhere."""
    if error.comes_from(*SANDBOX_SERVICES) or SANDBOX_REQUEST.search(error.message):
        return f"{call_of(facts)} uses a service that starts sandboxes ({error.line})."
    program = _program(error) in CONTAINER_TOOLS
    if not (program or CONTAINERS.search(error.message) or error.comes_from("docker", "podman")):
        return ""
    return f"{call_of(facts)} needs a container, and a sandbox starts none ({error.line})."


def installer(error: Raised, facts: Facts) -> str:
    """A package installer that is called while the environment runs."""
    match = NO_INSTALLER.search(error.message)
    program = _program(error) if _program(error) in INSTALLERS else match and (match[1] or match[2])
    if not program:
        return ""
    return f"{call_of(facts)} calls {program}, which a sandbox does not have ({error.line})."


def system_tool(error: Raised, facts: Facts) -> str:
    """A program that is no Python package."""
    match = NO_TOOL.search(error.message)
    program = _program(error) or (match and next(filter(None, match.groups())))
    if not program:
        return ""
    return f"{call_of(facts)} needs the program {program!r}, which was not found ({error.kind})."


def system_library(error: Raised, facts: Facts) -> str:
    """A shared library that a wheel expects of the system."""
    match = LIBRARY.search(error.message)
    return (
        f"{call_of(facts)} needs the system library {match[1]}, which is not there."
        if match
        else ""
    )


def gpu(error: Raised, facts: Facts) -> str:
    """CUDA, a driver or a device."""
    if not GPU.search(error.message):
        return ""
    return f"{call_of(facts)} expects a GPU or its libraries ({error.line})."


def _hosts(raw: str) -> list[str]:
    hosts = (next(filter(None, match)) for match in HOST.findall(raw))
    return [host for host in hosts if host not in INSIDE]


def _only_inside(message: str) -> bool:
    hosts = [next(filter(None, match)) for match in HOST.findall(message)]
    return bool(hosts) and not _hosts(message)


def _outside(error: Raised, facts: Facts) -> str:
    """What was to be reached: a data set, hosts that exceptions or failing lines of the log name,
    an address that the sandbox refused."""
    data_set = DATA_SET.search(error.message)
    failing = (line for line in reversed(facts.log.splitlines()) if NO_NETWORK.search(line))
    messages, calls = zip(*((other.message, other.call) for other in facts.raised), strict=True)
    texts = chain((error.message,), messages, calls, failing)
    host = next((host for raw in texts for host in _hosts(raw)), "")
    address = next((text for text in facts.refused if "name server" not in text), "")
    if data_set:
        return f"the data set {data_set[1]!r}{f' on {host}' if host else ''}"
    return host or address


def _program(error: Raised) -> str:
    """The program that was to be started: no path, and no file with an ending such as .json."""
    plain = bool(error.name) and "/" not in error.name and "." not in error.name
    return error.name if error.is_a("FileNotFoundError") and plain else ""
