"""`python -m envyard_runner` is `hub-runner`."""

import sys

from envyard_runner.cli import main

if __name__ == "__main__":
    sys.exit(main())
