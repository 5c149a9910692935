"""Runs the tests of examples with one import of the framework: `example_tests.py FOLDER...`.

The import takes seconds of a processor. Each folder gets a process of its own, forked afterwards,
where pytest runs as the author runs it. Prints a JSON object: exit code and output by folder.
"""

import json
import os
import sys
import tempfile
from typing import BinaryIO

import pytest
import verifiers.v1  # noqa: F401  (for the processes that are forked)


def main(folders: list[str]) -> None:
    """Run them one after the other."""
    results = {}
    for folder in folders:
        with tempfile.TemporaryFile() as output:
            pid = os.fork()
            if not pid:
                run_tests(folder, output)
            _, status = os.waitpid(pid, 0)
            output.seek(0)
            results[folder] = (os.waitstatus_to_exitcode(status), output.read().decode())
    json.dump(results, sys.stdout)


def run_tests(folder: str, output: BinaryIO) -> None:
    """Run the tests of this folder and end this process."""
    for descriptor in (1, 2):
        os.dup2(output.fileno(), descriptor)
    os.chdir(folder)
    sys.path.insert(0, folder)
    code = pytest.main(["-q", "-c", os.devnull, "-p", "no:cacheprovider", "tests"])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(int(code))


if __name__ == "__main__":
    main(sys.argv[1:])
