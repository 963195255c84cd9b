# One command for each thing a person wants: `make help` lists them.
# Everything is built once and again only when what it comes from has changed.

# Any Python from 3.11 makes the environment; a bare `python3` that is older is passed over.
PYTHON ?= python3
# Exact versions, so that today's green run is tomorrow's. `make demo CONSTRAINTS=` takes the newest.
CONSTRAINTS ?= tests/constraints.txt
# Further arguments of `jupyter lab`, as in `make demo JUPYTER_ARGS="--no-browser --port 9999"`.
JUPYTER_ARGS ?=
# Another checkout whose `src` the benchmarks time in turn with this one, as in `make bench BEFORE=../before`.
BEFORE ?=

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Each process, kernel and server of the tests would compile anew what it imports, for several seconds.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help demo test test-heavy test-floors test-versions coverage fuzz soak check bench bench-engines bench-explorer bench-files film-strip catalogue \
	screenshot docs release constraints clean check-python check-js test-js test-python test-browser

BIN := .venv/bin
BUNDLE := src/ice_explorer/static/explorer.js
LABEXTENSION := js/lab/labextension/package.json
EXTRAS_OF_DEMO := bqplot,distributed,export,notebook
EXTRAS_OF_TEST := $(EXTRAS_OF_DEMO),dev,test
# What Node builds has its own rules here, so pip need not build it once more.
INSTALL = SKIP_JUPYTER_BUILDER=1 $(BIN)/python -m pip install --quiet $(if $(CONSTRAINTS),-c $(CONSTRAINTS))
# Now, so that the first explanation of a tree model need not.
COMPILE = $(BIN)/python -c 'import ice_explorer; ice_explorer.warmup()'
# Two steps, because a command that fails inside an assignment would not stop the other.
WITH_CHROMIUM = chromium="$$(tests/tools/chromium.sh $(BIN)/python)" && ICE_EXPLORER_CHROMIUM="$$chromium"
# Like `cd js && npm run`, from here.
NPM_RUN := npm --prefix js run --silent
FLOORS := .venv-floors/bin
# What pyproject.toml declares; `make test` runs on one of them.
VERSIONS ?= $(shell sed -nE 's/.*Programming Language :: Python :: (3\.[0-9]+).*/\1/p' pyproject.toml)
# The site has an environment of its own: Sphinx and marimo want different versions of docutils.
DOCS := .venv-docs/bin
SITE_NOTEBOOKS := $(patsubst %,build/docs/%,$(wildcard notebooks/*.ipynb notebooks/gallery/*.ipynb)) build/docs/index.ipynb
# What needs a browser, other packages than users have, or a scikit-learn of today to compare with.
NEWER_THAN_FLOORS := benchmarks browser contract distributed test_fuzz.py adapters/test_models.py test_models_table.py test_notebooks.py adapters/test_peel.py \
	adapters/test_trees_extract.py test_types.py test_wheel.py test_work_counters.py metrics/test_witness_sklearn.py
# These compare all warnings there are, and traitlets warns of what anywidget did at that time.
COUNT_WARNINGS := test_there_and_back_through_json test_a_position_is_not_taken_for_a_label \
	test_what_other_data_lack_is_said_and_the_rest_is_restored \
	test_a_state_that_names_a_weighting_says_what_it_was_taken_for test_the_heat_map_of_a_column_that_is_gone_is_not_opened
# These compare pixels, which Matplotlib rounds in another way since, and dtypes, of which pandas had two for a time zone.
COMPARE_EXACTLY := export/test_export.py::test_png_shows_what_the_svg_shows \
	figures/test_mpl.py::test_axes_may_be_turned_round figures/test_mpl.py::test_many_lines_are_sharp_at_every_size \
	saved/test_saved.py::test_drivers_and_effects_are_the_same[of_all_kinds]
# Tests of one file share their fixtures, so a file stays in one process.
PYTEST_PARALLEL := -n auto --maxprocesses 4 --dist loadfile
# A server, a kernel and a browser on a busy machine: what fails is tried once more, and named in the summary.
PYTEST_BROWSER := -n 3 --dist loadfile --tb=short --reruns 1 -r aR

help: ## List these commands
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1|\2/p' Makefile | while IFS='|' read -r name text; do \
		printf 'make %-14s %s\n' "$$name" "$$text"; done

demo: .venv/.demo $(BUNDLE) ## Open JupyterLab on the quickstart notebook
	$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) $(JUPYTER_ARGS) notebooks/quickstart.ipynb

# What installs, builds and checks goes on two by two; what is tested uses all processors by itself.
test: ## Run everything that continuous integration runs
	$(MAKE) --jobs=2 check-python check-js $(BUNDLE)
	$(MAKE) test-js test-python test-browser

test-heavy: .venv/.test-heavy ## Test with PyTorch and MLflow too, which are large
	$(BIN)/pytest tests/adapters/test_models.py tests/test_models_table.py

test-floors: .venv-floors/.ready $(BUNDLE) ## Test with the oldest versions that pyproject.toml allows, on Python 3.11
	$(FLOORS)/pip install --quiet ipywidgets==7.7.1
	$(FLOORS)/pytest --quiet tests/test_floors.py
	# The other tests bring a connection of their own, which 7 does not take, nor does bqplot take 7.
	$(FLOORS)/pip install --quiet ipywidgets==8.1.0 $$(grep ^bqplot== tests/floors.txt)
	$(FLOORS)/pytest --quiet $(PYTEST_PARALLEL) -W "ignore:Deprecated in traitlets 4.1:DeprecationWarning" \
		$(addprefix --ignore=tests/,$(NEWER_THAN_FLOORS)) $(addprefix --deselect=tests/widget/test_state.py::,$(COUNT_WARNINGS)) \
		$(foreach test,$(COMPARE_EXACTLY),'--deselect=tests/$(test)')

test-versions: $(VERSIONS:%=.venv-%/.ready) $(BUNDLE) ## Run the Python tests on every version of Python that pyproject.toml declares
	for version in $(VERSIONS); do \
		.venv-$$version/bin/pytest $(PYTEST_PARALLEL) --ignore=tests/browser --ignore=tests/benchmarks; \
	done

coverage: .venv/.test $(BUNDLE) ## Fail where the Python tests reach less than 95 % of the lines and branches, which takes longer
	$(BIN)/pytest $(PYTEST_PARALLEL) --ignore=tests/browser --cov

fuzz: .venv/.test ## Test with 10,000 random tables, models, options and messages, for half an hour
	$(BIN)/pytest $(PYTEST_PARALLEL) --hypothesis-profile=fuzz --hypothesis-show-statistics tests/test_fuzz*.py

check: check-python check-js ## Check format, lint, types and the fast tests
	$(NPM_RUN) test:node
	$(BIN)/pytest $(PYTEST_PARALLEL) --quiet --ignore=tests/browser -m "not slow"

bench: .venv/.test ## Time the engines beside scikit-learn, and the checkout BEFORE if named, into RESULTS.md in ten minutes
	$(BIN)/python tests/benchmarks/results.py short --write $(if $(BEFORE),--before $(BEFORE))

bench-engines: .venv/.bench ## Time every engine beside its peers, its growth and its memory, for an hour, into RESULTS.md
	$(BIN)/python tests/benchmarks/results.py long --write $(if $(BEFORE),--before $(BEFORE))

bench-explorer: .venv/.test $(BUNDLE) ## Time the explorer in Chromium, and write EXPLORER.md
	$(WITH_CHROMIUM) $(BIN)/python tests/benchmarks/explorer_in_chromium.py --write

film-strip: .venv/.test $(BUNDLE) ## Take pictures of a wide and a tall explorer until it is exact into build/film-strip
	$(WITH_CHROMIUM) $(BIN)/python tests/benchmarks/film_strip.py

bench-files: .venv/.test ## Time and weigh every file that an explanation is saved to, and write FILES.md
	$(BIN)/python tests/benchmarks/files.py --write

soak: .venv/.test $(BUNDLE) ## Drive a notebook for SOAK_MINUTES (30), measure what stays open, and write SOAK.md
	$(WITH_CHROMIUM) $(BIN)/python tests/benchmarks/soak.py --write

catalogue: js/node_modules/.ready .venv/.test ## Take a picture of every panel in every state into build/catalogue
	$(WITH_CHROMIUM) $(NPM_RUN) catalogue

screenshot: .venv/.test $(BUNDLE) ## Take the README's picture anew
	$(WITH_CHROMIUM) $(BIN)/python tests/browser/screenshots.py

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

# --- the steps of a test run ---------------------------------------------------------------------

check-python: .venv/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

check-js: js/node_modules/.ready js/lab/node_modules/.ready
	$(NPM_RUN) check

test-js: js/node_modules/.ready js/lab/node_modules/.ready .venv/.test
	$(WITH_CHROMIUM) $(NPM_RUN) test

test-python: .venv/.test $(BUNDLE)
	$(BIN)/pytest --quiet --doctest-modules src
	$(BIN)/pytest $(PYTEST_PARALLEL) --ignore=tests/browser

test-browser: .venv/.test $(BUNDLE)
	$(WITH_CHROMIUM) $(BIN)/pytest $(PYTEST_BROWSER) tests/browser

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

# Their versions are the newest: few tests look at them, and continuous integration none.
.venv/.test-heavy: .venv/.test
	$(INSTALL) -e '.[test-heavy]'
	touch $@

.venv-floors/.ready: pyproject.toml tests/floors.txt
	python3.11 -m venv .venv-floors
	SKIP_JUPYTER_BUILDER=1 $(FLOORS)/pip install --quiet -c tests/floors.txt -e '.[export]' \
		catboost hypothesis ipykernel lightgbm nbclient nbconvert nbformat nbstripout packaging polars pypdf pytest \
		pytest-cov pytest-xdist scipy pyparsing statsmodels xgboost-cpu
	touch $@

.venv-3.%/.ready: pyproject.toml $(CONSTRAINTS) $(LABEXTENSION)
	python3.$* -m venv .venv-3.$*
	SKIP_JUPYTER_BUILDER=1 .venv-3.$*/bin/python -m pip install --quiet --no-compile -c tests/constraints.txt \
		-e '.[$(EXTRAS_OF_TEST)]'
	touch $@

.venv-docs/.ready: pyproject.toml $(CONSTRAINTS) .venv/bin/python
	.venv/bin/python -m venv .venv-docs
	grep -v ^docutils== tests/constraints.txt > .venv-docs/constraints.txt
	SKIP_JUPYTER_BUILDER=1 $(DOCS)/python -m pip install --quiet -c .venv-docs/constraints.txt -e '.[bqplot,distributed,export,docs]'
	touch $@

# A notebook runs again when it, the package or the front end has changed.
OF_SITE_NOTEBOOKS := .venv-docs/.ready $(BUNDLE) notebooks/site/run.py notebooks/site/live.py $(shell find src -name '*.py')

build/docs/%.ipynb: %.ipynb $(OF_SITE_NOTEBOOKS)
	$(DOCS)/python notebooks/site/run.py $< $@

build/docs/index.ipynb: notebooks/site/index.ipynb $(OF_SITE_NOTEBOOKS)
	$(DOCS)/python notebooks/site/run.py $< $@

# The peers are no part of what is tested, so they have no place among the constraints.
.venv/.bench: .venv/.test
	$(INSTALL) -e '.[$(EXTRAS_OF_TEST),bench]'
	touch $@

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
