# Every target sets up what it needs; `make` alone lists them.
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
DATABASE_TESTS := tests/registry tests/frontend tests/hub
POSTGRESQL_TESTS := $(DATABASE_TESTS) tests/cli
CGROUP_TESTS := $(BIN)/python -m pytest -p no:cacheprovider -p no:hypothesispytest --timeout 300 \
	tests/worker/sandbox/test_cgroup.py tests/worker/sandbox/test_hostile.py
PARTS := test-flows test-database test-rest
OPENAPI := tests/registry/api/openapi.json
SLOW_PARTS := test-few-faults test-vllm

.PHONY: help setup run fuzz figures benchmark test test-flows test-database test-rest test-vllm test-quick
.PHONY: openapi lint types format clean test-cgroup test-few-faults test-faults test-faults-redis test-faults-rabbitmq
.PHONY: benchmark-runner few-faults-redis few-faults-rabbitmq few-faults-apart

help:  ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:  ## set up .venv with everything for working on the code
	@$(PYTHON) tools/bootstrap.py test

run:  ## start the whole hub on http://127.0.0.1:$HUB_PORT (default 8000)
	@$(PYTHON) tools/bootstrap.py run
	@exec $(BIN)/python manage.py serve --with-parent

benchmark:  ## measure the registry beside nginx, pypiserver and devpi (ARGS="--help")
	@$(PYTHON) tools/bootstrap.py benchmark
	@$(BIN)/python -m benchmarks.registry $(ARGS)

benchmark-runner: setup  ## measure the runner beside verifiers' own evaluator (ARGS="--help")
	@$(BIN)/python -m benchmarks.runner $(ARGS)

test: setup  ## run the tests, three parts at once; with CI=true also what is slow: faults and vLLM
	@$(PYTHON) tools/suite.py 3 $(PARTS) $(if $(CI),$(SLOW_PARTS))

test-flows: setup  ## run the flows through a whole hub, and the browser
	@$(BIN)/python -m pytest --postgresql tests/flows

test-database: setup  ## run on PostgreSQL what touches the database
	@$(BIN)/python -m pytest --postgresql $(POSTGRESQL_TESTS)

test-rest: setup  ## run all else, and on SQLite what says something of a database
	@$(BIN)/python -m pytest $(addprefix --ignore=,$(POSTGRESQL_TESTS) tests/flows tests/faults tests/vllm)
	@$(BIN)/python -m pytest $(DATABASE_TESTS) -m "not (flow or browser or s3 or nginx or once)"

test-few-faults: setup  ## break parts of a whole hub: each part once, each fault once, half of them a broker
	@$(MAKE) --no-print-directory --jobs 3 --output-sync=target few-faults-redis few-faults-rabbitmq few-faults-apart

few-faults-redis few-faults-rabbitmq: few-faults-%:
	@$(BIN)/python -m pytest tests/faults/test_matrix.py -k "$*"

few-faults-apart:
	@$(BIN)/python -m pytest tests/faults --ignore=tests/faults/test_matrix.py

test-faults: setup  ## break each part of a whole hub in every way, on Redis and on RabbitMQ; prints the table
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target test-faults-redis test-faults-rabbitmq
	@$(BIN)/python -m pytest tests/faults --ignore=tests/faults/test_matrix.py --all-faults

test-faults-redis test-faults-rabbitmq: test-faults-%: setup
	@$(BIN)/python -m pytest tests/faults/test_matrix.py --all-faults -k "$*"

test-vllm: setup  ## run a real vLLM on this machine's processors, installed into the user's cache
	@$(PYTHON) tools/vllm/install.py >/dev/null || true  # the tests say why there is none
	@$(BIN)/python -m pytest tests/vllm

figures: setup  ## print what a served model does as a table (ARGS="--model M [--gpus 0,1] [-- for vLLM]")
	@$(BIN)/python -m tools.figures $(ARGS)

test-cgroup: setup  ## run what cgroup v2 holds on a machine booted for it, as root and as a user
	@for user in "" --user; do $(BIN)/python tools/vm/boot.py $$user -- $(CGROUP_TESTS); code=$$?; \
		test $$code -eq 0 || test $$code -eq 77 || exit $$code; done

fuzz: setup  ## feed the archive reader made-up bytes for SECONDS (default 60)
	@$(BIN)/python -m tests.fuzz.archive -max_total_time=$(or $(SECONDS),60)

test-quick: setup  ## run all but flows, browser and S3, on SQLite
	@$(BIN)/python -m pytest -m "not flow and not browser and not s3 and not faults and not vllm"

openapi: setup  ## compare the API with the kept OpenAPI document (UPDATE=1 keeps the new one)
	@HUB_HOME=.hub $(BIN)/python manage.py spectacular --format openapi-json \
		| $(BIN)/python -m tools.compare_openapi $(OPENAPI) - $(if $(UPDATE),--write $(OPENAPI))

lint: setup types  ## check style, import order between layers, migrations
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/djangofmt --quiet --check frontend/templates
	@$(BIN)/lint-imports
	@HUB_HOME=.hub $(BIN)/python manage.py makemigrations --check --dry-run

types: setup  ## check types
	@$(BIN)/mypy

format: setup  ## rewrite the code in the house style
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .
	@$(BIN)/djangofmt --quiet frontend/templates

clean:  ## remove what setup made; HUB_HOME stays
	rm -rf .venv .tools .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
