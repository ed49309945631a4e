# Everything a clone needs: Python 3.11 or newer, and make. Each target sets itself up in .venv and is quick when repeated.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

PYTHON ?= python3
BIN := .venv/bin
PIP := PIP_NO_INPUT=1 $(BIN)/python -m pip --disable-pip-version-check --quiet
NODE := .cache/node/node_modules/.stamp
PYTHON_SERVERS := .cache/python/.stamp
PYTHON_CLIENTS := .cache/client-1/.stamp .cache/client-2/.stamp

.PHONY: help
help: ## what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

.PHONY: demo
demo: .venv/.installed ## the whole loop on a small CRM, narrated
	@$(BIN)/synartesis demo

.PHONY: test
test: .venv/.developing ## all tests that need nothing from outside
	$(BIN)/python -m pytest -n auto --dist worksteal -m 'not live and not differential'

.PHONY: differential
differential: .venv/.developing ## the same conversations direct and through the proxy: no byte may differ
	$(BIN)/python -m tests.differential
	$(BIN)/python -m tests.differential.mutations

.PHONY: test-live
test-live: .venv/.developing live-servers ## the tests against real servers; needs node, npm and PostgreSQL
	$(BIN)/python -m pytest -m 'live or differential'

.PHONY: campaign
campaign: .venv/.developing ## thousands of worlds: seeds, state machine, and the crash matrix on SQLite (an hour or so)
	$(BIN)/python -m tests.sim --seeds $(or $(SEEDS),20000) --from $(or $(FROM),0)
	SIM_EXAMPLES=$(or $(EXAMPLES),20000) $(BIN)/python -m pytest -q --timeout 0 tests/sim/test_state_machine.py
	$(BIN)/python -m tests.sim.matrix --sqlite

.PHONY: guide
guide: .venv/.developing live-servers ## play the story of docs/guide.md and write its transcripts anew; needs node
	$(BIN)/python -m tests.live.guide

.PHONY: check
check: .venv/.developing ## format, lint, types, and who may import whom
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

.PHONY: lock
lock: .venv/.ready ## choose the newest versions anew and write requirements/*.lock (docs/decisions/0001)
	$(PIP) install 'uv>=0.8'
	$(call compile,build,--group pyproject.toml:build)
	$(call compile,runtime,pyproject.toml)
	$(call compile,dev,pyproject.toml --group pyproject.toml:dev -c requirements/runtime.lock)
	$(call compile,live,--group pyproject.toml:live)
	$(call compile,client-1,--group pyproject.toml:client-1)
	$(call compile,client-2,--group pyproject.toml:client-2)

compile = UV_CUSTOM_COMPILE_COMMAND='make lock' $(BIN)/uv pip compile $(2) --quiet --upgrade --universal \
	--python-version 3.11 --generate-hashes --no-annotate --no-emit-index-url --output-file requirements/$(1).lock

.PHONY: clean
clean: ## everything that the other targets made
	rm -rf .venv .cache .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis dist build
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# --- What the targets above stand on: each stamp is newer than what it was made from ----------------------------------

.venv/.ready:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Synartesis needs Python 3.11 or newer, and '$(PYTHON)' is $$($(PYTHON) --version 2>&1)." >&2; \
		echo "Name another one: make PYTHON=python3.12 demo" >&2; exit 1; }
	@$(PYTHON) -m venv .venv || { echo "Python's venv module is needed (on Debian: apt install python3-venv)." >&2; exit 1; }
	@touch $@

.venv/.installed: .venv/.ready pyproject.toml requirements/build.lock requirements/runtime.lock
	@echo "Setting up in .venv ..."
	@$(PIP) install --require-hashes -r requirements/build.lock -r requirements/runtime.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@# Compiled here, because where PYTHONDONTWRITEBYTECODE is set every start would compile everything again.
	@$(BIN)/python -m compileall -q src
	@touch $@

.venv/.developing: .venv/.installed requirements/dev.lock
	@$(PIP) install --require-hashes -r requirements/dev.lock
	@$(BIN)/python -m compileall -q src
	@touch $@

# Without node the tests that need it say so themselves, by name.
.PHONY: live-servers
live-servers: $(PYTHON_SERVERS) $(PYTHON_CLIENTS)
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory $(NODE); fi

$(NODE): tests/live/package.json tests/live/package-lock.json
	@mkdir -p .cache/node
	@cp tests/live/package.json tests/live/package-lock.json .cache/node/
	@npm ci --prefix .cache/node --no-audit --no-fund --loglevel=error
	@touch $@

.cache/python/.stamp: requirements/live.lock
.cache/client-1/.stamp: requirements/client-1.lock
.cache/client-2/.stamp: requirements/client-2.lock

$(PYTHON_SERVERS) $(PYTHON_CLIENTS):
	@$(PYTHON) -m venv --clear $(@D)
	@PIP_NO_INPUT=1 $(@D)/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r $<
	@touch $@
