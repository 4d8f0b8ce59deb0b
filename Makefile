# `make` alone lists the targets. Every target that needs Python makes .venv first, once, and again only when
# pyproject.toml has changed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SPARK := $(VENV)/.spark
SOURCES := broker protocol pipeline
CHECKED := $(SOURCES) tests bench documentation release
# Half of a test run is waiting: for sessions, for passes of a real Kafka, for processes to start. For two cores.
WORKERS ?= 4
# With AGAIN=1. An exit code of 1 says that all tests ran, and that some failed.
ONCE_MORE = $(if $(AGAIN),|| { [ $$? = 1 ] && $(BIN)/python -m pytest --last-failed --last-failed-no-failures none; })
QUICK := not slow and not contract and not java and not ecosystem
# Many containers set it. Without bytecode, each process of a test run compiles all tests anew, for 20 s of CPU.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "tidemark needs Python 3.11 or newer; name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

# Half a gigabyte, so only for who runs it.
$(SPARK): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,spark]'
	@touch $@

# Half of the first start is compiling, and processes that start at once would all do it.
.PHONY: compiled
compiled: $(STAMP)
	@$(BIN)/python -m compileall -q $(SOURCES)

.PHONY: setup
setup: $(STAMP) ## make .venv and install everything into it

.PHONY: run
run: compiled ## a broker on localhost:9092, its data in ./tidemark-data
	exec $(BIN)/tidemark serve $(ARGS)

.PHONY: check
check: lint types docs-check generate-check ## everything that needs no test run: style, types, floors, drift

.PHONY: lint
lint: $(STAMP) ## style, and the floors that may not be crossed
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/lint-imports --no-logo

.PHONY: types
types: $(STAMP) ## mypy, strict
	$(BIN)/mypy

.PHONY: format
format: $(STAMP) ## put the code in form
	$(BIN)/ruff check --quiet --fix . || true
	$(BIN)/ruff format .

.PHONY: generate
generate: $(STAMP) ## the codec, from schemas/
	$(BIN)/python -m tidemark_protocol.generator

.PHONY: generate-check
generate-check: $(STAMP)
	$(BIN)/python -m tidemark_protocol.generator --check

.PHONY: docs
docs: $(STAMP) ## what in docs/ is made from the code: tables and the picture
	$(BIN)/python -m documentation

.PHONY: docs-check
docs-check: $(STAMP)
	$(BIN)/python -m documentation --check

.PHONY: docs-site
docs-site: $(STAMP) ## the documentation as a site in build/site; broken links and anchors fail
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo build/site/index.html

.PHONY: unit
unit: $(STAMP) ## the quick tests of tests/unit, which need no network
	TIDEMARK_TEST_EXAMPLES=10 \
	  $(BIN)/python -m pytest -q -n auto --dist loadfile --no-loadscope-reorder -m "$(QUICK)" tests/unit $(ARGS)

.PHONY: test
test: $(SPARK) compiled ## every test: real clients, kill -9, Kafka's own tools and Spark where Java is
	$(BIN)/python -m pytest -m "not ecosystem" -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS) $(ONCE_MORE)

.PHONY: ecosystem
ecosystem: $(SPARK) ## the tests that make test leaves out: image, browser, clusters, toolchains; as root
	$(BIN)/python -m pytest -m ecosystem -n 2 --dist loadfile --no-loadscope-reorder $(ARGS) $(ONCE_MORE)

.PHONY: record
record: $(STAMP) ## what Apache Kafka answers to tests/conformance, 4.3.1 or KAFKA_VERSION=4.4.0; needs Java
	$(BIN)/python -m tests.conformance.record $(ARGS)
	$(BIN)/python -m tests.conformance.tools.record $(ARGS)
	$(BIN)/python -m tests.conformance.disk.record $(ARGS)
	$(BIN)/python -m tests.conformance.assignments.record
	$(BIN)/python -m tests.conformance.assignments.record_settled
	$(BIN)/python -m tests.conformance.authorizer.record
	$(BIN)/python -m tests.conformance.permissions.record
	$(BIN)/python -m tests.conformance.share_partitions.record
	$(BIN)/python -m tests.conformance.upgrades.record

.PHONY: simulate
simulate: $(STAMP) ## ten thousand seeds of faults; SEED=n replays one, ARGS="--count n" takes fewer
	$(BIN)/python -m tests.faults.simulation $(if $(SEED),--seed $(SEED)) $(if $(MUTANT),--mutant "$(MUTANT)") $(ARGS)

.PHONY: coverage
coverage: $(STAMP) ## branch coverage of the quick tests
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -q -m "$(QUICK)"
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --skip-covered --show-missing

.PHONY: bench
bench: compiled ## speed and memory, beside Kafka where Java is; docs/performance.md says how
	$(BIN)/python -m bench $(ARGS)

.PHONY: frames
frames: compiled ## the Python frames on the way of a request; ARGS="OffsetCommit --list" shows the functions
	$(BIN)/python -m bench.frames $(ARGS)

.PHONY: structure
structure: $(STAMP) ## lines, files, Protocols and small functions; ARGS="COMMIT" compares with a commit
	$(BIN)/python -m bench.structure $(ARGS)

.PHONY: bench-pipeline
bench-pipeline: $(SPARK) ## the Spark pipeline: records a second, memory, and how it grows; needs Java
	$(BIN)/python -m bench.pipeline $(ARGS)

.PHONY: pipeline-zip
pipeline-zip: $(STAMP) ## dist/tidemark-pipeline.zip, for spark-submit --py-files
	@mkdir -p dist
	$(BIN)/python -m tidemark_pipeline.package dist/tidemark-pipeline.zip

STORIES ?= 5
.PHONY: pipeline-truth
pipeline-truth: $(SPARK) ## the causes of removals in random stories, STORIES=5 of each plan, and on Kafka
	TIDEMARK_TEST_STORIES=$(STORIES) $(BIN)/python -m pytest -q tests/pipeline/test_truth.py tests/pipeline/test_ticket.py tests/pipeline/test_wire.py tests/clients/test_watch_beside_kafka.py $(ARGS)

.PHONY: dist
dist: $(STAMP) ## sdist and wheels in dist/, installed and tested for each Python; ARGS=--quick takes one
	$(BIN)/python -m release.dist $(ARGS)

# The long campaigns. What they find, they tell with a seed that repeats it.
KILLS ?= 500
.PHONY: kills
kills: compiled ## kill -9 under load, KILLS=500 times, and nothing acknowledged is lost
	TIDEMARK_TEST_KILLS=$(KILLS) $(BIN)/python -m pytest -s -q tests/clients/test_kills.py $(ARGS)

.PHONY: exactly-once
exactly-once: ROUNDS = 100
exactly-once: compiled ## ROUNDS=100 rounds of six client libraries that copy in transactions under kill -9
	TIDEMARK_TEST_ROUNDS=$(ROUNDS) $(BIN)/python -m pytest -s -q tests/clients/test_exactly_once.py $(ARGS)

.PHONY: moves
moves: ROUNDS = 50
moves: compiled ## ROUNDS=50 rounds of the same clients on three brokers that stop, start and hand over leaders
	TIDEMARK_TEST_ROUNDS=$(ROUNDS) $(BIN)/python -m pytest -s -q tests/clients/test_moving_brokers.py $(ARGS)

.PHONY: share-rounds
share-rounds: ROUNDS = 100
share-rounds: compiled ## ROUNDS=100 rounds of share consumers that acknowledge at random under kill -9
	TIDEMARK_TEST_ROUNDS=$(ROUNDS) $(BIN)/python -m pytest -s -q tests/clients/test_share_rounds.py $(ARGS)

MINUTES ?= 60
.PHONY: fuzz
fuzz: compiled ## random frames over the socket for MINUTES=60; SEED= repeats a run
	$(BIN)/python -m tests.faults.fuzz.campaign --minutes $(MINUTES) --seed "$(SEED)"

.PHONY: worst
worst: compiled ## the worst request of every API and version: stall and memory; ARGS="--api NAME" takes some
	$(BIN)/python -m tests.faults.fuzz.worst $(ARGS)

ROUNDS ?= 1000
.PHONY: damage
damage: compiled ## ROUNDS=1000 starts on a data directory with a damaged file; SEED= repeats a run
	$(BIN)/python -m tests.faults.fuzz.damage --rounds $(ROUNDS) --seed "$(SEED)"

.PHONY: damage-transactions
damage-transactions: compiled ## ROUNDS=1000 starts on a log with transactions that is damaged; SEED= repeats a run
	$(BIN)/python -m tests.faults.fuzz.transaction_damage --rounds $(ROUNDS) --seed "$(SEED)"

.PHONY: clean
clean: ## everything that can be made again; ./tidemark-data stays
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage .coverage.* \
	  htmlcov build dist
	find $(CHECKED) -name __pycache__ -type d -prune -exec rm -rf {} +
