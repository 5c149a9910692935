# Every target sets up what it needs; `make` alone lists them.
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
DATABASE_TESTS := tests/registry tests/frontend tests/hub
# Two halves of about the same time each, so that the parts fill both cores.
API_TESTS := tests/registry/api tests/registry/access tests/frontend
OTHER_DATABASE_TESTS := $(filter-out $(API_TESTS),$(patsubst %/,%,$(wildcard tests/registry/[a-z]*/))) \
	$(wildcard tests/registry/test_*.py) tests/hub tests/cli
RUN_FLOWS := $(addprefix tests/flows/test_,examples.py hostile.py kills.py loop.py tutorial.py)
OTHER_FLOWS := $(filter-out $(RUN_FLOWS),$(wildcard tests/flows/test_*.py))
CGROUP_TESTS := $(BIN)/python -m pytest -p no:cacheprovider -p no:hypothesispytest --timeout 300 \
	tests/worker/sandbox/test_cgroup.py tests/worker/sandbox/test_hostile.py
# What `make check` leaves out; `make test` runs all of it.
NOT_CHECKED := slow or sandbox or adapter or flow or fuzz or browser or s3 or nginx
PARTS := test-database test-api test-run-flows test-flows test-rest test-sqlite
OPENAPI := tests/registry/api/openapi.json
SLOW_PARTS := test-few-faults test-vllm

.PHONY: help setup run fuzz figures benchmark test test-run-flows test-flows test-api test-database test-rest test-sqlite test-vllm test-quick
.PHONY: check check-style check-pure check-django setup-tests
.PHONY: openapi lint types format clean test-cgroup test-few-faults test-faults test-faults-redis test-faults-rabbitmq
.PHONY: benchmark-runner few-faults-redis few-faults-rabbitmq few-faults-apart

help:  ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:  ## set up .venv with what running the hub, `make check` and `make lint` need
	@$(PYTHON) tools/bootstrap.py develop

setup-tests:  ## the same, and the programs that `make test` needs: Ceph, RabbitMQ, Redis, nginx, Chromium
	@$(PYTHON) tools/bootstrap.py test

run:  ## start the whole hub on http://127.0.0.1:$HUB_PORT (default 8000)
	@$(PYTHON) tools/bootstrap.py run
	@exec $(BIN)/python manage.py serve --with-parent

benchmark:  ## measure the registry beside nginx, pypiserver and devpi (ARGS="--help")
	@$(PYTHON) tools/bootstrap.py benchmark
	@$(BIN)/python -m benchmarks.registry $(ARGS)

benchmark-runner: setup  ## measure the runner beside verifiers' own evaluator (ARGS="--help")
	@$(BIN)/python -m benchmarks.runner $(ARGS)

check: setup  ## lint, check types and run the pure tests: two parts at once, under a minute
	@$(PYTHON) tools/suite.py 2 check-pure check-django types check-style

check-style: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@HUB_HOME=.hub $(BIN)/python manage.py makemigrations --check --dry-run

check-pure: setup
	@$(BIN)/python -m pytest -q tests/contract tests/cli tests/worker --ignore=tests/cli/with_hub -m "not ($(NOT_CHECKED))"

check-django: setup
	@$(BIN)/python -m pytest -q tests/registry/card tests/registry/api --database none -m "not ($(NOT_CHECKED))"

# Tests of one path need no programs: those that miss theirs are skipped.
test: $(if $(T),setup,setup-tests)  ## run the tests, five parts at once (T=path runs that alone); with CI=true three, and faults and vLLM too
	@$(if $(T),$(BIN)/python -m pytest $(T),$(PYTHON) tools/suite.py $(if $(CI),3,5) $(PARTS) $(if $(CI),$(SLOW_PARTS)))

test-run-flows: setup-tests  ## run the flows that play environments in a whole hub
	@$(BIN)/python -m pytest --postgresql $(RUN_FLOWS)

test-flows: setup-tests  ## run the other flows through a whole hub: browser, clients, pages
	@$(BIN)/python -m pytest --postgresql $(OTHER_FLOWS)

test-api: setup-tests  ## run on PostgreSQL the tests of the API and of the pages
	@$(BIN)/python -m pytest --postgresql $(API_TESTS)

test-database: setup-tests  ## run on PostgreSQL the other tests that use the database
	@$(BIN)/python -m pytest --postgresql $(OTHER_DATABASE_TESTS)

test-rest: setup-tests  ## run the tests that use no database
	@$(BIN)/python -m pytest $(addprefix --ignore=,$(DATABASE_TESTS) tests/cli tests/flows tests/faults tests/vllm)

test-sqlite: setup-tests  ## run on SQLite again what depends on the database
	@$(BIN)/python -m pytest $(DATABASE_TESTS) --database only -m "not (flow or browser or s3 or nginx or once)"

test-few-faults: setup-tests  ## break parts of a whole hub: each part once, each fault once, half of them a broker
	@$(MAKE) --no-print-directory --jobs 3 --output-sync=target few-faults-redis few-faults-rabbitmq few-faults-apart

few-faults-redis few-faults-rabbitmq: few-faults-%:
	@$(BIN)/python -m pytest tests/faults/test_matrix.py -k "$*"

few-faults-apart:
	@$(BIN)/python -m pytest tests/faults --ignore=tests/faults/test_matrix.py

test-faults: setup-tests  ## break each part of a whole hub in every way, on Redis and on RabbitMQ; prints the table
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target test-faults-redis test-faults-rabbitmq
	@$(BIN)/python -m pytest tests/faults --ignore=tests/faults/test_matrix.py --all-faults

test-faults-redis test-faults-rabbitmq: test-faults-%: setup-tests
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

lint: types check-style  ## check style, types, import order between layers, migrations

types: setup  ## check types
	@$(BIN)/mypy

format: setup  ## rewrite the code in the house style
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .
	@$(BIN)/djangofmt --quiet frontend/templates

clean:  ## remove what setup made; HUB_HOME stays
	rm -rf .venv .tools .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
