# One command for each thing a person wants: `make help` lists them.
# Everything is built once and again only when what it comes from has changed.

# Any Python from 3.11 makes the environment; an older `python3` is skipped.
PYTHON ?= python3
# Exact versions, so that today's green run is tomorrow's. `make demo CONSTRAINTS=` takes the newest.
CONSTRAINTS ?= tests/constraints.txt
# Further arguments of `jupyter lab`, as in `make demo JUPYTER_ARGS="--no-browser --port 9999"`.
JUPYTER_ARGS ?=
# Sections of RESULTS.md: `short` takes ten minutes, `long` an hour.
BENCH ?= short
# Another checkout whose `src` the benchmarks time in turn with this one, as in `make bench BEFORE=../before`.
BEFORE ?=

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Otherwise each process, kernel and server of the tests compiles again what it imports, for several seconds.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help demo docs lint check test test-all test-floors test-versions coverage bench release constraints clean

BIN := .venv/bin
BUNDLE := src/ice_explorer/static/explorer.js
LABEXTENSION := js/lab/labextension/package.json
EXTRAS_OF_DEMO := boosting,bqplot,distributed,notebook
EXTRAS_OF_TEST := $(EXTRAS_OF_DEMO),dev,test
# Node builds its parts by the rules below, so pip does not build them again.
INSTALL = SKIP_JUPYTER_BUILDER=1 $(BIN)/python -m pip install --quiet $(if $(CONSTRAINTS),-c $(CONSTRAINTS))
# Compile numba's functions now, so that neither the first explanation nor each test process has to.
COMPILE = $(BIN)/python tests/tools/compile_kernels.py
# Two steps, because a command that fails inside an assignment would not stop the other.
WITH_CHROMIUM = chromium="$$(tests/tools/chromium.sh $(BIN)/python)" && ICE_EXPLORER_CHROMIUM="$$chromium"
# Like `cd js && npm run`, from here.
NPM_RUN := npm --prefix js run --silent
FLOORS := .venv-floors/bin
# What pyproject.toml declares; `make test` runs on one of them.
VERSIONS ?= $(shell sed -nE 's/.*Programming Language :: Python :: (3\.[0-9]+).*/\1/p' pyproject.toml)
# The site has an environment of its own: Sphinx and marimo need different versions of docutils.
DOCS := .venv-docs/bin
SITE_NOTEBOOKS := $(patsubst %,build/docs/%,$(wildcard notebooks/*.ipynb notebooks/gallery/*.ipynb)) build/docs/index.ipynb
# Tests of one file share their fixtures, so a file stays in one process.
PARALLEL := -n auto --maxprocesses 4 --dist loadfile

help: ## List these commands
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1|\2/p' Makefile | while IFS='|' read -r name text; do \
		printf 'make %-14s %s\n' "$$name" "$$text"; done

demo: .venv/.demo $(BUNDLE) ## Open JupyterLab on the quickstart notebook
	$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) $(JUPYTER_ARGS) notebooks/quickstart.ipynb

lint: .venv/.test js/node_modules/.ready js/lab/node_modules/.ready ## Check format, lint and types on both sides
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(NPM_RUN) check

check: ## Lint, and run the quick tests that need no browser: for daily work
	$(MAKE) --jobs=2 lint $(BUNDLE)
	$(NPM_RUN) test:node
	$(BIN)/pytest --quiet $(PARALLEL) -m "not slow and not wide and not browser"

test: ## Lint, and run the tests that every change must pass, as continuous integration does
	$(MAKE) --jobs=2 lint $(BUNDLE)
	$(WITH_CHROMIUM) $(NPM_RUN) test -- --tags-filter='!slow'
	$(WITH_CHROMIUM) $(BIN)/pytest $(PARALLEL) -m "not slow"

test-all: ## Run every test in random order, with the oldest versions and on all Pythons, and build the site: before a release
	$(MAKE) --jobs=2 lint $(BUNDLE)
	$(WITH_CHROMIUM) $(NPM_RUN) test
	$(WITH_CHROMIUM) $(BIN)/pytest $(PARALLEL) -p randomly
	$(BIN)/pytest -n auto --maxprocesses 4 -m fuzz --timeout=0 --hypothesis-profile=fuzz
	$(MAKE) test-floors test-versions docs

test-floors: .venv-floors/.ready $(BUNDLE) ## Test with the oldest versions that pyproject.toml allows, on Python 3.11
	$(FLOORS)/pip install --quiet ipywidgets==7.7.1
	$(FLOORS)/pytest --quiet tests/test_floors.py
	# The other tests open a connection of their own, which ipywidgets 7 refuses, and bqplot refuses ipywidgets 7.
	$(FLOORS)/pip install --quiet ipywidgets==8.1.0 $$(grep ^bqplot== tests/floors.txt)
	$(FLOORS)/pytest --quiet $(PARALLEL) --ignore=tests/browser -m "not browser and not current" \
		-W "ignore:Deprecated in traitlets 4.1:DeprecationWarning"

test-versions: $(VERSIONS:%=.venv-%/.ready) $(BUNDLE) ## Run the Python tests on every version of Python that pyproject.toml declares
	for version in $(VERSIONS); do \
		.venv-$$version/bin/pytest $(PARALLEL) -m "not browser"; \
	done

coverage: .venv/.test $(BUNDLE) ## Fail where the Python tests reach less than 95 % of the lines and branches
	$(BIN)/pytest $(PARALLEL) -m "not browser" --cov

bench: .venv/.test ## Time the engines beside their peers, and beside the checkout BEFORE if named, into RESULTS.md
	$(if $(filter long,$(BENCH)),$(INSTALL) -e '.[$(EXTRAS_OF_TEST),bench]')
	$(BIN)/python tests/benchmarks/results.py $(BENCH) --write $(if $(BEFORE),--before $(BEFORE))

release: .venv/.release ## Build wheel and sdist of the last commit twice, compare, check, and try them out, into dist
	$(BIN)/python tests/tools/release.py

# Sphinx reads what is put into build/docs; links that leave the site are not followed.
docs: ## Run the notebooks, and build the site of guides, gallery and reference into build/site
	$(MAKE) --jobs=2 $(SITE_NOTEBOOKS)
	$(DOCS)/python notebooks/site/stage.py
	rm -rf build/site # pages that are gone
	$(DOCS)/sphinx-build --fail-on-warning --keep-going --quiet -d build/doctrees -c notebooks/site build/docs build/site
	$(DOCS)/linkchecker --config notebooks/site/linkchecker.ini --no-robots --no-status build/site/index.html
	! grep -rnoE '<(script|link|img|iframe)[^>]+(src|href)="(https?:)?//[^"]+|url\(["'"'"']?(https?:)?//[^)]+' \
		--include='*.html' --include='*.css' build/site
	@echo "The site is build/site/index.html."

constraints: ## Write the newest versions that work together into tests/constraints.txt
	rm -rf build/constraints && mkdir -p build
	$(PYTHON) -m venv build/constraints
	SKIP_JUPYTER_BUILDER=1 build/constraints/bin/python -m pip install --quiet -e '.[$(EXTRAS_OF_TEST)]' \
		'soupsieve<3' # 3 is for Python from 3.11.5 on
	{ echo '# What `make demo` and `make test` install; written by `make constraints`.'; \
		build/constraints/bin/python -m pip freeze --exclude-editable; } > tests/constraints.txt
	rm -rf build/constraints

clean: ## Remove environments, caches and everything built
	rm -rf .venv .venv-* build dist js/node_modules js/lab/node_modules js/lab/labextension src/ice_explorer/static \
		test-results .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*
	find src tests notebooks -name __pycache__ -prune -exec rm -rf {} +

# --- what is built -------------------------------------------------------------------------------

.venv/bin/python:
	@for python in $(PYTHON) python3.14 python3.13 python3.12 python3.11; do \
		if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			echo "Making .venv with $$("$$python" --version)."; \
			exec "$$python" -m venv .venv; \
		fi; \
	done; \
	echo "ice-explorer needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1 || true)." \
		"Install one, or name it with PYTHON=/path/to/python3.12." >&2; \
	exit 1

# pip copies the JupyterLab extension to where JupyterLab looks for it, so it is there first.
.venv/.demo: .venv/bin/python pyproject.toml $(CONSTRAINTS) $(LABEXTENSION)
	$(INSTALL) -e '.[$(EXTRAS_OF_DEMO)]'
	$(COMPILE)
	touch $@

# Most modules are never imported by the tests, so Python compiles those that are when they are.
.venv/.test: .venv/bin/python pyproject.toml $(CONSTRAINTS) $(LABEXTENSION)
	$(INSTALL) --no-compile -e '.[$(EXTRAS_OF_TEST)]'
	$(COMPILE)
	touch $@ .venv/.demo

.venv-floors/.ready: pyproject.toml tests/floors.txt
	python3.11 -m venv .venv-floors
	SKIP_JUPYTER_BUILDER=1 $(FLOORS)/pip install --quiet -c tests/floors.txt -e . \
		catboost hypothesis ipykernel lightgbm nbclient nbconvert nbformat nbstripout packaging polars pyarrow pypdf pytest \
		pytest-cov pytest-randomly pytest-timeout pytest-xdist scipy pyparsing statsmodels xgboost-cpu
	touch $@

.venv-3.%/.ready: pyproject.toml $(CONSTRAINTS) $(LABEXTENSION)
	python3.$* -m venv .venv-3.$*
	SKIP_JUPYTER_BUILDER=1 .venv-3.$*/bin/python -m pip install --quiet --no-compile -c tests/constraints.txt \
		-e '.[$(EXTRAS_OF_TEST)]'
	touch $@

.venv-docs/.ready: pyproject.toml $(CONSTRAINTS) .venv/bin/python
	.venv/bin/python -m venv .venv-docs
	grep -v ^docutils== tests/constraints.txt > .venv-docs/constraints.txt
	SKIP_JUPYTER_BUILDER=1 $(DOCS)/python -m pip install --quiet -c .venv-docs/constraints.txt -e '.[boosting,bqplot,distributed,docs]'
	touch $@

# A notebook runs again when it, the package or the front end has changed.
OF_SITE_NOTEBOOKS := .venv-docs/.ready $(BUNDLE) notebooks/site/run.py notebooks/site/live.py $(shell find src -name '*.py')

build/docs/%.ipynb: %.ipynb $(OF_SITE_NOTEBOOKS)
	$(DOCS)/python notebooks/site/run.py $< $@

build/docs/index.ipynb: notebooks/site/index.ipynb $(OF_SITE_NOTEBOOKS)
	$(DOCS)/python notebooks/site/run.py $< $@

.venv/.release: .venv/.test
	$(INSTALL) -e '.[$(EXTRAS_OF_TEST),release]'
	touch $@

%/node_modules/.ready: %/package.json %/package-lock.json
	@node -e 'process.exit(Number.parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null && command -v npm >/dev/null || { \
		echo "The front end is built with Node 20 or newer and npm; found $$(node --version 2>/dev/null || echo neither)." \
			"Install Node, or install ice-explorer from a release, which needs none." >&2; \
		exit 1; }
	cd $* && npm ci --no-fund --no-audit
	touch $@

$(BUNDLE): js/node_modules/.ready js/build.mjs $(shell find js/src -type f 2>/dev/null)
	$(NPM_RUN) build

$(LABEXTENSION): js/lab/node_modules/.ready js/lab/build.mjs js/lab/rspack.config.cjs src/ice_explorer/version.py \
		$(shell find js/lab/src jupyter-config/labextension -type f 2>/dev/null)
	npm --prefix js/lab run --silent build
