"""Names of commands that no script of a wheel may have, because it would replace them."""

from __future__ import annotations

import re
import unicodedata

# Endings that Windows or a file manager leaves out of a command's name.
ENDING = re.compile(
    r"(-script)?\.(exe|cmd|bat|com|ps1|psm1|py|pyw|pyz|sh|bash|zsh|fish|csh|xsh|nu|vbs|js|lnk)$"
)
# Interpreters, installers and what every virtual environment has in its folder of programs.
VENV = re.compile(
    r"""
    (python|pythonw|pypy|pypyw|graalpy|graalpython|jython|ironpython|ipy|micropython|cpython)
        [\d.]*((?<=\d)[a-z]{1,2}|[wdt])?([_-](config|intel64|x86_64|arm64|32|64|dbg|build|embed))*
    | py | pyw | pymanager | pydoc[\d.]* | idle[\d.]* | 2to3([\d.-]*) | pyvenv([\d.-]*)
    | (pip|pipx|easy_install|wheel|virtualenv|venv)[\d.-]*
    | activate([_.-].*)? | deactivate([_.-].*)? | activate_this
    | uv | uvx | uvw | uv-build | hub | hub-runner | envyard([_-].*)?
    """,
    re.VERBOSE,
)
# Shells, tools that scripts call by name, and the commands of the frameworks.
TOOLS = frozenset(
    """
    accelerate apt apt-get ar awk base64 bash brew bwrap bzip2 cargo cat cc chmod chown chroot clang
    cmake cmd conda cp crontab csh curl cut dash dd deno df diff dirname docker doas dpkg du echo
    env expr false find fish flit g++ gcc gdb gh git go grep gzip hatch head hf huggingface-cli id
    install ip java jupyter kill ksh ld ldd less ln login ls make mamba micromamba mkdir mktemp
    mount mv nc ninja node nohup npm npx nvcc nvidia-smi openssl passwd patch pdm perl php pixi
    poetry powershell printf prime ps pwd pwsh pytest ray readlink realpath rm rmdir rsync ruby ruff
    rustc rye scp sed sftp sh sleep sort ssh ssh-add ssh-agent ssh-keygen stat strace su sudo
    systemctl tail tar tee test time timeout torchrun touch tox tr true twine umount uname uniq
    unzip vf-eval vf-init vf-install vf-tui vf-vllm vllm wandb wc wget which whoami xargs xz yes zip
    zsh zstd
    """.split()  # noqa: SIM905 - a list of quoted words would take a hundred lines
)


def replaced_command(name: str) -> str:
    """The command that a script or file of that name would replace; empty where it replaces none.

    Letter case, Unicode form, folders and the endings that Windows tries do not count.
    """
    plain = unicodedata.normalize("NFKC", name).casefold().replace("\\", "/")
    plain = plain.rpartition("/")[2].strip(" .")
    while True:
        if VENV.fullmatch(plain) or plain in TOOLS:
            return plain
        shorter = ENDING.sub("", plain)
        if shorter == plain:
            return ""
        plain = shorter
