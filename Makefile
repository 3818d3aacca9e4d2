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

.PHONY: demo test test-oldest test-newest coverage lint docs bench clean

demo: $(VENV)/.core
	$(BIN)/skldl demo

test: $(VENV)/.test
	$(ONE_THREAD) $(BIN)/python -m pytest -n auto --dist loadgroup

# the oldest versions that pyproject.toml allows, and the newest that there are; each in
# an environment of its own
test-oldest: .venv-oldest/.test
	$(ONE_THREAD) .venv-oldest/bin/python -m pytest -n auto --dist loadgroup $(ARGS)

test-newest: .venv-newest/.test
	$(ONE_THREAD) .venv-newest/bin/python -m pytest -n auto --dist loadgroup $(ARGS)

coverage: $(VENV)/.test
	$(ONE_THREAD) $(BIN)/python -m pytest -n auto --dist loadgroup --cov --cov-report=term

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.docs
	$(ONE_THREAD) $(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html
	@echo "The documentation lies in docs/_build/html/index.html"

bench: $(VENV)/.test
	$(PIP) -e '.[bench]'
	$(BIN)/python bench/run.py $(SECTION) $(if $(QUICK),--quick)

clean:
	rm -rf $(VENV) .venv-oldest .venv-newest docs/_build docs/auto_examples docs/api docs/scaling docs/architecture docs/learners docs/auto_results .coverage* skldl-demo

%/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11 ..."; exit 1; }
	$(PYTHON) -m venv $*

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

# made anew each time: what is newest changes
.venv-newest/.test: .FORCE | .venv-newest/bin/python
	.venv-newest/bin/python -m pip install --quiet --disable-pip-version-check \
	    --upgrade --upgrade-strategy eager -e '.[test]'
	@touch $@

.PHONY: .FORCE
.FORCE:
