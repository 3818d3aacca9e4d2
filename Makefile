# Needs Python 3.11 or newer, pip and make; everything else goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
# one BLAS thread per process: small products gain nothing from more, and tests fill
# the cores already
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1

# sections of the measurements, such as "floor growth"; none means all that take minutes
SECTION ?=
# more words for pytest in test-oldest and test-newest, such as "tests/ldl -x"
ARGS ?=
# QUICK=1 measures each section at its smallest, in a few minutes, and keeps nothing
QUICK ?=

# versions of Python that pyproject.toml names; make test-py313 runs the tests on one
PYTHONS := py311 py312 py313

.PHONY: demo test test-slow test-oldest test-newest $(PYTHONS:%=test-%) coverage lint checks docs bench dist clean

demo: $(VENV)/.core
	$(BIN)/skldl demo --force

test: $(VENV)/.test
	$(ONE_THREAD) $(BIN)/python -m pytest -n auto --dist loadgroup

# what compiles for minutes, or what make docs runs as well
test-slow: $(VENV)/.test
	$(ONE_THREAD) $(BIN)/python -m pytest -n auto --dist loadgroup -m slow

# the oldest versions that pyproject.toml allows, and the newest that there are; each in
# an environment of its own
test-oldest: .venv-oldest/.test
	$(ONE_THREAD) .venv-oldest/bin/python -m pytest -n auto --dist loadgroup $(ARGS)

test-newest: .venv-newest/.test
	$(ONE_THREAD) .venv-newest/bin/python -m pytest -n auto --dist loadgroup $(ARGS)

# python3.13 of the path, or make test-py313 PYTHON=/path/to/python3.13
$(PYTHONS:%=test-%): test-%: .venv-%/.test
	$(ONE_THREAD) .venv-$*/bin/python -m pytest -n auto --dist loadgroup $(ARGS)

coverage: $(VENV)/.test
	$(ONE_THREAD) $(BIN)/python -m pytest -n auto --dist loadgroup --cov --cov-report=term

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# one after the other, beside the documentation
checks:
	$(MAKE) --jobs=1 lint demo

docs: $(VENV)/.docs
	$(ONE_THREAD) $(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html
	@echo "Built: open docs/_build/html/index.html"

bench: $(VENV)/.test
	$(PIP) -e '.[bench]'
	$(BIN)/python bench/run.py $(SECTION) $(if $(QUICK),--quick)

# wheel and sdist in dist/, checked; the README's example runs from the wheel. Nothing is
# published; see RELEASING.md
dist: .venv-dist/.dist
	rm -rf dist
	.venv-dist/bin/python -m build --outdir dist .
	.venv-dist/bin/python -m twine check --strict dist/*
	$(ONE_THREAD) .venv-dist/bin/python tools/check_dist.py dist

clean:
	rm -rf $(VENV) .venv-oldest .venv-newest .venv-dist $(PYTHONS:%=.venv-%) dist docs/_build docs/auto_examples docs/api docs/scaling docs/architecture docs/changes docs/learners docs/pictures docs/commands docs/auto_results .coverage* skldl-demo

%/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11 ..."; exit 1; }
	$(PYTHON) -m venv $*

.venv-py311/bin/python: PYTHON = python3.11
.venv-py312/bin/python: PYTHON = python3.12
.venv-py313/bin/python: PYTHON = python3.13
# make would remove what only leads to something else
.PRECIOUS: %/bin/python

# a stamp per set of packages, made anew when the requirements change
$(VENV)/.core: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e .
	@touch $@

$(VENV)/.test: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e '.[test]'
	@touch $@ $(VENV)/.core

$(VENV)/.docs: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e '.[docs]'
	@touch $@

.venv-oldest/.test: pyproject.toml constraints-oldest.txt | .venv-oldest/bin/python
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check \
	    -c constraints-oldest.txt -e '.[test]'
	@touch $@

$(PYTHONS:%=.venv-%/.test): %/.test: pyproject.toml constraints.txt | %/bin/python
	$*/bin/python -m pip install --quiet --disable-pip-version-check \
	    -c constraints.txt -e '.[test]'
	@touch $@

# made anew each time: what is newest changes
.venv-newest/.test: .FORCE | .venv-newest/bin/python
	.venv-newest/bin/python -m pip install --quiet --disable-pip-version-check \
	    --upgrade --upgrade-strategy eager -e '.[test]'
	@touch $@

.venv-dist/.dist: requirements-dist.txt | .venv-dist/bin/python
	.venv-dist/bin/python -m pip install --quiet --disable-pip-version-check \
	    -r requirements-dist.txt
	@touch $@

.PHONY: .FORCE
.FORCE:
