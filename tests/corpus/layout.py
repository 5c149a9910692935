"""Wheels that install more than their own modules, or scripts in place of commands."""

import io
import zipfile
from collections.abc import Iterable

from tests.corpus.case import Case
from tests.corpus.content import files, info, scripts
from tests.corpus.framing import INIT
from tests.wheels import TASKSET, filename, make_wheel

BREAKS = {
    "a carriage return": "\r", "a vertical tab": "\v", "a form feed": "\f", "U+001C": "\x1c",
    "U+001D": "\x1d", "U+001E": "\x1e", "U+0085": "\x85", "U+2028": "\u2028", "U+2029": "\u2029",
}  # fmt: skip
HIDDEN = "demo-env = demo_env:main"
PYTHON = "python = demo_env:main"


def points(name: str, text: str | bytes, *words: str) -> Case:
    return info(name, "entry_points.txt", text, "wheel.bad_entry_points", *words)


def top(name: str, path: str, code: str, *words: str, data: str | bytes = "x = 1\n") -> Case:
    shown = path.partition("/")[0]
    return Case(name, lambda: make_wheel(files={INIT: TASKSET, path: data}), code, (shown, *words))


def commands(names: Iterable[str]) -> list[Case]:
    return [scripts(f"a script named {name}", f"{name} = demo_env:main",
                    "wheel.script_takes_command", name, "taken") for name in names]  # fmt: skip


def shadows(names: Iterable[str]) -> list[Case]:
    return [top(f"a top-level {name}", name, "wheel.shadows_library", "well-known")
            for name in names]  # fmt: skip


def startups(names: Iterable[str]) -> list[Case]:
    return [top(f"a top-level {name}", name, "wheel.startup_module", "every start")
            for name in names]  # fmt: skip


def strays(names: Iterable[str]) -> list[Case]:
    return [top(f"a stray {name}", name, "wheel.stray_member") for name in names]


def others(names: Iterable[str]) -> list[Case]:
    return [top(f"metadata in {name}", name, "wheel.other_distribution", "another distribution")
            for name in names]  # fmt: skip


def installer(names: Iterable[str]) -> list[Case]:
    return [info(f"a {name} in .dist-info", name, "{}", "wheel.installer_file", "only installers")
            for name in names]  # fmt: skip


def foreign(names: Iterable[str]) -> list[Case]:
    return [info(f"a {name} that does not belong in .dist-info", name, "{}",
                 "wheel.dist_info_member") for name in names]  # fmt: skip


def groups(names: Iterable[str]) -> list[Case]:
    return [info(f"an entry point for {name}", "entry_points.txt", f"[{name}]\na = demo_env:b\n",
                 "wheel.autoloaded_entry_point", name, "imported by other programs")
            for name in names]  # fmt: skip


def with_pythons_twin() -> bytes:
    """A second entry_points.txt that systems without letter case read as the first."""
    return make_wheel(replace={"Entry_Points.txt": f"[console_scripts]\n{PYTHON}\n"})


def folder_attribute() -> bytes:
    info = zipfile.ZipInfo("demo_env/odd", (2026, 1, 1, 0, 0, 0))
    info.create_system = 0
    info.external_attr = 0x10
    return make_wheel(extra=[(info, b"")])


def attribute(bits: int) -> bytes:
    file = io.BytesIO(make_wheel())
    with zipfile.ZipFile(file, "a") as archive:
        archive.filelist[0].external_attr |= bits
        archive._didModify = True  # type: ignore[attr-defined]
    return file.getvalue()


BAD = [
    # entry_points.txt: what readers read in two ways
    *(points(f"a script behind {name}", f"[console_scripts]\n# {HIDDEN}{character}{PYTHON}\n",
             "line 2") for name, character in BREAKS.items()),
    *(points(f"a group behind {name}", f"[a]\nb = c:d{character}[console_scripts]{character}"
             f"{PYTHON}\n", "line 2") for name, character in BREAKS.items()),
    points("an indented section", f"[console_scripts]\n{HIDDEN}\n  [console_scripts]\n  {PYTHON}\n",
           "indented"),
    points("an indented script", f"[console_scripts]\n{HIDDEN}\n\t{PYTHON}\n", "indented"),
    points("a script indented by U+00A0", f"[console_scripts]\n{HIDDEN}\n\u00a0{PYTHON}\n",
           "line 3"),
    points("a group in two brackets", f"[[console_scripts]]\n{PYTHON}\n", "is no group"),
    points("a group with spaces inside", f"[ console_scripts ]\n{PYTHON}\n", "is no group"),
    points("a group with words behind", f"[console_scripts] ; x\n{PYTHON}\n", "is no group"),
    points("a group without its end", f"[console_scripts\n{PYTHON}\n", "is no group"),
    points("a group twice", f"[console_scripts]\n{HIDDEN}\n[a]\nb = c:d\n[console_scripts]\n"
           f"{PYTHON}\n", "occurs twice"),
    points("a group in capitals", f"[Console_Scripts]\n{PYTHON}\n", "must be written"),
    points("the group DEFAULT", f"[DEFAULT]\n{PYTHON}\n[console_scripts]\n{HIDDEN}\n",
           "every other group"),
    points("a comment by a semicolon", f"[console_scripts]\n; {PYTHON}\n", "';'"),
    points("a comment behind a script", f"[console_scripts]\n{HIDDEN} ; python\n", "line 2"),
    points("a comment behind a script by #", f"[console_scripts]\n{HIDDEN} # python\n", "line 2"),
    points("a colon in place of =", "[console_scripts]\npython : demo_env\n", "line 2"),
    points("a colon before =", "[console_scripts]\npython:x = demo_env:main\n", "line 2"),
    points("a byte order mark", f"\ufeff[console_scripts]\n{PYTHON}\n", "line 1"),
    points("an entry before any group", f"{HIDDEN}\n", "before the first"),
    points("an invisible character in a script's name",
           "[console_scripts]\ndemo\u200b = demo_env:main\n", "U+200B"),
    points("two scripts that differ in letter case",
           "[console_scripts]\nrun = demo_env:a\nRun = demo_env:b\n", "letter case"),
    points("a script of both kinds",
           "[console_scripts]\nrun = demo_env:a\n[gui_scripts]\nrun = demo_env:b\n", "kind"),
    points("a script of a module alone", "[console_scripts]\nrun = demo_env\n", "module:object"),
    points("a script with spaces in its object", "[console_scripts]\nrun = demo_env : main\n",
           "without spaces"),
    points("an interpolation", "[console_scripts]\nrun = %(x)s:main\n", "module:object"),
    points("an entry without a value", "[console_scripts]\nrun =\n", "module:object"),
    points("an entry without a name", "[console_scripts]\n= demo_env:main\n", "line 2"),
    Case("a second entry_points.txt in other letters", with_pythons_twin,
         "wheel.dist_info_member", ("Entry_Points.txt", "must be written 'entry_points.txt'")),
    *commands((
        "python", "Python", "PYTHON3", "python3.13t", "python3-intel64", "python3.12-config",
        "python.cmd", "python.EXE", "pythonw", "python3.11d", "python-script.py", "pypy",
        "pypy3.10",
        "graalpy", "pip3.11", "pip-3.11", "Pip3", "easy_install-3.9", "uv", "uv.bat", "uvx.exe",
        "hub", "hub.cmd", "hub-runner", "envyard", "activate", "activate.fish", "Activate.ps1",
        "deactivate.bat", "activate_this.py", "py.exe", "sh", "bash", "git", "ssh", "sudo", "env",
        "nvidia-smi", "torchrun", "vllm", "vf-eval", "prime", "pytest", "wheel", "conda", "node",
        "idle3", "2to3-3.11", "pydoc3",
    )),
    *(scripts(f"a script with the path {name}", f"{name} = demo_env:main", code, "")
      for name, code in (("bin/python", "wheel.script_takes_command"),
                         (r"..\python", "wheel.script_takes_command"),
                         ("sub/run", "wheel.script_name"), ("~/run", "wheel.script_name"),
                         (r"..\run", "wheel.script_name"), ("-run", "wheel.script_name"),
                         ("$HOME", "wheel.script_name"), ("*", "wheel.script_name"),
                         ("nul.txt", "wheel.script_name"),
                         ("COM1", "wheel.script_name"), ("r" * 101, "wheel.script_name"))),
    Case("python in .data/scripts",
         lambda: make_wheel(files={INIT: TASKSET, "demo_env-0.1.0.data/scripts/Python3.CMD": ""}),
         "wheel.script_takes_command", ("Python3.CMD", "taken")),
    *(Case(f"a .data/{kind} folder", lambda kind=kind: make_wheel(  # type: ignore[misc]
        files={INIT: TASKSET, f"demo_env-0.1.0.data/{kind}/x.py": ""}),
        "wheel.data_member", ("demo_env-0.1.0.data", "outside"))
      for kind in ("purelib", "platlib", "headers", "data", "made-up")),
    top("a .data folder of another name", "other-1.0.DATA/purelib/x.py", "wheel.data_member"),
    *groups((
        "pydantic", "fsspec.specs", "datasets.builders",
        "torch.backends", "vllm.general_plugins", "vllm.platform_plugins", "jax_plugins",
        "pytest11",
        "numba_extensions", "setuptools.finalize_distribution_options", "distutils.commands",
        "egg_info.writers", "keyring.backends", "triton.backends",
    )),
    points("a script of a keyword", "[console_scripts]\nrun = demo_env.import:main\n", "keywords"),
    *(info(f"a Wheel-Version of {version}", "WHEEL", f"Wheel-Version: {version}\n"
           "Root-Is-Purelib: true\nTag: py3-none-any\n", "wheel.wheel_version", f"'{version}'")
      for version in ("1", "1.x", "1.0.0")),
    *(Case(f"the tag {tag}", lambda tag=tag: make_wheel(tag=tag),  # type: ignore[misc]
           "wheel.platform_tag", (tag,), filename(tag=tag))
      for tag in ("py3x-none-any", "py4-none-any", "cp311-none-any", "py3-abi3-any")),
    # the top level
    *startups((
        "sitecustomize/__init__.py", "sitecustomize.pyw", "usercustomize.py", "SiteCustomize.py",
        "apport_python_hook.py", "org/python/core.py", "java/lang.py", "_manylinux.py",
        "_distutils_hack/override.py", "_virtualenv.py", "__editable___demo_finder.py",
        "_sysconfigdata__linux_x86_64-linux-gnu.py", "sitecustomize.pyc", "jax_plugins/evil.py",
        "__main__.py",
    )),
    top("a .start file", "demo_env.start", "wheel.pth_member", "every start"),
    top("a .Start file", "DEMO.Start", "wheel.pth_member", "every start"),
    *shadows((
        "verifiers.pyw", "verifiers.pyc", "verifiers.pyi", "verifiers/extra.py", "Verifiers/x.py",
        "torch/_evil/x.txt", "google/cloud/x.py", "yaml.py", "_pytest/x.py", "envyard/x.py",
        "math_verify/x.py", "PIL/x.py", "win32api.py", "openai-stubs/__init__.pyi",
    )),
    top("a compiled verifiers", "verifiers.cpython-311-x86_64-linux-gnu.so",
        "wheel.shadows_library", "well-known"),
    top("a compiled verifiers of Windows", "verifiers.pyd", "wheel.shadows_library", "well-known"),
    top("a module of Python for Windows", "json.pyw", "wheel.shadows_stdlib", "Python itself"),
    top("a compiled module of Python", "json.abi3.so", "wheel.shadows_stdlib", "Python itself"),
    top("a module that left Python", "distutils/core.py", "wheel.shadows_stdlib", "Python itself"),
    *others((
        "other.egg-info/PKG-INFO", "other-1.0.egg-info", "other.egg-link", "Other.EGG-LINK",
        "other-1.0.egg/EGG-INFO/PKG-INFO", "other.egg", "other-1.0.dist-info",
    )),
    *strays((
        "demo_env.exe", "demo_env.pyz", "helper.pyw", "run", "a.bat", "x.conf", "demo env.py",
        "demo-env/x.py", "demo.env/x.py", "1demo/x.py", ".hidden/x.py", "__MACOSX/x", ".DS_Store",
        "bin/tool", "~emo_env/x.py", "class-data/x.csv", "\uff44emo/x.py", "node_modules.dir/x",
        "site-packages/x.py", "torch.libs/x", "a.ps1",
    )),
    *installer((
        "DIRECT_URL.JSON", "installer", "Requested", "provenance_url.json", "uv_cache.json",
        "Provenance_URL.json", "uv_build.json",
    )),
    info("a signature in small letters", "record.JWS", "{}", "wheel.signature_file"),
    *foreign((
        "Metadata2", "PKG-INFO", "SOURCES.txt", "installed-files.txt", "evil.py", "METADATA~",
        "x/METADATA", "requires.txt", "__init__.py", "Top_Level.txt", ".gitignore",
    )),
    info("a record in small letters", "Record", "", "wheel.case_collision"),
    # attributes
    Case("a file that is a folder to Windows", folder_attribute, "wheel.disguised_member",
         ("demo_env/odd", "0x10")),
    Case("a volume label", lambda: attribute(0x08), "wheel.device_member", (INIT, "volume")),
    Case("a device of Windows by its attributes", lambda: attribute(0x40), "wheel.device_member",
         (INIT, "device")),
    Case("a reparse point", lambda: attribute(0x400), "wheel.device_member", (INIT, "link")),
    # WHEEL
    *(info(f"a WHEEL with {name}", "WHEEL", text, "wheel.bad_wheel_file", word)
      for name, text, word in (
        ("a field in small letters",
         "wheel-version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n", "must be written"),
        ("a folded line",
         "Wheel-Version: 1.0\nRoot-Is-Purelib:\n true\nTag: py3-none-any\n", "continues"),
        ("a lone carriage return",
         "Wheel-Version: 1.0\nX: y\rRoot-Is-Purelib: true\nTag: py3-none-any\n", "carriage"),
        ("words without a colon",
         "Wheel-Version: 1.0\nwords\nRoot-Is-Purelib: true\nTag: py3-none-any\n", "Field: value"),
        ("a build number",
         "Wheel-Version: 1.0\nBuild: 1\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
         "build number"),
        ("fields behind an empty line",
         "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n\nX: false\n",
         "follows the empty line"),
        ("a byte order mark",
         "\ufeffWheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n", "U+FEFF"),
    )),
    *(files(f"Python source with {name}", {"demo_env/odd.py": text}, "wheel.deceptive_source", word)
      for name, text, word in (
        ("an override", "a = 'user\u202e \u2066# check\u2069 \u2066'\n", "U+202E"),
        ("an isolate", "# \u2067x\n", "U+2067"),
        ("a hidden line", "# harmless\rimport os\n", "carriage return"),
        ("a program in variation selectors", f"a = '{chr(0xE0120) * 12}'\n", "shown as nothing"),
        ("code out of sight", "a = 1;" + " " * 2000 + "import os\n", "300 blanks"),
        ("UTF-7", "# coding: utf-7\n# +AAo-import os\n", "utf-7"),
        ("UTF-7 in its second line", "#!/usr/bin/python\n#vim: fileencoding=UTF_7 :\n", "UTF_7"),
        ("escapes", "# coding: unicode_escape\n# \\nimport os\n", "unicode_escape"),
        ("EBCDIC", "# coding: cp500\n", "cp500"),
        ("shifts", "# coding: iso2022_jp\n", "iso2022_jp"),
        ("an encoding that there is not", "# coding: none-such\n", "none-such"),
    )),
    files("a module beside a package", {"demo_env.py": ""}, "wheel.module_twice", INIT),
    files("a module beside a package deeper down",
          {"demo_env/a.py": "", "demo_env/a/__init__.py": ""}, "wheel.module_twice", "never"),
    info("a top_level.txt that names torch", "top_level.txt", "demo_env\ntorch\n",
         "wheel.top_level_file", "'torch'"),
    info("a huge top_level.txt", "top_level.txt", "x\n" * 40_000, "wheel.top_level_file", "limit"),
    files("a short name of Windows", {"DEMO_E~1/x.py": ""}, "wheel.windows_name", "short name"),
]  # fmt: skip
