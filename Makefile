# Every target sets up what it needs; `make` alone lists them.
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
DATABASE_TESTS := tests/registry tests/frontend tests/hub

.PHONY: help setup run fuzz benchmark test test-flows test-parts test-quick lint types format clean

help:  ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:  ## set up .venv with everything for working on the code
	@$(PYTHON) tools/bootstrap.py test

run:  ## start the whole hub on http://127.0.0.1:$HUB_PORT (default 8000)
	@$(PYTHON) tools/bootstrap.py run
	@exec $(BIN)/python manage.py serve --with-parent

benchmark: setup  ## measure the registry beside nginx, pypiserver and devpi (ARGS="--help")
	@$(BIN)/python -m benchmarks.registry $(ARGS)

test: setup  ## run all tests: flows beside the rest, which runs on SQLite and PostgreSQL
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target test-flows test-parts

test-flows: setup  ## run the flows through real processes, and the browser
	@$(BIN)/python -m pytest --postgresql -m "(flow or browser) and not adapter"

test-parts: setup  ## run all else on PostgreSQL, and what touches the database on SQLite too
	@$(BIN)/python -m pytest $(DATABASE_TESTS) -m "not (flow or browser or s3 or nginx or once)"
	@$(BIN)/python -m pytest --postgresql -m "adapter or not (flow or browser)"

fuzz: setup  ## feed the archive reader made-up bytes for SECONDS (default 60)
	@$(BIN)/python -m tests.fuzz.archive -max_total_time=$(or $(SECONDS),60)

test-quick: setup  ## run all but flows, browser and S3, on SQLite
	@$(BIN)/python -m pytest -m "not flow and not browser and not s3"

lint: setup types  ## check style, import order between layers, migrations
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@HUB_HOME=.hub $(BIN)/python manage.py makemigrations --check --dry-run

types: setup  ## check types
	@$(BIN)/mypy

format: setup  ## rewrite the code in the house style
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .

clean:  ## remove what setup made; HUB_HOME stays
	rm -rf .venv .tools .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
