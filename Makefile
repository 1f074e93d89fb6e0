# Needs git, make and Python 3.10 or newer with pip. Everything is installed into .venv, nothing outside this folder.

VENV   := .venv
PYTHON ?= $(firstword $(foreach name,python3 python3.14 python3.13 python3.12 python3.11 python3.10 python, \
            $(if $(shell $(name) -c 'import sys; print(sys.version_info >= (3, 10) or "")' 2>/dev/null),$(name))))
RUN    := $(VENV)/bin/python
PIP    := $(RUN) -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo picture gallery docs test test-all lint bench clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' Makefile

demo: $(VENV)/.dev ## train trees on bundled tables; print them, their rules and accuracy
	@$(RUN) examples/demo.py

picture: $(VENV)/.dev ## draw the pictures in docs anew
	$(RUN) examples/overfitting.py docs/overfitting.svg
	$(RUN) examples/iris_tree.py docs

gallery: $(VENV)/.dev ## draw the pictures of docs/gallery.md anew, and write the page
	$(RUN) examples/gallery.py docs

docs: $(VENV)/.docs ## build the documentation into site/, and check its links
	NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --strict --quiet
	@echo "Open site/index.html, or read it with search: $(RUN) -m http.server -d site"

# A file is tested by one worker, and so are files of the same large kernels (tests/conftest.py): two of them would compile
# these at the same time. Files keep their order: folders that compile come before many short ones.
test: $(VENV)/.dev ## the fast tests, then the kernels' tests again as plain Python
	$(RUN) -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder --durations=25 -m "not slow"
	NUMBA_DISABLE_JIT=1 $(RUN) -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder tests/kernels -m "not slow"

test-all: $(VENV)/.dev ## every test, the slow ones too, with three times as many random examples
	TREEWRIGHT_EXAMPLES=all $(RUN) -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder
	TREEWRIGHT_EXAMPLES=all NUMBA_DISABLE_JIT=1 $(RUN) -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder tests/kernels

lint: $(VENV)/.dev ## style, types, the direction of imports and the links of the documentation
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(VENV)/bin/lint-imports
	$(RUN) -m pytest -q tests/test_docs.py -k "links or navigation or reference"

bench: $(VENV)/.bench ## speed and memory beside other libraries (a quarter of an hour; ARGS="--quick" for a trial run)
	$(RUN) benchmarks/run.py $(ARGS)

clean: ## remove the environment and every cache
	rm -rf $(VENV) site .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# An environment made by hand is kept and completed. Where Python comes without ensurepip (Debian splits it off),
# the machine's own pip puts a pip into the new environment. A pip older than 22 is brought up to date: it cannot install
# an editable package that has no setup.py.
$(RUN):
	@test -n "$(PYTHON)" || { echo "treewright needs Python 3.10 or newer; none was found. \
	Install one, or say which: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	echo "treewright needs Python 3.10 or newer; $(PYTHON) is older or does not run." >&2; exit 1; }
	@echo "Setting up $(VENV) (once; this takes a minute or two) ..."
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || { \
	$(PYTHON) -m venv --clear --without-pip $(VENV) && \
	$(PYTHON) -m pip --python $(RUN) install --quiet --disable-pip-version-check pip; } || { rm -rf $(VENV); exit 1; }
	@$(RUN) -c 'import pip, sys; sys.exit(int(pip.__version__.split(".")[0]) < 22)' || $(PIP) --upgrade pip || { \
	rm -rf $(VENV); exit 1; }

$(VENV)/.dev: pyproject.toml | $(RUN)
	@$(PIP) -e '.[dev]'
	@touch $@

$(VENV)/.docs: pyproject.toml | $(RUN)
	@$(PIP) -e '.[dev,docs]'
	@touch $@ $(VENV)/.dev

$(VENV)/.bench: pyproject.toml | $(RUN)
	@$(PIP) -e '.[dev,bench]'
	@touch $@ $(VENV)/.dev
