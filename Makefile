# Every target sets up what it needs; `make` alone lists them.
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
DATABASE_TESTS := tests/registry tests/frontend tests/hub
# The parts of `make test`. Each is one pytest, so that three at once fill two processors to the end. The
# last part of each kind takes what the others leave, so that no test is left out.
FLOW_PARTS := test-flows-examples test-flows-people
WORKER_PARTS := test-worker-framework test-worker
POSTGRES_PARTS := test-postgres-api test-postgres-pages test-postgres-runs test-postgres-hub test-postgres-domain
SQLITE_PARTS := test-sqlite-domain
# Longest first, but flows and sandboxes, which have limits of time, between parts that have none.
PARTS := test-worker-framework test-flows-people test-postgres-pages test-flows-examples test-postgres-runs \
	test-postgres-hub test-worker test-postgres-api test-postgres-domain $(SQLITE_PARTS) test-rest
SLOW_PARTS := test-few-faults test-vllm test-compatibility test-trainers
COMPATIBILITY := tests/compatibility/test_environments.py

flows-examples := $(addprefix tests/flows/test_,examples.py hostile.py)
# Only `make test-extended` runs some of these.
flows-people := $(filter-out $(flows-examples),$(wildcard tests/flows/test_*.py))
worker-framework := $(addprefix tests/worker/,attacks doctor execution guest)
worker := tests/worker $(addprefix --ignore=,$(worker-framework))
postgres-api := tests/registry/api
postgres-pages := tests/registry/access tests/frontend
postgres-runs := $(addprefix tests/registry/,runs storage upkeep uploads)
postgres-hub := tests/hub tests/cli
postgres-domain := tests/registry $(addprefix --ignore=,$(postgres-api) $(postgres-pages) $(postgres-runs))
sqlite-api := tests/registry/api $(postgres-pages)
sqlite-domain := tests/registry tests/hub $(addprefix --ignore=,$(sqlite-api))

CGROUP_TESTS := $(BIN)/python -m pytest -p no:cacheprovider -p no:hypothesispytest --timeout 300 \
	tests/worker/sandbox/test_cgroup.py tests/worker/sandbox/test_hostile.py
# What `make check` leaves out; `make test` runs all of it.
NOT_CHECKED := slow or sandbox or adapter or flow or fuzz or browser or s3 or nginx
OPENAPI := tests/registry/api/openapi.json

.PHONY: help setup setup-tests run fuzz figures screenshots benchmark test $(PARTS) test-vllm test-trainers test-compatibility test-zoo test-extended test-quick
.PHONY: check check-style check-pure check-worker check-django
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

check: setup  ## lint, check types and run the pure tests: three parts at once, under a minute
	@$(PYTHON) tools/suite.py 3 check-worker check-pure check-django types check-style

check-style: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@HUB_HOME=.hub $(BIN)/python manage.py makemigrations --check --dry-run

check-pure: setup
	@$(BIN)/python -m pytest -q tests/contract tests/cli tests/frontend/test_templates.py --ignore=tests/cli/with_hub -m "not ($(NOT_CHECKED))"

check-worker: setup
	@$(BIN)/python -m pytest -q tests/worker -m "not ($(NOT_CHECKED))"

check-django: setup
	@$(BIN)/python -m pytest -q tests/registry/card tests/registry/api --database none -m "not ($(NOT_CHECKED))"

# Tests of one path need no programs: those that miss theirs are skipped. The slow parts measure time,
# so they do not compete with all others.
test: $(if $(T),setup,setup-tests)  ## run the tests, three parts at once (T=path runs that alone); with CI=true faults, vLLM and TRL too
	@$(if $(T),$(BIN)/python -m pytest $(T),$(PYTHON) tools/suite.py 3 $(PARTS) $(if $(CI),then 2 $(SLOW_PARTS)))

$(FLOW_PARTS) $(WORKER_PARTS) $(POSTGRES_PARTS) $(SQLITE_PARTS) test-sqlite-api test-rest: setup-tests

$(FLOW_PARTS) $(POSTGRES_PARTS): test-%:
	@$(BIN)/python -m pytest --postgresql $($*)

$(WORKER_PARTS): test-%:
	@$(BIN)/python -m pytest $($*)

$(SQLITE_PARTS) test-sqlite-api: test-%:
	@$(BIN)/python -m pytest $($*) --database only -m "not (flow or browser or s3 or nginx or once)"

test-rest:
	@$(BIN)/python -m pytest $(addprefix --ignore=,$(COMPATIBILITY) $(DATABASE_TESTS) $(addprefix tests/,cli worker flows faults vllm trainers))

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

test-trainers: setup  ## train on this machine's processors with what the tab Train shows, on TRL in the user's cache
	@$(PYTHON) tools/trainers/install.py >/dev/null || true  # the tests say why there is none
	@$(BIN)/python -m pytest tests/trainers

test-compatibility: setup  ## run environments by other people, whose repositories are fetched (ENVYARD_SNAPSHOTS=folder of them)
	@$(BIN)/python -m pytest $(COMPATIBILITY)

test-zoo: setup  ## run all environments of the zoo and print their confusion matrix (ARGS="--help")
	@$(BIN)/python -m tests.zoo --jobs 2 $(ARGS)

figures: setup  ## print what a served model does as a table (ARGS="--model M [--gpus 0,1] [-- for vLLM]")
	@$(BIN)/python -m tools.figures $(ARGS)

screenshots: setup  ## take docs/screenshots from a running hub (ARGS="--hub URL --environment OWNER/NAME")
	@$(BIN)/python -m tools.screenshots $(ARGS)

test-cgroup: setup  ## run what cgroup v2 holds on a machine booted for it, as root and as a user
	@for user in "" --user; do $(BIN)/python tools/vm/boot.py $$user -- $(CGROUP_TESTS); code=$$?; \
		test $$code -eq 0 || test $$code -eq 77 || exit $$code; done

fuzz: setup  ## feed the archive reader made-up bytes for SECONDS (default 60)
	@$(BIN)/python -m tests.fuzz.archive -max_total_time=$(or $(SECONDS),60)

test-extended: setup-tests  ## run the long tests that repeat or go beyond others, and those of API and pages on SQLite
	@$(BIN)/python -m pytest --extended -m extended --postgresql
	@$(MAKE) --no-print-directory test-sqlite-api

test-quick: setup  ## run all but flows, browser and S3, on SQLite
	@$(BIN)/python -m pytest -m "not flow and not browser and not s3 and not faults and not vllm and not trainers and not compatibility"

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
