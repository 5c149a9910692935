"""Codes of the content of a wheel: its .dist-info folder, RECORD, modules and data."""

from __future__ import annotations

from envyard.contract.codes.code import environment_fault
from envyard.contract.codes.hints import BUILD, PURE

WHEEL_CONTENT = (
    environment_fault("wheel.bad_filename", "The file name is not a valid wheel name.", BUILD),
    environment_fault(
        "wheel.build_number", "The file name has a build number.", "Raise the version instead."
    ),
    environment_fault("wheel.unnormal_filename", "The file name is not in its normal form.", BUILD),
    environment_fault("wheel.no_dist_info", "The wheel has no .dist-info folder.", BUILD),
    environment_fault(
        "wheel.several_dist_infos", "The wheel has several .dist-info folders.", BUILD
    ),
    environment_fault("wheel.other_dist_info", "The .dist-info folder is another wheel's.", BUILD),
    environment_fault(
        "wheel.no_wheel_file", "The wheel has no WHEEL file, or an unreadable one.", BUILD
    ),
    environment_fault(
        "wheel.bad_wheel_file", "Installers parse a line of WHEEL differently.", BUILD
    ),
    environment_fault(
        "wheel.top_level_file", "top_level.txt names a module that is not in the wheel.", BUILD
    ),
    environment_fault("wheel.wheel_version", "WHEEL has an unknown version.", BUILD),
    environment_fault(
        "wheel.not_purelib", "WHEEL does not declare the wheel as pure Python.", PURE
    ),
    environment_fault(
        "wheel.tag_mismatch",
        "WHEEL and the file name give different tags.",
        "Do not rename the file; use the name that the build back-end gave it.",
    ),
    environment_fault(
        "wheel.platform_tag", "Only pure Python wheels (py3-none-any) are accepted.", PURE
    ),
    environment_fault(
        "wheel.compiled_member",
        "The wheel holds compiled code.",
        "Move compiled code into a dependency.",
    ),
    environment_fault(
        "wheel.no_record", "The wheel has no RECORD file, or an unreadable one.", BUILD
    ),
    environment_fault("wheel.record_not_csv", "RECORD is not CSV.", BUILD),
    environment_fault(
        "wheel.record_too_large", "RECORD is larger than the limit.", "Remove stray files."
    ),
    environment_fault("wheel.record_bad_row", "A row of RECORD is not path,hash,size.", BUILD),
    environment_fault("wheel.record_twice", "RECORD lists a path twice.", BUILD),
    environment_fault("wheel.record_missing", "RECORD does not list a member.", BUILD),
    environment_fault("wheel.record_extra", "RECORD lists a path that is no member.", BUILD),
    environment_fault("wheel.record_no_hash", "RECORD gives a member no hash.", BUILD),
    environment_fault("wheel.record_hash_kind", "RECORD uses a hash weaker than sha256.", BUILD),
    environment_fault("wheel.record_hash", "RECORD gives a member a wrong hash.", BUILD),
    environment_fault("wheel.record_size", "RECORD gives a member a wrong size.", BUILD),
    environment_fault("wheel.record_itself", "RECORD gives itself a hash or a size.", BUILD),
    environment_fault(
        "wheel.signature_file",
        "The wheel contains a signature in an abandoned format.",
        "Sign by publishing with an attestation.",
    ),
    environment_fault(
        "wheel.installer_file",
        "The wheel ships a file that only an installer may write.",
        "Remove it from .dist-info.",
    ),
    environment_fault(
        "wheel.dist_info_member",
        "A file does not belong in .dist-info.",
        "Move it into the package, or exclude it from the build.",
    ),
    environment_fault(
        "wheel.bad_entry_points", "entry_points.txt cannot be read.", "Correct the entry it names."
    ),
    environment_fault(
        "wheel.autoloaded_entry_point",
        "An entry point would be imported by other programs without being requested.",
        "Remove the group it names from pyproject.toml.",
    ),
    environment_fault(
        "wheel.script_name", "A script's name is not a plain file name.", "Rename the script."
    ),
    environment_fault(
        "wheel.script_takes_command",
        "A script has the name of a command of every venv.",
        "Rename the script.",
    ),
    environment_fault(
        "wheel.pth_member",
        "A .pth or .start file would run code at every Python start.",
        "Remove the file.",
    ),
    environment_fault(
        "wheel.stray_member",
        "The wheel installs files beside its modules.",
        "Move it into the package, or exclude it from the build.",
    ),
    environment_fault(
        "wheel.other_distribution",
        "A member describes another distribution to installers.",
        "Exclude it from the build.",
    ),
    environment_fault(
        "wheel.shared_name",
        "A top-level name is one that other wheels install too.",
        "Move it into the package, or exclude it from the build.",
        severity="warning",
    ),
    environment_fault(
        "wheel.startup_module", "A module would run at every Python start.", "Rename the module."
    ),
    environment_fault(
        "wheel.data_member",
        "A .data folder would install files outside the environment's own modules.",
        "Ship data inside the package and read it with importlib.resources.",
    ),
    environment_fault(
        "wheel.shadows_stdlib",
        "A top-level module shadows the standard library.",
        "Rename the module.",
    ),
    environment_fault(
        "wheel.shadows_library",
        "A top-level module shadows a well-known library.",
        "Depend on the library, or rename the module.",
    ),
    environment_fault(
        "wheel.pyc_without_source",
        "Compiled Python without its source.",
        "Ship the .py file instead.",
    ),
    environment_fault(
        "wheel.bytecode",
        "Compiled Python, which may differ from its source.",
        "Exclude __pycache__ from the build.",
    ),
    environment_fault(
        "wheel.deceptive_source",
        "Python source is displayed differently from what it executes.",
        "Save the file as UTF-8 with LF, and write special characters as escapes: \\u202e.",
    ),
    environment_fault(
        "wheel.module_twice", "A module and a package have the same name.", "Rename one."
    ),
    environment_fault(
        "wheel.pickle_runs_code",
        "A pickle would run code when it is loaded.",
        "Ship the data as JSON, Parquet, NumPy or safetensors.",
    ),
    environment_fault(
        "wheel.pickle_imports",
        "A pickle imports modules when it is loaded.",
        "Prefer JSON, Parquet, NumPy or safetensors: loading them runs no code.",
        severity="warning",
    ),
    environment_fault(
        "wheel.pickle_unread",
        "A pickle is too long to be analysed.",
        "Prefer JSON, Parquet, NumPy or safetensors.",
        severity="warning",
    ),
    environment_fault(
        "wheel.program_member",
        "A member is a program for one kind of machine.",
        "Mention it in the README, or move it into a dependency.",
        severity="warning",
    ),
    environment_fault(
        "wheel.contains_token",
        "A member holds an API token of a hub.",
        "Treat the token as leaked: revoke it, remove it from the file, and build again.",
    ),
)
