# Every target sets up what it needs; only Python >= 3.11 and make are required.
.DEFAULT_GOAL := help
.PHONY: help serve test test-all check contract messages docs bench screenshots soak wheel clean kernels browser nginx postgresql validators
.DELETE_ON_ERROR:

# The tests start about a hundred processes: without bytecode each would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	then echo $$python; break; fi; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
BUILT := engine/*.so engine/*/*.so engine/compiled.sha256
IS_TO_COMPILE := from engine.source import is_to_compile; raise SystemExit(not is_to_compile())
ALL_COMPILED := from engine.registry import VARIANTS; from engine.source import is_compiled; \
	raise SystemExit(not all(is_compiled(type(v.start())) for v in VARIANTS.values()))
TOOLS_OF := import sys, tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	print(*(tool for extra in sys.argv[1:] for tool in project["optional-dependencies"][extra]))
ARE_COMPILED := $(BIN)/python -c '$(ALL_COMPILED)'
PYTEST := $(BIN)/pytest -q -n 2 --dist worksteal
PURE_TESTS := engine tests/engine tests/every_game

help:
	@echo "make serve     run the service, its workers and its Redis"
	@echo "make test      the everyday tests, a few minutes"
	@echo "make test-all  the everyday tests, then the slow ones, then the games in plain Python"
	@echo "make check     ruff, mypy --strict, import-linter"
	@echo "make contract  openapi.yaml from its parts in docs/openapi/"
	@echo "make messages  the texts of the pages, collected for translation"
	@echo "make docs      the documentation as a site, in site/"
	@echo "make wheel     a wheel for every CPython from 3.11 on, in dist/"
	@echo "make bench     the figures of docs/performance.md"
	@echo "make screenshots  pictures of every page, in screenshots/"
	@echo "make soak      the tests that take minutes"
	@echo "make clean     remove everything that the other targets made, but no data"

serve: $(VENV)/installed kernels
	@exec $(BIN)/movelog serve

test: $(VENV)/developing kernels
	@$(ARE_COMPILED) || { export MOVELOG_PURE=1; \
		echo "The kernels could not be compiled: the tests run only in plain Python."; }; \
	$(PYTEST) -m "not slow and not soak"

# One run of make, as in `make check test test-all`, makes `test` only once. The slow tests wait for
# processes and timeouts a third of their time: on two cores, three at a time are done sooner than two.
test-all: test browser nginx postgresql validators
	@echo "The slow tests:"
	@$(ARE_COMPILED) || export MOVELOG_PURE=1; $(PYTEST) -n 3 -m "slow and not soak"
	@if $(ARE_COMPILED); then \
		echo "The games again in plain Python:"; MOVELOG_PURE=1 $(PYTEST) $(PURE_TESTS); fi

check: $(VENV)/developing
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

# A test fails if openapi.yaml does not match its parts.
contract: $(VENV)/developing
	@$(BIN)/python -m docs.openapi.bundle

# A test fails if a catalogue's texts differ from those in the sources, or if one is not translated.
messages: $(VENV)/developing
	@$(BIN)/python -m service.languages.collecting

# Fails on a dead link and on a page that mkdocs.yml does not list; with --quiet it would not.
docs: $(VENV)/documenting
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "The site is in site/: python -m http.server -d site shows it"

wheel: $(VENV)/installed
	@PYTHONWARNINGS=ignore $(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/*.whl

bench: $(VENV)/developing kernels
	@$(BIN)/python -m benchmarks

# Every page at three widths, light and dark, in screenshots/.
screenshots: browser kernels
	@$(BIN)/python -m tests.pages.screenshots

# The tests that take minutes, and all properties on new random examples.
SEED := $(or $(SEED),$(shell date +%s))
SEEDS := $(shell seq $(SEED) $$(($(SEED) + 4)))

soak: $(VENV)/developing kernels
	@for seed in $(SEEDS); do \
		echo "New examples; to repeat them: make soak SEED=$$seed"; \
		$(PYTEST) -m "hypothesis and not soak" --hypothesis-profile soak --hypothesis-seed $$seed tests \
		|| exit; \
	done
	@$(BIN)/pytest -q -m soak
	@echo "The whole perft table again in plain Python:"
	@MOVELOG_PURE=1 $(BIN)/pytest -q -m soak tests/every_game

clean:
	rm -rf $(VENV) build dist site *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -rf .import_linter_cache .schemathesis engine/*.c engine/*/*.c $(BUILT)
	find . -name __pycache__ -prune -exec rm -rf {} +

# The virtual environment, in the steps that `serve` and the developers' targets need.
$(BIN)/python:
	@if [ -z "$(PYTHON)" ]; then echo "Python 3.11 or newer is needed, and none is on the PATH."; exit 1; fi
	@echo "Making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml setup.py | $(BIN)/python
	@echo "Installing Movelog and compiling its engine: a minute, several on a busy machine"
	@$(PIP) install --upgrade pip "setuptools>=77" "cython>=3.1"
	@rm -f $(BUILT)
	@PYTHONWARNINGS=ignore $(PIP) install --no-build-isolation --editable .
	@touch $@

$(VENV)/developing: $(VENV)/installed
	@echo "Installing the developers' tools"
	@$(PIP) install $$($(BIN)/python -c '$(TOOLS_OF)' dev docs)
	@touch $@

$(VENV)/documenting: pyproject.toml | $(BIN)/python
	@echo "Installing the documentation's tools"
	@$(PIP) install $$($(BIN)/python -c '$(TOOLS_OF)' docs)
	@touch $@

# A compiled kernel shadows its source, so edited sources and deleted binaries must be compiled
# before anything runs.
kernels: $(VENV)/installed
	@if MOVELOG_PURE=1 $(BIN)/python -c '$(IS_TO_COMPILE)'; then \
		echo "Compiling the kernels"; \
		rm -f $(BUILT); \
		PYTHONWARNINGS=ignore $(BIN)/python setup.py --quiet build_ext --inplace; \
	fi

# `make test-all` tests the pages with a Chromium, preferably Debian's headless one, which takes two
# thirds of the time. Without any, these tests are skipped with a message.
CHROMIUMS := chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable
browser: $(VENV)/developing
	@is_there() { for name in $(CHROMIUMS); do command -v $$name >/dev/null && return; done; false; }; \
	command -v chromium-headless-shell >/dev/null && exit 0; \
	if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		echo "The pages are tested with a headless Chromium: installing the system's package"; \
		apt-get -qq update >/dev/null 2>&1 || true; \
		for package in chromium-headless-shell chromium; do \
			is_there && [ $$package = chromium ] || \
			DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $$package \
				>/dev/null 2>&1 || true; \
		done; \
	fi; \
	is_there || echo "No Chromium: the pages will not be tested. Install your system's package chromium."

# It tests the proxy of docs/operations.md with nginx, installed or skipped in the same way.
nginx: $(VENV)/developing
	@PATH="$$PATH:/usr/sbin"; command -v nginx >/dev/null && exit 0; \
	if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		echo "The proxy is tested with nginx, which is missing: installing the system's package nginx-light"; \
		{ apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y \
			--no-install-recommends nginx-light; } >/dev/null 2>&1 || true; \
	fi; \
	command -v nginx >/dev/null || \
		echo "No nginx: the proxy will not be tested. Install your system's package nginx."

# It also tests the lists with PostgreSQL, whose programs are not on the PATH in Debian.
postgresql: $(VENV)/developing
	@command -v initdb >/dev/null && exit 0; ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && exit 0; \
	if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		echo "The lists are tested with PostgreSQL, which is missing: installing the system's package postgresql"; \
		{ apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y \
			--no-install-recommends postgresql; } >/dev/null 2>&1 || true; \
	fi; \
	command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || \
		echo "No PostgreSQL: the lists will be tested only with SQLite. Install your system's package postgresql."

# It validates the files of deploy/ with the programs that read them.
validators: $(VENV)/developing
	@command -v promtool >/dev/null && command -v docker-compose >/dev/null && exit 0; \
	if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		echo "The files of deploy/ are tested with promtool and docker-compose: installing the system's packages"; \
		{ apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y \
			--no-install-recommends prometheus docker-compose; } >/dev/null 2>&1 || true; \
	fi; \
	command -v promtool >/dev/null && command -v docker-compose >/dev/null || \
		echo "No promtool or no docker-compose: some files of deploy/ will not be tested."
