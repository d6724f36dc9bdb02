# Everything a machine with make and Python 3.11 or newer can do with this folder. `make` lists it.
#
#   make test PYTHON=python3.12 VENV=.venv-3.12    another Python, in a separate folder
#   make test TORCH=                               does not install torch; what needs it is skipped
#   make test TESTS="tests/groups -k rate"         some of the tests
#   make test JOBS=8                               on more cores
#   make test-slow SEED=7                          in another random order

PYTHON ?= python3
VENV   ?= .venv
TORCH  ?= torch==2.13.0
TESTS  ?=
JOBS   ?= 2
SEED   ?= 1

BIN := $(VENV)/bin
SAY := @printf '==> %s\n'
PIP := $(BIN)/python -m pip install -qq
UV  := $(BIN)/uv pip install -q --python $(BIN)/python

# One thread for the linear algebra of each test worker: the workers already fill the cores.
# Bytecode is kept: many tests start another Python process, which would compile the package again.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= \
  $(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder --max-worker-restart 0

# node and npm are packages of the environment too.
NPM     := PATH="$(abspath $(BIN)):$$PATH" npm --prefix web
MODULES := web/node_modules/.package-lock.json
PAGES   := src/homeroom/live/static/index.html

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-slow lint pytest vitest bench docs web wheel sdist wheelhouse lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s  %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/.demo $(PAGES) ## teach a class, and write the report into demo-report/
	$(SAY) 'homeroom demo'
	@$(BIN)/homeroom demo --force

SET_UP := $(VENV)/.dev $(if $(strip $(TORCH)),$(VENV)/.torch) $(MODULES) $(PAGES) $(VENV)/.chromium

# In parallel, because the linters use one core and tests sometimes wait.
test: $(SET_UP) ## lint and the quick tests
	@$(MAKE) --no-print-directory -j 3 pytest lint vitest

test-slow: $(SET_UP) ## every test in a random order, and the documentation's build
	$(SAY) 'pytest --shuffle $(SEED)'
	@$(PYTEST) --shuffle $(SEED) $(TESTS)
	@$(MAKE) --no-print-directory docs

pytest: $(SET_UP)
	$(SAY) 'pytest'
	@$(PYTEST) --quick $(TESTS)

vitest: $(MODULES)
	$(SAY) 'vitest'
	@$(NPM) test --silent

lint: $(VENV)/.dev $(MODULES) ## ruff, mypy, svelte-check and the layers of the package
	$(SAY) 'ruff check'
	@$(BIN)/ruff check
	$(SAY) 'ruff format --check'
	@$(BIN)/ruff format --check
	$(SAY) 'mypy'
	@$(BIN)/mypy
	$(SAY) 'lint-imports'
	@$(BIN)/lint-imports --no-logo
	$(SAY) 'svelte-check and prettier'
	@$(NPM) run check --silent

bench: $(VENV)/.dev ## the timings, as ratios within one run
	$(SAY) 'python -m benchmarks'
	@$(BIN)/python -m benchmarks

docs: $(VENV)/.dev ## the documentation, in docs/_build/html
	$(SAY) 'sphinx'
	@rm -rf docs/api
	@$(BIN)/python -m sphinx -E -W --keep-going -q -b html docs docs/_build/html
	@echo 'The documentation is at docs/_build/html/index.html'

web: $(PAGES) ## the pages of the live classroom, built from web/

wheel sdist: $(PAGES)
	$(SAY) '$@ in dist/'
	@$(BIN)/python -m hatchling build -t $@ -d dist

wheel: ## a wheel with the pages, in dist/
sdist: ## a source archive with the pages, in dist/

wheelhouse: wheel ## the wheel and all it needs, in dist/wheelhouse, for machines without a network
	$(SAY) 'dist/wheelhouse'
	@$(BIN)/python -m pip download -qq -d dist/wheelhouse $(shell ls dist/homeroom-*.whl 2>/dev/null | tail -1)[live]
	@cp dist/homeroom-*.whl dist/wheelhouse/

LOCK := $(BIN)/uv pip compile -q --universal --generate-hashes --python-version 3.11 \
  --fork-strategy fewest --custom-compile-command 'make lock' $(if $(UPGRADE),--upgrade)

lock: $(VENV)/.python ## requirements/ from pyproject.toml (UPGRADE=1: with the newest versions)
	@$(PIP) --require-hashes -r requirements/setup.txt
	$(SAY) 'requirements/setup.txt'
	@$(LOCK) --group setup -o requirements/setup.txt
	$(SAY) 'requirements/dev.txt'
	@$(LOCK) --extra all --group dev pyproject.toml -o requirements/dev.txt
	$(SAY) 'requirements/demo.txt'
	@$(LOCK) --extra live --group build --group web -c requirements/dev.txt pyproject.toml -o requirements/demo.txt

clean: ## remove everything made here, the environment too
	$(SAY) 'removing what was made'
	@rm -rf $(VENV) build dist demo-report paper-report web/node_modules src/homeroom/live/static docs/_build docs/api .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find src tests benchmarks docs -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# The environment, in steps that are repeated when their files change.

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "homeroom needs Python 3.11 or newer, but '$(PYTHON)' is $$($(PYTHON) --version 2>/dev/null || echo missing): try 'make PYTHON=python3.12 $(or $(MAKECMDGOALS),demo)'." >&2; exit 1; }
	$(SAY) 'creating $(VENV)'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# uv installs in a tenth of pip's time, but does not read pip's settings: if pip is configured
# with another index or a proxy, or if uv is not available or fails, pip is used.
$(VENV)/.setup: requirements/setup.txt $(VENV)/.python
	@if $(BIN)/python -m pip config list | grep -E '\.(index.url|no.index|proxy)=' >/dev/null; then :; else \
	  echo '==> installing uv'; $(PIP) --require-hashes -r $< || true; fi
	@touch $@

# $(call install,FILE): the locked requirements, each checked against its hash, then the package itself.
define install
	@if [ -x $(BIN)/uv ] && $(UV) --require-hashes -r $(1); then :; else \
	  echo '    with pip, which takes a minute'; $(PIP) --require-hashes -r $(1); fi
	$(SAY) 'installing homeroom'
	@$(PIP) --no-deps --no-build-isolation -e .
endef

$(VENV)/.demo: requirements/demo.txt pyproject.toml $(VENV)/.setup
	$(SAY) 'installing what homeroom needs'
	$(call install,requirements/demo.txt)
	@touch $@

$(VENV)/.dev: requirements/dev.txt pyproject.toml $(VENV)/.setup
	$(SAY) 'installing what the tests and the documentation need'
	$(call install,requirements/dev.txt)
	@touch $(VENV)/.demo $@

# pip, not uv: pip's settings determine the right build of torch.
$(VENV)/.torch: | $(VENV)/.dev
	$(SAY) 'installing $(TORCH)'
	@$(PIP) $(TORCH) || { echo "could not install $(TORCH): 'make test TORCH=' leaves it out." >&2; exit 1; }
	@touch $@

# The pages, and a browser for the tests.

$(MODULES): web/package.json web/package-lock.json | $(VENV)/.demo
	$(SAY) 'installing what the pages are built with'
	@$(NPM) ci --silent --no-audit --no-fund
	@touch $@

$(PAGES): $(MODULES) $(shell find web/src web/public web/index.html web/vite.config.ts web/viewer.config.ts -type f 2>/dev/null)
	$(SAY) 'building the pages of the live classroom'
	@$(NPM) run build --silent
	@touch $@

# The shell without windows opens a page in a sixth of the time of a whole Chromium.
INSTALL := apt-get install -qq -y --no-install-recommends

$(VENV)/.chromium: | $(VENV)/.dev
	@found() { for name in chromium-headless-shell $$1; do command -v $$name >/dev/null && return; done; return 1; }; \
	if ! found && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo '==> installing chromium'; apt-get update -qq; \
	  $(INSTALL) chromium-headless-shell >/dev/null 2>&1 || $(INSTALL) chromium >/dev/null 2>&1; fi; \
	found 'chromium chromium-browser google-chrome' || echo '    there is no Chromium: the tests in the browser are left out'
	@touch $@
