"""What framework adapters (envyard.contract.frameworks) add to a venv. May import venvs."""
