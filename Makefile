# Two commands for a new user: `make demo` and `make test`. Each sets up all that it needs in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PROCESSES := -n auto --maxprocesses=4
TESTS := $(BIN)/pytest --dist loadfile --no-loadscope-reorder
# What starts real servers again and again comes by itself, away from tests that measure or replay. It waits for them
# half of its time, so it runs in more processes than most machines have processors.
LONG := tests/pipeline/deployments tests/pipeline/flows tests/pipeline/commands tests/reliability
export DO_NOT_TRACK = 1
export PREFECT_SERVER_ANALYTICS_ENABLED = false

.PHONY: help demo test quick nightly dev lint types clean

help: ## This list.
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.installed ## Sample feedback from CSV to warehouse and report, in ./demo.
	@$(BIN)/python -m flows demo

test: dev lint types ## Everything CI runs: lint, types, architecture and all tests.
	$(TESTS) $(PROCESSES) $(addprefix --ignore=,$(LONG))
	$(TESTS) -n 4 $(LONG)

quick: dev ## The inner loop: the tests that need neither long-running servers nor PostgreSQL.
	AGGREGATION_EXAMPLES=$${AGGREGATION_EXAMPLES:-20} $(TESTS) $(PROCESSES) -m "not slow and not postgresql"

nightly: dev ## Sixty thousand random questions of the kernel and the naive evaluator; takes about an hour.
	AGGREGATION_EXAMPLES=$${AGGREGATION_EXAMPLES:-5000} $(BIN)/pytest tests/aggregation/test_kernel_against_reference.py

dev: $(VENV)/.installed-dev ## The environment with the test and benchmark packages, nothing more.

lint: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: dev
	$(BIN)/mypy

clean: ## Remove the environment and what the demo wrote.
	rm -rf $(VENV) demo build *.egg-info

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0] + ": set PYTHON=/path/to/python3.11") if sys.version_info < (3, 11) else None'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing what the service and the pipeline need into $(VENV) (once, about a minute) ..."
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-warn-script-location -c constraints.txt -e .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing what the tests need into $(VENV) (once, about a minute) ..."
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-warn-script-location -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/.installed
